import CoreData
import Foundation

/// `coredata distinct`: the values of keys, each once.
package struct DistinctCommand: Command {
    package static let page = CommandPage(
        "distinct", "print the values of one or several keys, each once",
        operands: [.store, .entity, Operand("KEY[,KEY]")],
        discussion: [
            "Keys are attributes, to-one relationships, and key paths through them ('author.name'). The store computes the "
                + "result. Values come in their order, with --counts the most frequent first."
        ],
        options: [
            Option("counts", "print how many objects have each"), RequestOptions.predicate,
            Option("limit", letter: "n", value: "N", "at most N values"), RequestOptions.own, OutputFormat.option,
            .model, .json,
        ],
        examples: [
            .init("coredata distinct Library.sqlite Book genre --counts", "the genres, and how many books each has"),
            .init(
                "coredata distinct Library.sqlite Book author.name,year -f csv", "pairs of values, for a spreadsheet"),
        ])

    private let store: String
    private let entity: String
    private let keys: [String]
    private let model: String?
    private let format: OutputFormat
    private let hasCounts: Bool
    private let limit: Int
    private let options: RequestOptions

    package init(_ arguments: Arguments) throws {
        store = try arguments.required(0)
        entity = try arguments.required(1)
        keys = try arguments.required(2).split(separator: ",").map(String.init)
        if keys.isEmpty { throw arguments.misuse("'\(try arguments.required(2))' names no key") }
        model = arguments.value("model")
        format = try OutputFormat(arguments)
        hasCounts = arguments.has("counts")
        limit = try arguments.number("limit", atLeast: 1) ?? .max
        options = try RequestOptions(arguments, isWhole: true)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let store = try ResolvedStore(store, model: model)
        let entity = try store.entity(entity)
        let request = try DictionaryRequest(keys: keys, computed: hasCounts ? [.count] : [], in: entity)
        var rows = try request.rows(store, options, in: entity)
        if hasCounts {
            func count(_ row: [Any?]) -> Int64 { (row.last as? NSNumber)?.int64Value ?? 0 }
            // Values that occur equally often keep their order.
            rows = rows.enumerated().sorted { (-count($0.element), $0.offset) < (-count($1.element), $1.offset) }
                .map(\.element)
        }
        var writer = ResultWriter(format, request.columns, on: console)
        try writer.begin()
        for row in rows.prefix(limit) { try writer.add(row) }
        try writer.end()
        return .done
    }
}
