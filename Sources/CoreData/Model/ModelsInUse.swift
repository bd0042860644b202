import Foundation

/// The models that coordinators of this process work with, so that a class can name its entity. Any thread may ask.
enum ModelsInUse {
    private struct Entry {
        weak var model: NSManagedObjectModel?
        /// The entities by class, made at the first question: classes may be asked for long before or never.
        var entitiesByClass: [ObjectIdentifier: [String]]?
    }

    private static let lock = NSLock()
    // nonisolated(unsafe): read and written under `lock` only.
    nonisolated(unsafe) private static var entries: [Entry] = []

    /// Takes note of a model that has just been frozen.
    static func add(_ model: NSManagedObjectModel) {
        lock.lock()
        defer { lock.unlock() }
        entries.removeAll { $0.model == nil }
        entries.append(Entry(model: model))
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
        lock.lock()
        defer { lock.unlock() }
        var found: [NSEntityDescription] = []
        for index in entries.indices {
            guard let model = entries[index].model else { continue }
            let byClass = entries[index].entitiesByClass ?? Self.entitiesByClass(of: model)
            // A class that is not there yet may be found once its module is known: only finds are kept.
            guard let names = byClass[ObjectIdentifier(managedClass)] else { continue }
            entries[index].entitiesByClass = byClass
            let byName = model.entitiesByName
            found += names.compactMap { byName[$0] }
        }
        return found
    }

    private static func entitiesByClass(of model: NSManagedObjectModel) -> [ObjectIdentifier: [String]] {
        var result: [ObjectIdentifier: [String]] = [:]
        for entity in model.entities {
            result[ObjectIdentifier(ManagedClassLookup.managedClass(of: entity)), default: []].append(entity.name ?? "")
        }
        return result
    }
}
