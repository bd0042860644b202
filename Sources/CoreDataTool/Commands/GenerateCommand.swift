import CoreDataModelCompiler
import Foundation

/// `coredata generate`: the classes of a model, as the build plugin makes them.
package struct GenerateCommand: Command {
    package static let page = CommandPage(
        "generate", "write the Swift classes of a model, as the build plugin makes them",
        operands: [.model],
        discussion: [
            "Writes MODEL+ModelClasses.swift with what the current version of an .xcdatamodeld, or an .xcdatamodel, "
                + "asks for by its entities' code generation: whole classes, or the properties of classes that are "
                + "written by hand. A target that uses the plugin needs no such file."
        ],
        options: [
            Option(
                "output", letter: "o", value: "DIR", completion: .folder,
                "the file to write; without it the text is printed"),
            Option(
                "module", value: "NAME", "the module of the classes, whose name is left out where the model has it"),
            .force,
        ],
        examples: [
            .init("coredata generate Library.xcdatamodeld", "print the classes"),
            .init("coredata generate Library.xcdatamodeld --output Sources/Library", "write them into a target"),
        ],
        found: "no entity of the model asks for a class")

    private let path: String
    private let output: String?
    private let module: String
    private let isForced: Bool

    package init(_ arguments: Arguments) throws {
        path = try arguments.required(0)
        output = arguments.value("output")
        module = arguments.value("module") ?? ""
        isForced = arguments.has(.force)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let url = try ModelSourceFile.url(path)
        let text: String
        do {
            // The model is checked as a whole first, because the generator does not check it.
            _ = try ModelArgument(path)
            text = ClassWriter(model: try ModelSource(at: url, module: module)).text()
        } catch {
            throw ToolError(error, at: path)
        }
        guard text.contains("\nextension ") else {
            console.say("coredata: no entity of \(path) asks for a class: its code generation is 'Manual/None'")
            return .found
        }
        guard let output else {
            try console.write(text)
            return .done
        }
        let name = "\(url.deletingPathExtension().lastPathComponent)+ModelClasses.swift"
        let place = URL(fileURLWithPath: output).appendingPathComponent(name).path
        try OutputFile.requireFree(place, force: isForced)
        do {
            try FileManager.default.createDirectory(
                atPath: output, withIntermediateDirectories: true)
        } catch {
            throw ToolError(.failed, "\(output) cannot be made: \(ToolError(error).message)")
        }
        try OutputFile.write(Data(text.utf8), to: place, isForced: isForced)
        try console.line(Table.onOneLine(place))
        return .done
    }
}
