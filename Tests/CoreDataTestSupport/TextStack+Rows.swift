import Foundation
import TestSupport
import Testing

@testable import CoreData

/// The content of a store in tables, in any database, read anew by a coordinator of its own.
extension TextStack {
    /// The rows of an entity in the order of their keys, as words: values of attributes, names of the objects that
    /// to-one relationships lead to, then the version if `versions` is true. "-" is no value.
    func lines(_ entity: String, _ keys: String..., versions: Bool = true) throws -> [String] {
        let stack = try beside()
        let store = try #require(stack.coordinator.persistentStores.first as? SQLStore)
        let context = stack.context()
        return try context.performAndWait {
            let objects = try context.all(entity).sorted { $0.objectID.objectKey.key < $1.objectID.objectKey.key }
            return try objects.map { object in
                let words = keys.map { Self.word(object.value(forKeyPath: $0)) }
                if !versions { return words.joined(separator: " ") }
                let key = object.objectID.objectKey
                let rootIndex = store.layout.entities[key.layoutIndex].rootIndex
                let row = try #require(try store.rows(for: [key.key], rootIndex: rootIndex, refreshing: true).first)
                return (words + ["\(row.version)"]).joined(separator: " ")
            }
        }
    }

    private static func word(_ value: Any?) -> String {
        switch value {
        case nil: "-"
        case let object as NSManagedObject: word(object.value(forKey: "name"))
        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
        case let value?: "\(value)"
        }
    }

    /// How many rows an entity has.
    func count(_ entity: String) throws -> Int {
        let context = try beside().context()
        return try context.performAndWait {
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
        }
    }

    /// How many members the unordered to-many relationships of all objects of an entity have together.
    func count(_ entity: String, membersOf key: String) throws -> Int {
        let context = try beside().context()
        return try context.performAndWait {
            try context.all(entity).reduce(0) { $0 + (($1.value(forKey: key) as? NSSet)?.count ?? 0) }
        }
    }

    /// The names of the files that large values of a SQLite store lie in; nil where all values lie in rows.
    func externalFiles() throws -> Set<String>? {
        guard kind == .sqlite else { return nil }
        let folder = SQLiteStoreFiles(storeURL).externalDataFolder
        return Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
    }
}
