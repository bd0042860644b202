import CoreData
import Foundation

/// The raw values that the rows of a store have for an enumeration. A model says the type alone.
struct RawValues {
    /// With more values a property is rather a text than an enumeration.
    private static let most = 100

    private let context: NSManagedObjectContext?
    private let shown: String

    /// - Parameter store: nil for a model in a file, which has no rows.
    init(_ store: ResolvedStore?) throws {
        shown = store?.shown ?? ""
        context = try store?.context()
    }

    /// The values in their order; none if there are too many.
    ///
    /// - Parameter path: a property, with the names of elements behind it.
    func values(at path: [String], of entity: String) throws -> [Any] {
        guard let context else { return [] }
        let path = path.joined(separator: ".")
        let request = NSFetchRequest<NSDictionary>(entityName: entity)
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [path]
        request.returnsDistinctResults = true
        request.predicate = NSPredicate(format: "%K != nil", path)
        request.sortDescriptors = [NSSortDescriptor(key: path, ascending: true)]
        request.fetchLimit = Self.most + 1
        do {
            let rows = try context.performAndWait { try context.fetch(request) }
            return rows.count > Self.most ? [] : rows.compactMap { $0[path] }
        } catch {
            throw ToolError(error, at: shown)
        }
    }
}
