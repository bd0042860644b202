import CoreData

extension Questions {
    static let aboutStores = [
        Question(
            "configuration-default",
            "`NSPersistentStoreDescription.configuration` is documented as a name in the model, and other names are "
                + "not documented. Programs pass `Default`, the name in Xcode's editor"
        ) { bench in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: QuestionModel.model())
            return outcome {
                let store = try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: "Default", at: bench.url("Store.sqlite"), options: nil
                )
                return "opened as \(store.configurationName)"
            }
        },
        Question(
            "metadata-of-null", "`metadataForPersistentStore` at `/dev/null` is not documented"
        ) { _ in
            outcome {
                let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: NSSQLiteStoreType, at: URL(fileURLWithPath: "/dev/null"), options: nil)
                return "\(metadata.count) entries"
            }
        },
        Question("named-null", "`/dev/null/NAME` as the URL of a SQLite store is not documented") { bench in
            let url = URL(fileURLWithPath: "/dev/null/mac-check")
            return outcome {
                let first = NSPersistentStoreCoordinator(managedObjectModel: QuestionModel.model())
                let second = NSPersistentStoreCoordinator(managedObjectModel: QuestionModel.model())
                for coordinator in [first, second] {
                    _ = try coordinator.addPersistentStore(
                        ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
                }
                try bench.fill(first.context(), [("Item", ["name": "a"])])
                let context = second.context()
                return try context.performAndWait { "the second sees \(try context.count("Item"))" }
            }
        },
        Question(
            "entries-of-two",
            "`NSPersistentStore.metadata` is not documented to keep or overwrite entries that another coordinator has "
                + "changed since"
        ) { bench in
            let (first, second) = (try bench.coordinator(), try bench.coordinator())
            for (coordinator, key) in [(first, "first"), (second, "second")] {
                let store = coordinator.persistentStores[0]
                var metadata = coordinator.metadata(for: store)
                metadata[key] = "set"
                coordinator.setMetadata(metadata, for: store)
                let context = coordinator.context()
                try context.performAndWait {
                    context.insert("Item")
                    try context.save()
                }
            }
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: bench.url("Store.sqlite"), options: nil)
            return ["first", "second"].filter { metadata[$0] != nil }.joined(separator: ", ")
        },
        moved("moved-ids", NSSQLiteStoreType, "`migratePersistentStore` is not documented to keep the ids of objects"),
        moved(
            "moved-ids-other-type", NSBinaryStoreType,
            "`migratePersistentStore` to a store of another type is not documented to keep the ids of objects"),
        Question(
            "save-after-migration",
            "`NSManagedObjectContext.save()` after another coordinator has migrated the store is not documented"
        ) { bench in
            let (_, context) = try couple(bench)
            try migrateElsewhere(bench)
            return context.performAndWait {
                context.insert("Item")
                return outcome {
                    try context.save(); return "saved"
                }
            }
        },
        Question(
            "fetch-after-migration",
            "`NSManagedObjectContext.fetch(_:)` after another coordinator has migrated the store in place is not documented"
        ) { bench in
            let (_, context) = try couple(bench)
            try migrateElsewhere(bench)
            return context.performAndWait { outcome { try context.names("Item", "name != nil") } }
        },
        Question("names-by-case", "Names that differ in case only are not documented") { bench in
            let entity = NSEntityDescription()
            entity.name = "Thing"
            entity.managedObjectClassName = "NSManagedObject"
            entity.properties = [QuestionModel.attribute("item", .string), QuestionModel.attribute("Item", .string)]
            let model = NSManagedObjectModel()
            model.entities = [entity]
            let context = try bench.context(model)
            return context.performAndWait {
                context.insert("Thing", ["item": "small", "Item": "large"])
                return outcome {
                    try context.save()
                    context.reset()
                    let thing = try context.all("Thing")[0]
                    return "\(thing.value(forKey: "item") ?? "nil"), \(thing.value(forKey: "Item") ?? "nil")"
                }
            }
        },
    ]

    static let aboutFiles = [
        Question(
            "destroyed-nothing", "`destroyPersistentStore` of a SQLite store without a main file is not documented"
        ) { bench in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: QuestionModel.model())
            let result = outcome {
                try coordinator.destroyPersistentStore(
                    at: bench.url("Store.sqlite"), ofType: NSSQLiteStoreType, options: nil)
                return "destroyed"
            }
            let sizes = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).sorted()
            return "\(result); \(sizes.joined(separator: ", "))"
        },
        Question("linked-store", "A store behind a symbolic link is not documented") { bench in
            try link(bench)
            let coordinator = try bench.coordinator(QuestionModel.model(), "Link.sqlite")
            try bench.fill(coordinator.context(), [("Item", ["name": "a"])])
            return "\(try bench.files()); \(try bench.files(in: "Place"))"
        },
        Question(
            "destroyed-link", "`destroyPersistentStore` of a store behind a symbolic link is not documented"
        ) { bench in
            try link(bench)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: QuestionModel.model())
            let result = outcome {
                try coordinator.destroyPersistentStore(
                    at: bench.url("Link.sqlite"), ofType: NSSQLiteStoreType, options: nil)
                return "destroyed"
            }
            let isLink =
                (try? FileManager.default.destinationOfSymbolicLink(atPath: bench.url("Link.sqlite").path)) != nil
            return "\(result); the link \(isLink ? "is there" : "is gone")"
        },
        Question("missing-external-file", "A missing file of external data is not documented") { bench in
            let entity = NSEntityDescription()
            entity.name = "Thing"
            entity.managedObjectClassName = "NSManagedObject"
            let bytes = QuestionModel.attribute("bytes", .binaryData)
            bytes.allowsExternalBinaryDataStorage = true
            entity.properties = [bytes]
            let model = NSManagedObjectModel()
            model.entities = [entity]
            let context = try bench.context(model)
            try bench.fill(context, [("Thing", ["bytes": Data(count: 500_000)])])
            let files = bench.url(".Store_SUPPORT/_EXTERNAL_DATA")
            for name in try FileManager.default.contentsOfDirectory(atPath: files.path) {
                try FileManager.default.removeItem(at: files.appendingPathComponent(name))
            }
            return context.performAndWait {
                context.reset()
                return outcome { try context.all("Thing")[0].value(forKey: "bytes").map(PropertyText.text) ?? "nil" }
            }
        },
    ]

    /// Which keys objects have after their store was moved.
    private static func moved(_ name: String, _ type: String, _ row: String) -> Question {
        Question(name, row) { bench in
            let coordinator = try bench.coordinator()
            let context = coordinator.context()
            try bench.fill(context, [("Item", ["name": "a"]), ("Item", ["name": "b"])])
            try context.performAndWait {
                context.delete(try context.all("Item")[0])
                try context.save()
                context.reset()
            }
            return outcome {
                let store = try coordinator.migratePersistentStore(
                    coordinator.persistentStores[0], to: bench.url("Moved"), options: nil, withType: type)
                let again = coordinator.context()
                return try again.performAndWait {
                    let keys = try again.all("Item").map { $0.objectID.short }
                    return store.type == NSSQLiteStoreType ? keys.joined(separator: ", ") : "\(keys.count) objects"
                }
            }
        }
    }

    /// Migrates the bench's store by another coordinator, which adds a column.
    private static func migrateElsewhere(_ bench: Bench) throws {
        var version = QuestionModel.Version()
        version.hasExtraColumn = true
        try bench.coordinator(
            QuestionModel.model(version),
            options: [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
        ).close()
    }

    /// A store in the folder Place, and a link to it.
    private static func link(_ bench: Bench) throws {
        try FileManager.default.createDirectory(at: bench.url("Place"), withIntermediateDirectories: true)
        try bench.coordinator(QuestionModel.model(), "Place/Store.sqlite").close()
        try FileManager.default.createSymbolicLink(
            at: bench.url("Link.sqlite"), withDestinationURL: bench.url("Place/Store.sqlite"))
    }
}
