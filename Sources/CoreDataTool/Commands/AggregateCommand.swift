import CoreData
import Foundation

/// `coredata aggregate`: sums, averages, least and greatest values, and numbers of objects, of all or of groups.
package struct AggregateCommand: Command {
    private static let functions: [(ComputedValue.Function, Option)] = [
        (.sum, Option("sum", value: "KEY", repeats: true, "the sum of a number")),
        (.avg, Option("avg", value: "KEY", repeats: true, "the average of a number")),
        (.min, Option("min", value: "KEY", repeats: true, "the least value")),
        (.max, Option("max", value: "KEY", repeats: true, "the greatest value")),
    ]

    package static let page = CommandPage(
        "aggregate", "compute sums, averages, extremes and counts, of all objects or of groups",
        operands: [.store, .entity],
        discussion: [
            "The store computes the result. Results are called count, sum_KEY, avg_KEY, min_KEY and max_KEY, with '_' for "
                + "each '.' of a key path; --having and --sort take these names and the keys of --group-by. Objects without "
                + "a value count for --count alone."
        ],
        options: [Option("count", "how many objects there are")] + functions.map(\.1) + [
            Option("group-by", letter: "g", value: "KEY,KEY", "one result for each of the values of keys"),
            RequestOptions.predicate,
            Option("having", value: "FORMAT", "only groups whose results match a predicate"),
            Option(
                "sort", letter: "s", value: "NAME,-NAME", "sort by results or keys; a minus in front sorts downwards"),
            Option("limit", letter: "n", value: "N", "at most N groups"), RequestOptions.own, OutputFormat.option,
            .model, .json,
        ],
        examples: [
            .init("coredata aggregate Library.sqlite Book --count --sum pages", "how many books, and all their pages"),
            .init(
                "coredata aggregate Library.sqlite Book --count --avg price -g author.name --having 'count > 2' -s -count",
                "authors of three books and more, with the average price"),
        ])

    private let store: String
    private let entity: String
    private let model: String?
    private let format: OutputFormat
    private let functions: [(function: ComputedValue.Function, key: String)]
    private let hasCount: Bool
    private let groupBy: [String]
    private let having: (value: NSPredicate, format: String)?
    private let sort: [String]
    private let limit: Int
    private let options: RequestOptions

    package init(_ arguments: Arguments) throws {
        store = try arguments.required(0)
        entity = try arguments.required(1)
        model = arguments.value("model")
        format = try OutputFormat(arguments)
        hasCount = arguments.has("count")
        functions = Self.functions.flatMap { function, option in
            arguments.values(option.name).flatMap { $0.split(separator: ",") }.map { (function, String($0)) }
        }
        if !hasCount, functions.isEmpty {
            throw arguments.misuse("there is nothing to compute: one of --count, --sum, --avg, --min, --max is needed")
        }
        groupBy = try RequestOptions.keys(of: "group-by", arguments)
        having = try arguments.value("having").map { (try RequestOptions.predicate($0), $0) }
        if having != nil, groupBy.isEmpty { throw arguments.misuse("'--having' needs '--group-by'") }
        sort = try RequestOptions.keys(of: "sort", arguments)
        limit = try arguments.number("limit", atLeast: 1) ?? .max
        options = try RequestOptions(arguments, isWhole: true)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let store = try ResolvedStore(store, model: model)
        let entity = try store.entity(entity)
        let computed =
            try (hasCount ? [ComputedValue.count] : [])
            + functions.map { try ComputedValue($0.function, of: $0.key, in: entity) }
        let request = try DictionaryRequest(keys: groupBy, computed: computed, in: entity)
        let order = try order(request.columns)
        let rows = try request.rows(store, options, in: entity, having: having)
        var writer = ResultWriter(format, request.columns, on: console)
        try writer.begin()
        for row in Self.sorted(rows, by: order).prefix(limit) { try writer.add(row) }
        try writer.end()
        return .done
    }

    /// The places of the columns to sort by.
    private func order(_ columns: [Column]) throws -> [(place: Int, isAscending: Bool)] {
        try sort.map { name in
            let title = name.hasPrefix("-") ? String(name.dropFirst()) : name
            guard let place = columns.firstIndex(where: { $0.title == title }) else {
                let titles = columns.map(\.title)
                let nearest = NearestName.hint(title, among: titles)
                throw ToolError(
                    .usage, "there is no result '\(title)' to sort by\(nearest)",
                    details: ["There are \(titles.joined(separator: ", "))."])
            }
            return (place, !name.hasPrefix("-"))
        }
    }

    /// Sorts groups. Missing values are less than all other values, and equal groups keep their order.
    private static func sorted(_ rows: [[Any?]], by order: [(place: Int, isAscending: Bool)]) -> [[Any?]] {
        if order.isEmpty { return rows }
        return rows.enumerated().sorted { one, other in
            for (place, isAscending) in order {
                let result = compare(one.element[place], other.element[place])
                if result != .orderedSame { return (result == .orderedAscending) == isAscending }
            }
            return one.offset < other.offset
        }.map(\.element)
    }

    private static func compare(_ one: Any?, _ other: Any?) -> ComparisonResult {
        switch (one, other) {
        case (nil, nil): return .orderedSame
        case (nil, _): return .orderedAscending
        case (_, nil): return .orderedDescending
        case (let one as NSNumber, let other as NSNumber): return one.compare(other)
        case (let one as Date, let other as Date): return one.compare(other)
        case (let one as NSManagedObjectID, let other as NSManagedObjectID):
            if one == other { return .orderedSame }
            return ObjectName.order(one, other) ? .orderedAscending : .orderedDescending
        default: return "\(one ?? "")".compare("\(other ?? "")", options: .literal)
        }
    }
}
