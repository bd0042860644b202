import CoreData

/// A folder with `kit.json`, the models and the stores.
package struct KitFolder {
    package let url: URL
    package let kit: Kit

    package init(_ url: URL) throws {
        self.url = url
        kit = try JSONDecoder().decode(Kit.self, from: Data(contentsOf: url.appendingPathComponent("kit.json")))
    }

    package init(_ url: URL, kit: Kit) {
        self.url = url
        self.kit = kit
    }

    package func model(named name: String) throws -> NSManagedObjectModel {
        guard let part = kit.models.first(where: { $0.name == name }) else { throw KitError("no model \(name)") }
        guard let model = NSManagedObjectModel(contentsOf: url.appendingPathComponent(part.file)) else {
            throw KitError("\(part.file) is not read as a model")
        }
        return model
    }

    package func store(named name: String) throws -> StorePart {
        guard let part = kit.stores.first(where: { $0.name == name }) else { throw KitError("no store \(name)") }
        return part
    }

    /// Opens a store of the kit, or its copy in another folder.
    package func coordinator(
        _ part: StorePart, in folder: URL, readOnly: Bool = false, model: NSManagedObjectModel? = nil,
        options more: [String: Any] = [:]
    ) throws -> NSPersistentStoreCoordinator {
        let model = try model ?? self.model(named: part.model)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        var options: [String: Any] = more
        if readOnly { options[NSReadOnlyPersistentStoreOption] = true }
        if part.hasHistory { options[NSPersistentHistoryTrackingKey] = true as NSNumber }
        _ = try coordinator.addPersistentStore(
            ofType: part.type, configurationName: nil, at: folder.appendingPathComponent(part.file), options: options)
        return coordinator
    }

    /// Copies a store with the files beside it into another folder, and removes what was there.
    package func copy(_ part: StorePart, to folder: URL) throws {
        let place = url.appendingPathComponent(part.file).deletingLastPathComponent()
        let target = folder.appendingPathComponent(part.file).deletingLastPathComponent()
        try? FileManager.default.removeItem(at: target)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: place, to: target)
    }
}

extension NSPersistentStoreCoordinator {
    /// Removes all stores, so that their files are closed.
    package func close() {
        for store in persistentStores { try? remove(store) }
    }

    /// The transactions of the history, a line for each change.
    package func history() throws -> [String] {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = self
        return try context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
            return transactions.enumerated().flatMap { number, transaction in
                ["\(number + 1): by \(transaction.author ?? "nil")"]
                    + (transaction.changes ?? []).map { "\(number + 1): \($0.text)" }.sorted()
            }
        }
    }
}

extension NSPersistentHistoryChange {
    fileprivate var text: String {
        let name = changedObjectID.short
        switch changeType {
        case .insert: return "insert \(name)"
        case .update: return "update \(name) \((updatedProperties ?? []).map(\.name).sorted().joined(separator: ", "))"
        case .delete:
            let values = (tombstone ?? [:]).map { "\($0.key) \(PropertyText.text($0.value))" }.sorted()
            return "delete \(name) \(values.joined(separator: ", "))"
        @unknown default: return "unknown \(name)"
        }
    }
}
