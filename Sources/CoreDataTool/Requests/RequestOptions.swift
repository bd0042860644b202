import CoreData
import Foundation

/// The objects for a command: an entity, a predicate, an order, a limit.
package struct RequestOptions {
    package static let predicate = Option(
        "where", letter: "w", value: "FORMAT", "only objects that match a predicate, as in NSPredicate(format:)")
    package static let sort = Option(
        "sort", letter: "s", value: "KEY,-KEY", "sort by keys; a minus in front sorts downwards")
    package static let limit = Option("limit", letter: "n", value: "N", "at most N objects")
    package static let offset = Option("offset", value: "N", "leave out the first N objects")
    package static let own = Option("no-subentities", "leave out the objects of subentities")

    /// A key path that objects are sorted by.
    package struct SortKey: Hashable {
        let path: String
        let isAscending: Bool

        /// - Parameter read: makes the key path of the text after the sign.
        init(written text: String, read: (String) -> String = { $0 }) {
            isAscending = !text.hasPrefix("-")
            path = read(isAscending ? text : String(text.dropFirst()))
        }
    }

    /// The predicate with its text.
    private let predicate: (value: NSPredicate, format: String)?
    private let sortKeys: [SortKey]
    private let limit: Int
    private let offset: Int
    private let includesSubentities: Bool

    /// - Parameter isWhole: whether order and limit apply to other results than objects.
    /// - Throws: an error of usage that marks the mistake in a predicate.
    package init(_ arguments: Arguments, isWhole: Bool = false) throws {
        predicate = try arguments.value("where").map { (try Self.predicate($0), $0) }
        sortKeys = isWhole ? [] : try Self.keys(of: "sort", arguments).map { SortKey(written: $0) }
        limit = isWhole ? 0 : try arguments.number("limit", atLeast: 1) ?? 0
        offset = try arguments.number("offset", atLeast: 0) ?? 0
        includesSubentities = !arguments.has("no-subentities")
    }

    /// All objects, or those that match, in an order.
    /// - Throws: an error of usage that marks the mistake in a predicate.
    package init(predicate format: String?, sort keys: [SortKey], includesSubentities: Bool) throws {
        predicate = try format.map { (try Self.predicate($0), $0) }
        sortKeys = keys
        (limit, offset) = (0, 0)
        self.includesSubentities = includesSubentities
    }

    /// The keys of a comma-separated list; none if the option was not given.
    package static func keys(of option: String, _ arguments: Arguments) throws -> [String] {
        guard let text = arguments.value(option) else { return [] }
        let keys = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        if keys.isEmpty { throw arguments.misuse("'--\(option)' names no key") }
        // Most parsers of JSON drop one of two members with the same name.
        if let twice = keys.first(where: { key in keys.filter { $0 == key }.count > 1 }) {
            throw arguments.misuse("'--\(option)' names '\(twice)' twice")
        }
        return keys
    }

    package static func predicate(_ format: String) throws -> NSPredicate {
        do throws(PredicateParseError) {
            return try NSPredicate.parse(format: format)
        } catch {
            throw mistake(error)
        }
    }

    /// The error with the text and a caret below the place where reading stopped.
    package static func mistake(_ error: PredicateParseError) -> ToolError {
        ToolError(
            "the predicate has a mistake: at character \(error.position + 1) \(error.problem)",
            at: TextPlace(wordAt: error.position, of: error.format), of: error.format)
    }

    package func request<Result: NSFetchRequestResult>(
        for entity: NSEntityDescription, _: Result.Type = NSManagedObject.self
    ) throws -> NSFetchRequest<Result> {
        let request = NSFetchRequest<Result>(entityName: entity.name ?? "")
        if let predicate {
            try PredicateKeys.check(predicate.value, written: predicate.format, in: entity)
            request.predicate = try TypedPredicate.of(predicate.value, written: predicate.format, in: entity)
        }
        request.fetchLimit = limit
        request.fetchOffset = offset
        request.includesSubentities = includesSubentities
        request.sortDescriptors = try sortKeys.map { key in
            let column = try Column.named(key.path, in: entity)
            guard case .attribute(let attribute) = column.content, !(attribute is NSCompositeAttributeDescription)
            else { throw ToolError(.usage, "'\(key.path)' is no value: objects cannot be sorted by it") }
            return NSSortDescriptor(key: key.path, ascending: key.isAscending)
        }
        return request
    }
}
