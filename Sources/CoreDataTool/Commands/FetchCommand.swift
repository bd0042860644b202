import CoreData
import Foundation

/// `coredata fetch`: the objects of an entity as a table, JSON or CSV.
package struct FetchCommand: Command {
    package static let page = CommandPage(
        "fetch", "print the objects of an entity",
        operands: [.store, .entity],
        discussion: [
            "Columns are attributes, key paths through to-one relationships ('author.name'), the number of objects of a "
                + "relationship ('books.@count'), relationships, and '@id'. Without --columns they are the id, the attributes "
                + "and the to-one relationships.",
            "Objects are called ENTITY/NUMBER, as 'coredata show' takes them. Dates are printed in UTC, bytes in base 64, "
                + "and in a table by their size.",
            "Objects are read and printed batch by batch: the memory does not grow with their number.",
        ],
        options: [
            RequestOptions.predicate, RequestOptions.sort, RequestOptions.limit, RequestOptions.offset,
            Option("columns", letter: "c", value: "a,b.c,@id", "print these columns"),
            OutputFormat.option,
            Option(
                "depth", value: "N", "in JSON: print related objects as objects, N relationships deep; 0 is the default"
            ),
            RequestOptions.own, .model, .json,
        ],
        examples: [
            .init(
                "coredata fetch Library.sqlite Book --where 'title CONTAINS[c] \"whale\"' --sort -year --limit 10",
                "the ten newest books about whales"),
            .init(
                "coredata fetch Library.sqlite Book -c title,author.name,editions.@count -f csv > books.csv",
                "a list for a spreadsheet"),
        ])

    private let store: String
    private let entity: String
    private let model: String?
    private let format: OutputFormat
    private let columns: [String]?
    private let depth: Int
    private let options: RequestOptions

    package init(_ arguments: Arguments) throws {
        store = try arguments.required(0)
        entity = try arguments.required(1)
        model = arguments.value("model")
        format = try OutputFormat(arguments)
        columns = arguments.has("columns") ? try RequestOptions.keys(of: "columns", arguments) : nil
        depth = try arguments.number("depth", atLeast: 0) ?? 0
        if depth > Self.deepest { throw arguments.misuse("'--depth' is at most \(Self.deepest)") }
        if depth > 0, !format.isJSON {
            throw arguments.misuse("'--depth' needs '--format json' or 'ndjson'")
        }
        options = try RequestOptions(arguments)
    }

    private static let deepest = 10

    package func run(_ console: Console) throws -> ExitStatus {
        let store = try ResolvedStore(store, model: model)
        let entity = try store.entity(entity)
        let columns = try columns.map { try $0.map { try Column.named($0, in: entity) } } ?? Column.all(of: entity)
        let objects = try ListedObjects(options, of: entity, for: columns, in: store)
        var writer = ResultWriter(format, columns, depth: depth, on: console)
        try objects.context.performAndWait {
            try writer.begin()
            var place: Int? = 0
            while let next = place { place = try objects.writeBatch(at: next, by: &writer) }
            try writer.end()
        }
        return .done
    }
}
