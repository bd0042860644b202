import CoreData
import Foundation

/// Repairs the findings of a verification, in a store that no other process uses.
final class RepairPass {
    private let context: NSManagedObjectContext
    private let coordinator: NSPersistentStoreCoordinator
    private let file: NSPersistentStore
    private let store: ResolvedStore
    /// The actions, by the indexes of the findings.
    private var done: [Int: String] = [:]

    init(_ store: ResolvedStore) throws {
        self.store = store
        let reading = try store.context()
        let keepsHistory = try reading.performAndWait { try store.keepsHistory(reading) }
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model.loose())
        file = try store.reading { [coordinator] in
            try coordinator.addPersistentStore(
                ofType: store.address.type, configurationName: nil, at: store.url,
                options: [
                    NSIgnorePersistentStoreVersioningOption: true, NSPersistentHistoryTrackingKey: keepsHistory,
                ])
        }
        // The model for writing differs from the store's own.
        if store.address.isInTables { coordinator.setMetadata(store.metadata, for: file) }
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.undoManager = nil
        context.transactionAuthor = "coredata repair"
    }

    /// Repairs findings if possible, saves, and closes the store.
    ///
    /// - Returns: the actions, by the indexes of the findings.
    func repair(_ findings: [StoreFinding]) throws -> [Int: String] {
        try context.performAndWait {
            try repairRows(findings)
            var links: [OneSidedLinks.Link] = []
            for (place, finding) in findings.enumerated() {
                try Interruption.check()
                switch finding.repair {
                case .unlink(let id, let relationship, let target):
                    try unlink(at: place, id: id, relationship: relationship, target: target)
                case .match(let id, let relationship, let target):
                    links += try link(at: place, id: id, relationship: relationship, target: target).map { [$0] } ?? []
                case .clear(let id, let attribute): try clear(place, id, attribute)
                case .derive(let id, let attribute): try derive(place, id, attribute)
                case .irregular, nil: break
                }
            }
            done.merge(OneSidedLinks(links).resolve()) { first, _ in first }
            try Interruption.check()
            try store.reading {
                if context.hasChanges { try context.save() }
                context.reset()
                try coordinator.remove(file)
                if !store.address.isInTables {
                    try NSPersistentStoreCoordinator.setMetadata(
                        store.metadata, type: NSPersistentStore.StoreType(rawValue: store.address.type), at: store.url)
                }
            }
        }
        return done
    }

    private func repairRows(_ findings: [StoreFinding]) throws {
        var places: [StoreIrregularity: Int] = [:]
        for (place, finding) in findings.enumerated() {
            if case .irregular(let irregularity) = finding.repair { places[irregularity] = place }
        }
        if places.isEmpty { return }
        let left = try store.reading { try coordinator.mend(Array(places.keys), in: file) }
        for (irregularity, place) in places where !left.contains(irregularity) {
            done[place] =
                switch irregularity.kind {
                case .counter: "raised"
                case .link: "link removed"
                case .encoding: "\u{FFFD} stands in their place"
                case .entity, .value: "set to nil"
                }
        }
    }

    /// The object of an id of another coordinator; nil if it cannot be read.
    private func object(_ id: NSManagedObjectID) -> NSManagedObject? {
        coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())
            .flatMap { try? context.existingObject(with: $0) }
    }

    private func unlink(
        at place: Int, id: NSManagedObjectID, relationship: String, target: NSManagedObjectID
    ) throws {
        guard let object = object(id), let description = object.entity.relationshipsByName[relationship],
            let missing = coordinator.managedObjectID(forURIRepresentation: target.uriRepresentation())
        else { return }
        try store.reading {
            try context.readingFaults {
                OneSidedLinks.remove(context.object(with: missing), from: object, description)
            }
        }
        done[place] = description.isToMany ? "link removed" : "set to nil"
    }

    private func link(
        at place: Int, id: NSManagedObjectID, relationship: String, target: NSManagedObjectID
    ) throws -> OneSidedLinks.Link? {
        guard let object = object(id), let target = self.object(target),
            let description = object.entity.relationshipsByName[relationship],
            let name = store.model.entitiesByName[object.entity.name ?? ""]?.relationshipsByName[relationship]?
                .inverseRelationship?.name, let inverse = target.entity.relationshipsByName[name]
        else { return nil }
        return OneSidedLinks.Link(
            place: place, object: object, relationship: description, target: target, inverse: inverse)
    }

    private func clear(_ place: Int, _ id: NSManagedObjectID, _ attribute: String) throws {
        guard let object = object(id), let entity = object.entity.name else { return }
        if store.address.isInTables {
            // The object reads as without a value, while its row has the file's name.
            let request = NSBatchUpdateRequest(entityName: entity)
            request.predicate = NSPredicate(format: "SELF == %@", object.objectID)
            request.propertiesToUpdate = [attribute: NSExpression(forConstantValue: nil)]
            _ = try store.reading { try context.execute(request) }
        } else {
            object.setValue(nil, forKey: attribute)
        }
        done[place] = "set to nil"
    }

    private func derive(_ place: Int, _ id: NSManagedObjectID, _ attribute: String) throws {
        guard let object = object(id) else { return }
        // The value that is set here does not matter, because saving computes it.
        object.setValue(nil, forKey: attribute)
        done[place] = "computed anew"
    }
}
