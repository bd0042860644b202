import CoreDataModelCompiler
import Foundation

/// `coredata model compile`: a model's source as programs load it.
package struct ModelCompileCommand: Command {
    package static let page = CommandPage(
        "model compile", "compile a model's source to the files that programs load",
        operands: [.model],
        discussion: [
            "Writes every version of an .xcdatamodeld to a .momd, or the current version of it, or an .xcdatamodel, "
                + "to a .mom. The files are those of the build plugin; Apple's framework reads them, too."
        ],
        options: [
            Option("output", letter: "o", value: "PATH", completion: .file, "the .momd or .mom to write"),
            Option("module", value: "NAME", "the module of the classes that the model names as '.Class'"), .force,
        ],
        examples: [
            .init("coredata model compile Library.xcdatamodeld --output Library.momd", "all versions"),
            .init("coredata model compile Library.xcdatamodeld -o Library.mom", "the current version"),
        ])

    private let path: String
    private let output: String
    private let module: String
    private let isForced: Bool

    package init(_ arguments: Arguments) throws {
        path = try arguments.required(0)
        guard let output = arguments.value("output") else { throw arguments.misuse("'--output' is missing") }
        guard ["momd", "mom"].contains(URL(fileURLWithPath: output).pathExtension) else {
            throw arguments.misuse("'--output' ends in .momd or .mom, not as '\(output)'")
        }
        self.output = output
        module = arguments.value("module") ?? ""
        isForced = arguments.has(.force)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let url = try ModelSourceFile.url(path)
        try OutputFile.requireFree(output, force: isForced)
        do {
            try ModelBundleCompiler.compile(url, to: URL(fileURLWithPath: output), module: module)
        } catch {
            throw ToolError(error, at: path)
        }
        let file = try ModelArgument(output)
        let names = file.versions.map { $0.name == file.current.name ? "\($0.name) (current)" : $0.name }
        try console.line(Table.onOneLine("\(output): \(names.joined(separator: ", "))"))
        return .done
    }
}
