import CoreData
import CoreDataModelCompiler
import Foundation

/// `coredata model compile`: the compiled form of a model's source.
package struct ModelCompileCommand: Command {
    package static let page = CommandPage(
        "model compile", "compile a model's source to the files that programs load",
        operands: [.model],
        discussion: [
            "Writes every version of an .xcdatamodeld to a .momd, or the current version of it, or an .xcdatamodel, "
                + "to a .mom. The files are those of the build plugin; Apple's framework reads them, too. Of a store, its "
                + "model is written to a .mom. XML and binary stores that were made of it are read with that."
        ],
        options: [
            Option("output", letter: "o", value: "PATH", completion: .file, "the .momd or .mom to write"),
            Option("module", value: "NAME", "the module of the classes that the model names as '.Class'"), .force,
        ],
        examples: [
            .init("coredata model compile Library.xcdatamodeld --output Library.momd", "all versions"),
            .init("coredata model compile Library.xcdatamodeld -o Library.mom", "the current version"),
            .init("coredata model compile Library.sqlite -o Library.mom", "the model that a store keeps"),
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

    /// The store at the path; nil if the path leads to a model, or to no file.
    private func storeWithModel() throws -> ResolvedStore? {
        var isFolder: ObjCBool = false
        guard !ModelArgument.isModel(path), FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
            !isFolder.boolValue, URL(fileURLWithPath: output).pathExtension == "mom"
        else { return nil }
        return try ResolvedStore(path)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        try OutputFile.requireFree(output, force: isForced)
        if let store = try storeWithModel() {
            try OutputFile.write(try store.model.archive(), to: output, isForced: isForced)
            try console.line(Table.onOneLine("\(output): the model of \(store.shown)"))
            return .done
        }
        let url = try ModelSourceFile.url(path)
        do {
            try ModelBundleCompiler.compile(url, to: URL(fileURLWithPath: output), module: module)
        } catch {
            throw ToolError(error, at: ToolError.isOfWriting(error) ? output : path)
        }
        let file = try ModelArgument(output)
        let names = file.versions.map { $0.name == file.current.name ? "\($0.name) (current)" : $0.name }
        try console.line(Table.onOneLine("\(output): \(names.joined(separator: ", "))"))
        return .done
    }
}
