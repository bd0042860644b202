import CoreData
import Foundation

/// `coredata repair`: a copy of a store, repaired as far as possible.
package struct RepairCommand: Command {
    package static let page = CommandPage(
        "repair", "make a repaired copy of a store",
        operands: [.store, Operand("TO", completion: .file)],
        discussion: [
            "STORE is only read. TO is made anew, of the same kind, and has its name when it is whole; where "
                + "there is something of that name, it stays as it is. Every finding of 'coredata verify' is printed "
                + "with what was done about it, or as 'left'.",
            "Links to objects that are not there are removed. A link that one side alone has is made two-sided "
                + "where the other object is free, and removed where that belongs to a third one. Counters are "
                + "raised, derived values computed anew. A value that its attribute cannot hold, or whose file is "
                + "missing, becomes nil where the attribute is optional. In a text the character U+FFFD stands for "
                + "bytes that are not UTF-8.",
            "Left are values that should be unique, rows of no entity, values that the model does not allow, "
                + "and damaged pages: a person has to decide there. No object is deleted. Of the kinds of "
                + "stores, SQLite has most to repair; XML and binary stores may have one-sided links, derived values "
                + "and numbers. Databases are not repaired.",
        ],
        options: [.model, .json],
        examples: [
            .init("coredata repair Library.sqlite Repaired.sqlite", "repair what can be repaired"),
            .init(
                "coredata repair Library.sqlite Repaired.sqlite --json | jq 'select(.mended | not)'",
                "what is left, for a script"),
        ],
        found: "the copy was made, and something in it is left that could not be repaired")

    private let store: String
    private let target: String
    private let model: String?
    private let isJSON: Bool

    package init(_ arguments: Arguments) throws {
        store = try arguments.required(0)
        target = try arguments.required(1)
        model = arguments.value("model")
        isJSON = arguments.has(.json)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let source = try ResolvedStore(store, model: model)
        guard source.url.isFileURL else {
            throw ToolError(
                .usage, "\(source.shown): a database is not repaired; 'coredata convert' makes a file of it that can be"
            )
        }
        let draft = try StoreDraft(of: try StoreKindName.sqlite.url(target), type: source.address.type, shown: target)
        defer { draft.discard() }
        Interruption.watch()
        try source.address.copy(to: draft.url, shown: target)
        let copy = try ResolvedStore(draft.url, type: source.address.type, model: source.model, shown: target)
        let repair = StoreRepair(copy)
        try repair.run()
        let mirror = try source.mirror(source.context())
        try draft.publish()
        try isJSON ? writeJSON(repair, console) : writeText(repair, console)
        if let mirror {
            try MirrorText(mirror).tell(
                console, isJSON: isJSON,
                "; its tables are as they were, and repairs of rows without history are not uploaded")
        }
        return repair.left.isEmpty ? .done : .found
    }

    private func writeJSON(_ repair: StoreRepair, _ console: Console) throws {
        for (finding, action) in repair.repaired {
            try console.writeLine(.object(finding.json + [("mended", .bool(true)), ("action", .string(action))]))
        }
        for finding in repair.left {
            try console.writeLine(.object(finding.json + [("mended", .bool(false)), ("action", .null)]))
        }
    }

    private func writeText(_ repair: StoreRepair, _ console: Console) throws {
        for (finding, action) in repair.repaired {
            try console.line("\(console.styled("mended", .green))  \(Table.onOneLine("\(finding.line): \(action)"))")
        }
        for finding in repair.left {
            try console.line("\(console.styled("left", .yellow))    \(Table.onOneLine(finding.line))")
        }
        if !repair.repaired.isEmpty || !repair.left.isEmpty { try console.line() }
        let left = Set(repair.left.map(\.kind))
        for kind in StoreFinding.Kind.allCases where left.contains(kind) {
            try console.line(console.styled("left: \(kind.title)", .bold))
            try console.line("  what would repair it: \(kind.remedy)")
        }
        let counts =
            repair.repaired.isEmpty && repair.left.isEmpty
            ? "nothing was wrong" : "\(repair.repaired.count) mended, \(repair.left.count) left"
        try console.line(Table.onOneLine("made \(target): \(counts)"))
    }
}
