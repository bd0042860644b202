import CoreData
import Foundation

/// The name of an object on the command line: `Book/12`, or its URI.
package enum ObjectName {
    package static func of(_ id: NSManagedObjectID) -> String {
        let last = id.uriRepresentation().lastPathComponent
        return "\(id.entity.name ?? "")/\(last.hasPrefix("p") ? String(last.dropFirst()) : last)"
    }

    /// The name of a row, of which no object need exist.
    package static func of(_ row: StoreIrregularity.Row) -> String { "\(row.entityName)/\(row.number)" }

    /// The number in a name; nil if a store has other references.
    package static func number(of id: NSManagedObjectID) -> Int64? {
        Int64(id.uriRepresentation().lastPathComponent.dropFirst())
    }

    /// The order by entity and by number.
    package static func order(_ one: NSManagedObjectID, _ other: NSManagedObjectID) -> Bool {
        let names = (one.entity.name ?? "", other.entity.name ?? "")
        if names.0 != names.1 { return names.0 < names.1 }
        if let number = number(of: one), let second = self.number(of: other) { return number < second }
        return of(one) < of(other)
    }

    /// The id in a store for a name or a URI.
    /// - Throws: an error of usage for a text that is no name, and for an entity that the store does not have.
    package static func id(
        _ text: String, in store: ResolvedStore, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> NSManagedObjectID {
        var uri = URL(string: text).flatMap { $0.scheme == "x-coredata" ? $0 : nil }
        if uri == nil {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[1].isEmpty else {
                throw ToolError(.usage, "'\(text)' names no object: ENTITY/NUMBER or a URI is expected")
            }
            let entity = try store.entity(String(parts[0]))
            let identifier = coordinator.persistentStores.first?.identifier ?? ""
            let reference = parts[1].first?.isNumber == true ? "p\(parts[1])" : String(parts[1])
            uri = URL(string: "x-coredata://\(identifier)/\(entity.name ?? "")/\(reference)")
        }
        guard let uri, let id = coordinator.managedObjectID(forURIRepresentation: uri) else {
            throw ToolError(.usage, "'\(text)' names no object of \(store.shown)")
        }
        return id
    }
}
