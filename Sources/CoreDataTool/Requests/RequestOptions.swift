import CoreData
import Foundation

/// Which objects a command is about: an entity, a predicate, an order, a part.
package struct RequestOptions {
    package static let predicate = Option(
        "where", letter: "w", value: "FORMAT", "only objects that match a predicate, as in NSPredicate(format:)")
    package static let sort = Option(
        "sort", letter: "s", value: "KEY,-KEY", "sort by keys; a minus in front sorts downwards")
    package static let limit = Option("limit", letter: "n", value: "N", "at most N objects")
    package static let offset = Option("offset", value: "N", "leave out the first N objects")
    package static let own = Option("no-subentities", "leave out the objects of subentities")

    private let predicate: NSPredicate?
    private let sortKeys: [String]
    private let limit: Int
    private let offset: Int
    private let includesSubentities: Bool

    /// - Throws: an error of usage that marks the mistake in a predicate.
    package init(_ arguments: Arguments) throws {
        predicate = try arguments.value("where").map(Self.predicate)
        sortKeys = arguments.value("sort")?.split(separator: ",").map(String.init) ?? []
        limit = try arguments.number("limit", atLeast: 0) ?? 0
        offset = try arguments.number("offset", atLeast: 0) ?? 0
        includesSubentities = !arguments.has("no-subentities")
        if arguments.value("limit") == "0" { throw arguments.misuse("'--limit' needs a number from 1") }
    }

    private static func predicate(_ format: String) throws -> NSPredicate {
        do throws(PredicateParseError) {
            return try NSPredicate.parse(format: format)
        } catch {
            throw mistake(error)
        }
    }

    /// The text with a caret below the place where reading stopped.
    package static func mistake(_ error: PredicateParseError) -> ToolError {
        let shown = Table.onOneLine(error.format)
        let before = String(String.UnicodeScalarView(error.format.unicodeScalars.prefix(error.position)))
        return ToolError(
            .usage, "the predicate has a mistake: at character \(error.position + 1) \(error.problem)",
            details: ["  \(shown)", "  " + String(repeating: " ", count: TextWidth.of(Table.onOneLine(before))) + "^"])
    }

    package func request<Result: NSFetchRequestResult>(
        for entity: NSEntityDescription, _: Result.Type = NSManagedObject.self
    ) throws -> NSFetchRequest<Result> {
        let request = NSFetchRequest<Result>(entityName: entity.name ?? "")
        request.predicate = predicate
        request.fetchLimit = limit
        request.fetchOffset = offset
        request.includesSubentities = includesSubentities
        request.sortDescriptors = try sortKeys.map { key in
            let path = key.hasPrefix("-") ? String(key.dropFirst()) : key
            let column = try Column.named(path, in: entity)
            guard case .attribute = column.content else {
                throw ToolError(.usage, "'\(path)' is no attribute: objects cannot be sorted by it")
            }
            return NSSortDescriptor(key: path, ascending: !key.hasPrefix("-"))
        }
        return request
    }
}
