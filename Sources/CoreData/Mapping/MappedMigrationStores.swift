import Foundation

/// Opens and closes the two stores of a migration.
struct MappedMigrationStores {
    let ends: MappedMigrationEnds

    private static let sourceConfiguration = "OpenCoreDataMigrationSource"

    func openSource(_ model: NSManagedObjectModel) throws -> NSPersistentStoreCoordinator {
        do {
            let configuration = try configurationOfSource(model)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            var options = withoutMigration(ends.sourceOptions)
            options[NSReadOnlyPersistentStoreOption] = true
            try coordinator.addPersistentStore(
                ofType: ends.sourceType, configurationName: configuration, at: ends.sourceURL, options: options)
            return coordinator
        } catch {
            throw MappingErrors.sourceStore(error, ends.sourceURL)
        }
    }

    /// A store may hold some of the model's entities only; the others are then left out.
    private func configurationOfSource(_ model: NSManagedObjectModel) throws -> String? {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: ends.sourceType, at: ends.sourceURL, options: ends.sourceOptions)
        guard let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else { return nil }
        let entities = model.entities.filter { hashes[$0.name ?? ""] != nil }
        if entities.count == model.entities.count || entities.isEmpty { return nil }
        if !model.isFrozen { model.setEntities(entities, forConfigurationName: Self.sourceConfiguration) }
        return model.configurations.contains(Self.sourceConfiguration) ? Self.sourceConfiguration : nil
    }

    func openDestination(_ model: NSManagedObjectModel) throws -> NSPersistentStoreCoordinator {
        do {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            var options = withoutMigration(ends.destinationOptions)
            options[NSReadOnlyPersistentStoreOption] = nil
            try coordinator.addPersistentStore(
                ofType: ends.destinationType, configurationName: ends.destinationConfiguration, at: ends.destinationURL,
                options: options)
            return coordinator
        } catch {
            throw MappingErrors.destinationStore(error, ends.destinationURL)
        }
    }

    /// The stores are opened as they are.
    private func withoutMigration(_ options: [AnyHashable: Any]?) -> [AnyHashable: Any] {
        var options = options ?? [:]
        for key in [
            NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
            NSMigrationProgressOption,
        ] {
            options[key] = nil
        }
        return options
    }

    /// After this all of a store is in its main file.
    func close(_ coordinator: NSPersistentStoreCoordinator) {
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }

    func removeDestination() {
        if ends.destinationURL.isFileURL { try? SQLiteStoreFiles(ends.destinationURL).removeRemains() }
    }

    /// What the application has put beside the store's own metadata is there in the new store, too.
    func carryMetadata() throws {
        let source = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: ends.sourceType, at: ends.sourceURL, options: ends.sourceOptions)
        var destination = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: ends.destinationType, at: ends.destinationURL, options: ends.destinationOptions)
        let own = source.filter { key, _ in
            !key.hasPrefix("NS") && !key.hasPrefix("_NS") && destination[key] == nil
        }
        if own.isEmpty { return }
        destination.merge(own) { first, _ in first }
        try NSPersistentStoreCoordinator.setMetadata(
            destination, forPersistentStoreOfType: ends.destinationType, at: ends.destinationURL,
            options: ends.destinationOptions)
    }
}
