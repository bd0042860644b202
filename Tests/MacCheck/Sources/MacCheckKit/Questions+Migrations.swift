import CoreData

extension Questions {
    private static let inferred: [String: any Sendable] = [
        NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ]

    static let aboutMigrations = [
        Question(
            "null-of-other-version", "`/dev/null/NAME` opened with another version of the model is not documented"
        ) { bench in
            let url = URL(fileURLWithPath: "/dev/null/mac-check-versions")
            var version = QuestionModel.Version()
            version.hasExtraColumn = true
            let coordinators = [QuestionModel.model(), QuestionModel.model(version)].map {
                NSPersistentStoreCoordinator(managedObjectModel: $0)
            }
            return outcome {
                for coordinator in coordinators {
                    _ = try coordinator.addPersistentStore(
                        ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: inferred)
                }
                return "opened"
            }
        },
        Question(
            "smaller-number",
            "An inferred migration is not documented for a stored value that does not fit the new number type"
        ) { bench in
            var version = QuestionModel.Version()
            version.number = .integer32
            let older = try bench.coordinator(QuestionModel.model(version))
            try bench.fill(older.context(), [("Item", ["number": 70_000])])
            older.close()
            return outcome {
                let context = try bench.coordinator(QuestionModel.model(), options: inferred).context()
                return try context.performAndWait {
                    try context.all("Item")[0].value(forKey: "number").map { "\($0)" } ?? "nil"
                }
            }
        },
        history(
            "history-of-removed-entity", "Persistent history after a migration that removes an entity is not documented"
        ) { $0.hasCards = false },
        history(
            "history-of-changed-columns",
            "Persistent history after a migration that changes an entity's columns is not documented"
        ) { $0.hasExtraColumn = true },
        Question(
            "stages-of-binary-store",
            "`NSPersistentStoreStagedMigrationManagerOptionKey` is not documented for XML, binary and other "
                + "atomic stores"
        ) { bench in
            let older = QuestionModel.model()
            var version = QuestionModel.Version()
            version.hasExtraColumn = true
            let newer = QuestionModel.model(version)
            try bench.coordinator(older, type: NSBinaryStoreType).close()
            let stage = NSCustomMigrationStage(
                migratingFrom: NSManagedObjectModelReference(model: older, versionChecksum: older.versionChecksum),
                to: NSManagedObjectModelReference(model: newer, versionChecksum: newer.versionChecksum))
            var options: [String: Any] = inferred
            options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager([stage])
            return outcome {
                let coordinator = try bench.coordinator(newer, type: NSBinaryStoreType, options: options)
                return "\(coordinator.persistentStores.count) opened"
            }
        },
        mapped(
            "repeated-migration",
            "`NSMigrationManager.migrateStore` is not documented for the repetition of a complete migration"
        ) { bench, migrate in
            try migrate()
            let result = outcome {
                try migrate(); return "migrated again"
            }
            let context = try bench.coordinator(QuestionModel.model(), "Target.sqlite").context()
            return "\(result); \(try context.performAndWait { try context.count("Item") }) items"
        },
        mapped(
            "migrated-metadata",
            "`NSMigrationManager.migrateStore` is not documented to keep parts of a store beside its rows"
        ) { bench, migrate in
            try migrate()
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: bench.url("Target.sqlite"), options: nil)
            return "entry \(metadata["own"] as? String ?? "nil")"
        },
        mapped(
            "migrated-ids",
            "`NSMigrationManager.migrateStore` is not documented to keep identifier, object ids and history"
        ) { bench, migrate in
            try migrate()
            let ids = try ["Store.sqlite", "Target.sqlite"].map { name in
                try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: NSSQLiteStoreType, at: bench.url(name), options: nil)[NSStoreUUIDKey] as? String ?? "nil"
            }
            let context = try bench.coordinator(QuestionModel.model(), "Target.sqlite").context()
            let keys = try context.performAndWait {
                try context.all("Item").map { $0.objectID.short }
            }
            return "\(ids[0] == ids[1] ? "same" : "new") identifier; \(keys.joined(separator: ", "))"
        },
        mapped(
            "throwing-policy", "`NSEntityMigrationPolicy` that throws is not documented to have an error code",
            policy: true
        ) { _, migrate in
            outcome {
                try migrate(); return "migrated"
            }
        },
    ]

    /// The history after a migration that changes the model.
    private static func history(
        _ name: String, _ row: String, _ change: @escaping @Sendable (inout QuestionModel.Version) -> Void
    ) -> Question {
        Question(name, row) { bench in
            let tracked: [String: Any] = [NSPersistentHistoryTrackingKey: true as NSNumber]
            let older = try bench.coordinator(options: tracked)
            let context = older.context()
            try context.performAndWait {
                let item = context.insert("Item", ["name": "a"])
                context.insert("Card", ["label": "c", "holder": item])
                try context.save()
                item.setValue("b", forKey: "name")
                try context.save()
                context.delete(try context.all("Card")[0])
                try context.save()
            }
            older.close()
            var version = QuestionModel.Version()
            change(&version)
            let newer = QuestionModel.model(version)
            return outcome {
                let options = tracked.merging(inferred) { $1 }
                return try bench.coordinator(newer, options: options).history().joined(separator: "; ")
            }
        }
    }

    /// A migration by a mapping model of a store with one item, whose key is 2.
    private static func mapped(
        _ name: String, _ row: String, policy: Bool = false,
        _ body: @escaping @Sendable (Bench, () throws -> Void) throws -> String
    ) -> Question {
        Question(name, row) { bench in
            let model = QuestionModel.model()
            let coordinator = try bench.coordinator(model)
            let context = coordinator.context()
            try bench.fill(context, [("Item", ["name": "a"]), ("Item", ["name": "b"])])
            let store = coordinator.persistentStores[0]
            coordinator.setMetadata(coordinator.metadata(for: store).merging(["own": "kept"]) { $1 }, for: store)
            try context.performAndWait {
                context.delete(try context.all("Item")[0])
                try context.save()
            }
            coordinator.close()
            let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: model, destinationModel: model)
            if policy {
                for entity in mapping.entityMappings ?? [] {
                    entity.mappingType = .customEntityMappingType
                    entity.entityMigrationPolicyClassName = NSStringFromClass(RefusingPolicy.self)
                }
            }
            return try body(bench) {
                try NSMigrationManager(sourceModel: model, destinationModel: model).migrateStore(
                    from: bench.url("Store.sqlite"), sourceType: NSSQLiteStoreType, options: nil, with: mapping,
                    toDestinationURL: bench.url("Target.sqlite"), destinationType: NSSQLiteStoreType,
                    destinationOptions: nil)
            }
        }
    }
}

/// A migration policy that takes no instance. The migration finds it by its name.
final class RefusingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource source: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        throw NSError(domain: "MacCheck", code: 7)
    }
}
