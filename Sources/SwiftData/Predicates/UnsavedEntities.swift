import CoreData
import Foundation

/// Says whether a condition depends on unsaved values that the store does not know.
///
/// A context tests the fetched class's own changed models by their present values. For the models to which these lead
/// a store knows only what is saved.
struct UnsavedEntities {
    /// The context of the fetch; nil for a fetch without unsaved changes.
    let context: NSManagedObjectContext?

    /// Whether conditions or an order depend on unsaved values of other models than those that are fetched.
    func concern(_ conditions: [NSPredicate], _ order: [NSSortDescriptor]) -> Bool {
        guard let context, context.hasChanges, let model = context.persistentStoreCoordinator?.managedObjectModel
        else { return false }
        var destinations: Set<NSEntityDescription> = []
        for condition in conditions {
            _ = condition.rewriting { expression in
                if expression.expressionType == .keyPath {
                    destinations.formUnion(Self.destinations(of: expression.keyPath, in: model))
                }
                return expression
            }
        }
        for key in order.compactMap(\.key) { destinations.formUnion(Self.destinations(of: key, in: model)) }
        if destinations.isEmpty { return false }
        return [context.insertedObjects, context.updatedObjects, context.deletedObjects].contains { objects in
            objects.contains { object in destinations.contains { object.entity.isKindOf(entity: $0) } }
        }
    }

    /// The entities to which the relationships of a path may lead. The key of a to-one relationship at its end is the
    /// model's own.
    private static func destinations(of path: String, in model: NSManagedObjectModel) -> [NSEntityDescription] {
        let keys = path.split(separator: ".").map(String.init)
        return keys.enumerated().flatMap { place, key in
            model.entities.compactMap { entity in
                guard let relationship = entity.relationshipsByName[key] else { return nil }
                return relationship.isToMany || place < keys.count - 1 ? relationship.destinationEntity : nil
            }
        }
    }
}
