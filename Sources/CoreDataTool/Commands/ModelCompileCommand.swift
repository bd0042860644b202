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
                + "model is written to a .mom. XML and binary stores that were made of it are read with that. A program "
                + "that reads a .mom gives an attribute that is alone in an index an index of its own name; the command "
                + "names those that the store does not have."
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
        return try ModelSubject.store(path)
    }

    /// The indexes that a program adds when it reads the archive of a model: 'Book.title'.
    private static func impliedIndexes(of archive: Data, beyond model: NSManagedObjectModel) throws -> [String] {
        let read = try ModelArchive.decode(archive)
        return read.entities.flatMap { entity -> [String] in
            let name = entity.name ?? ""
            let known = Set((model.entitiesByName[name]?.comparableIndexes ?? []).map(\.name))
            return entity.comparableIndexes.map(\.name).filter { !known.contains($0) }.map { "\(name).\($0)" }
        }.sorted()
    }

    package func run(_ console: Console) throws -> ExitStatus {
        try OutputFile.requireFree(output, force: isForced)
        if let store = try storeWithModel() {
            let archive = try store.model.archive()
            try OutputFile.write(archive, to: output, isForced: isForced)
            try console.line(Table.onOneLine("\(output): the model of \(store.shown)"))
            let implied = try Self.impliedIndexes(of: archive, beyond: store.model)
            if !implied.isEmpty {
                try console.line(
                    Table.onOneLine(
                        "a new store of it has indexes that this one lacks: \(implied.joined(separator: ", "))"))
            }
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
