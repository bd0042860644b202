import CoreData
import Foundation

/// `coredata import`: makes a store of an export.
package struct ImportCommand: Command {
    package static let page = CommandPage(
        "import", "make a new store of what 'coredata export' wrote",
        operands: [Operand("STORE", completion: .file), Operand("FILE", .optional, completion: .file)],
        discussion: [
            "STORE is made anew: where there is something of that name, it stays as it is. The store has its name when "
                + "it is whole, so one that fails or is killed leaves none. Without FILE, or with '-', the standard "
                + "input is read.",
            "An SQLite store has the values, links and orders of the old one, its ids, its UUID, its metadata and its "
                + "model. In an XML or binary store objects get other ids. All objects are saved at once and held in "
                + "memory until then.",
            "Links to objects that are not there, which a damaged store may have, are left out and reported.",
        ],
        options: [
            Option("type", letter: "t", value: "TYPE", completion: .words(StoreKindName.files), StoreKindName.help),
            Option("model", letter: "m", value: "PATH", completion: .file, "take this model instead of the export's"),
            .json,
        ],
        examples: [
            .init("coredata import Library.sqlite Library.jsonl", "make a store of a file"),
            .init("coredata export Library.sqlite | coredata import Library.xml", "make an XML store"),
        ])

    private let target: String
    private let file: String?
    private let type: StoreKindName
    private let model: String?
    private let isJSON: Bool

    package init(_ arguments: Arguments) throws {
        target = try arguments.required(0)
        file = arguments.operand(1).flatMap { $0 == "-" ? nil : $0 }
        type = try StoreKindName.given(arguments, target)
        if type == .postgresql {
            throw arguments.misuse("import makes files; 'coredata convert' takes them to a database")
        }
        model = arguments.value("model")
        isJSON = arguments.has(.json)
    }

    package var writesStore: Bool { true }

    package func run(_ console: Console) throws -> ExitStatus {
        Interruption.watch()
        let draft = try StoreDraft(of: try type.url(target), type: type.storeType, shown: target)
        defer { draft.discard() }
        let shown = file ?? "standard input"
        let descriptor = try file.map { try Self.open($0) } ?? STDIN_FILENO
        defer { if file != nil { close(descriptor) } }
        var reader = GraphReader(descriptor, shown: shown, console: console)
        let header = try reader.header()
        let writer = try GraphWriter(
            try reader.model(of: header, given: model), type: type.storeType, at: draft.url, shown: target,
            metadata: header.metadata, identifier: header.identifier)
        try writer.context.performAndWait {
            try reader.read(header, into: writer)
            _ = try reader.finish(writer)
        }
        try draft.publish()
        var summary = ExchangeSummary(
            verb: "imported", preposition: "into", place: target, counts: header.counts,
            facts: [("type", .string(type.storeType)), ("keepsIDs", .bool(writer.keepsNumbers))],
            remarks: writer.keepsNumbers ? [] : ["the objects have other ids there"])
        summary.note(dangling: writer.dangling, console)
        summary.note(mirror: header.mirror, console)
        try summary.write(isJSON: isJSON, on: console)
        return .done
    }

    private static func open(_ path: String) throws -> Int32 {
        let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        var state = stat()
        guard descriptor >= 0, fstat(descriptor, &state) == 0 else {
            throw ToolError(.unreadable, "\(path): \(String(cString: strerror(errno)).lowercased())")
        }
        if state.st_mode & S_IFMT == S_IFDIR {
            close(descriptor)
            throw ToolError(.unreadable, "\(path): this is a folder")
        }
        return descriptor
    }
}
