import CoreData
import Foundation

/// Everything that a store holds, as lines that can be compared: an object's line has its attributes, and those of the
/// objects that its relationships lead to. Keys of rows are no part of it.
public enum StoreText {
    /// The lines, in their order.
    public static func lines(
        _ url: URL, _ model: NSManagedObjectModel, type: String = NSSQLiteStoreType
    ) throws -> [String] {
        try withStore(url, model, type: type) { context in
            try lines(context, model, describing: name, naming: name)
        }
    }

    /// The lines of a context's objects, which are described in one way and named in another where relationships lead
    /// to them.
    static func lines(
        _ context: NSManagedObjectContext, _ model: NSManagedObjectModel,
        describing describe: (NSManagedObject) -> String, naming name: (NSManagedObject) -> String
    ) throws -> [String] {
        var lines: [String] = []
        for entity in model.entities where !entity.isAbstract {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.includesSubentities = false
            for object in try context.fetch(request) {
                var line = describe(object)
                for key in entity.relationshipsByName.keys.sorted() {
                    let value = object.value(forKey: key)
                    var members =
                        ((value as? NSManagedObject).map { [$0] } ?? (value as? NSSet)?.allObjects
                        ?? (value as? NSOrderedSet)?.array ?? []).compactMap { ($0 as? NSManagedObject).map(name) }
                    if entity.relationshipsByName[key]?.isOrdered == false { members.sort() }
                    line += " \(key): \(members.joined(separator: ", "))"
                }
                lines.append(line)
            }
        }
        return lines.sorted()
    }

    private static func name(of object: NSManagedObject) -> String {
        let values = object.entity.attributesByName.keys.sorted().map { key in
            let value = object.value(forKey: key)
            return
                "\(key)=\((value as? Data).map { "\($0.count) bytes, \($0.first ?? 0)" } ?? value.map { "\($0)" } ?? "nil")"
        }
        return "\(object.entity.name ?? "") (\(values.joined(separator: "; ")))"
    }
}
