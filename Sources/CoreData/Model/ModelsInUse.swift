import Foundation

/// The models that coordinators of this process use, by which the entity of a class is found. Any thread may use it.
enum ModelsInUse {
    private struct Entry {
        weak var model: NSManagedObjectModel?
        /// The entities by class, made at first use. Making them looks up all classes, which are often not needed.
        var entitiesByClass: [ObjectIdentifier: [String]]?
    }

    private static let entries = Locked<[Entry]>([])

    /// Adds a model that has just been frozen.
    static func add(_ model: NSManagedObjectModel) {
        entries.withLock { entries in
            entries.removeAll { $0.model == nil }
            entries.append(Entry(model: model))
        }
    }

    /// The entities whose class this is, the model that came into use last at the end.
    static func entities(of managedClass: NSManagedObject.Type) -> [NSEntityDescription] {
        guard managedClass != NSManagedObject.self else { return [] }
        let found = known(managedClass)
        if !found.isEmpty { return found }
        ManagedClassLookup.learnModule(of: managedClass)
        return known(managedClass)
    }

    private static func known(_ managedClass: NSManagedObject.Type) -> [NSEntityDescription] {
        entries.withLock { entries in
            var found: [NSEntityDescription] = []
            for index in entries.indices {
                guard let model = entries[index].model else { continue }
                let byClass = entries[index].entitiesByClass ?? Self.entitiesByClass(of: model)
                // A class that was not found may be found once its module is registered, so only found classes are
                // kept.
                guard let names = byClass[ObjectIdentifier(managedClass)] else { continue }
                entries[index].entitiesByClass = byClass
                let byName = model.entitiesByName
                found += names.compactMap { byName[$0] }
            }
            return found
        }
    }

    private static func entitiesByClass(of model: NSManagedObjectModel) -> [ObjectIdentifier: [String]] {
        var result: [ObjectIdentifier: [String]] = [:]
        for entity in model.entities {
            result[ObjectIdentifier(ManagedClassLookup.managedClass(of: entity)), default: []].append(entity.name ?? "")
        }
        return result
    }
}
