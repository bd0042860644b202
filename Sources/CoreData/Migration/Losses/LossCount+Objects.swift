import Foundation

// Counting in a store that is read as a whole.
extension LossCount {
    /// Counts the objects in a file that have each content, in its order.
    static func numbers(
        of lost: [LossSearch.Lost], in url: URL, ofType type: String, _ model: NSManagedObjectModel
    ) throws -> [Number] {
        let layout = model.layout
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url,
            options: [NSReadOnlyPersistentStoreOption: true, NSIgnorePersistentStoreVersioningOption: true])
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            try lost.map { thing in
                var count = 0
                for index in thing.layouts {
                    let request = NSFetchRequest<NSManagedObject>(entityName: layout.entities[index].name)
                    request.includesSubentities = false
                    if thing.path.isEmpty {
                        count += try context.count(for: request)
                    } else {
                        count += try context.fetch(request).count { holds($0, thing.path) }
                    }
                }
                return (count, true)
            }
        }
    }

    /// Whether an object has a value of its own for a property.
    private static func holds(_ object: NSManagedObject, _ path: [String]) -> Bool {
        var value = object.value(forKey: path[0])
        var property = object.entity.propertiesByName[path[0]]
        for name in path.dropFirst() {
            value = (value as? [String: Any])?[name]
            property = (property as? NSCompositeAttributeDescription)?.elements.first { $0.name == name }
        }
        switch value {
        case nil: return false
        case let members as NSSet: return members.count > 0
        case let members as NSOrderedSet: return members.count > 0
        default:
            guard let attribute = property as? NSAttributeDescription, let standard = attribute.defaultValue else {
                return true
            }
            let kind = SlotKind(attribute.attributeType)
            if kind == .transformable { return !sameValue(value, standard) }
            return value.flatMap { SlotValue($0, as: kind) } != SlotValue(standard, as: kind)
        }
    }
}
