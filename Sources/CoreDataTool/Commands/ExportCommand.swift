import CoreData
import Foundation

/// `coredata export`: all objects of a store as lines of JSON.
package struct ExportCommand: Command {
    package static let page = CommandPage(
        "export", "write all objects of a store as lines of JSON",
        operands: [.store],
        discussion: [
            "The first line says what the store is and holds its model and its metadata; each line behind it is an "
                + "object, with its id ('Book/12'), its values and its relationships. 'coredata import' makes an equal "
                + "store of it.",
            "Dates are seconds since the beginning of 2001 in UTC, bytes and transformable values base 64 of the "
                + "stored bytes, decimals texts. Numbers and dates that JSON has no number for are the texts \"nan\", "
                + "\"inf\" and \"-inf\"; an SQLite store cannot hold \"nan\". Nil values are left out, and so are "
                + "derived attributes, which are computed anew. Related objects are called by their ids, those of "
                + "ordered relationships in their order.",
            "Objects are read and written batch by batch, in one state of the store, also while other processes "
                + "write to it. The history is not exported, and neither are triggers: 'coredata convert --for-apple' "
                + "makes those of derived attributes again.",
        ],
        options: [
            Option(
                "output", letter: "o", value: "FILE", completion: .file,
                "write to a new file, which has its name when it is whole; '-' is the standard output"),
            .model, Option("json", "with --output: print what was done as JSON"),
        ],
        examples: [
            .init("coredata export Library.sqlite --output Library.jsonl", "write a file"),
            .init("coredata export Library.sqlite | coredata import Copy.sqlite", "make an equal store"),
            .init(
                "coredata export Library.sqlite | jq -r 'select(.\"@id\" | startswith(\"Book/\")?) | .title'",
                "the titles of all books"),
        ])

    private let store: String
    private let model: String?
    private let output: String?
    private let isJSON: Bool

    package init(_ arguments: Arguments) throws {
        store = try arguments.required(0)
        model = arguments.value("model")
        output = arguments.value("output").flatMap { $0 == "-" ? nil : $0 }
        isJSON = arguments.has(.json)
        if isJSON, output == nil { throw arguments.misuse("'--json' needs '--output' with a file") }
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let store = try ResolvedStore(store, model: model)
        guard let output else {
            _ = try write(store, to: console, progress: nil)
            return .done
        }
        let file = try DraftFile(output)
        let counts = try write(store, to: Console(output: file.descriptor), progress: console)
        try file.publish()
        let summary = ExchangeSummary(
            verb: "exported", preposition: "to", place: output, counts: counts, facts: [("from", .string(store.shown))])
        try summary.write(isJSON: isJSON, on: console)
        return .done
    }

    private func write(
        _ store: ResolvedStore, to target: Console, progress: Console?
    ) throws -> [(entity: String, count: Int)] {
        let walk = try GraphWalk(store)
        return try walk.context.performAndWait {
            let counts = try walk.counts()
            let named = counts.map { (entity: $0.entity.name, count: $0.count) }
            let header = try GraphHeader(store, counts: named, mirror: store.mirror(walk.context))
            try target.writeLine(try header.json)
            let work = progress.map { WorkLine("exporting", of: counts.reduce(0) { $0 + $1.count }, on: $0) }
            defer { work?.end() }
            let line = GraphLine()
            try walk.batches(counts) { entity, objects in
                for object in objects {
                    try target.append { line.append(object, entity, to: &$0) }
                    try target.line()
                    try work?.advance(entity.name)
                }
            }
            try target.flush()
            return named
        }
    }
}
