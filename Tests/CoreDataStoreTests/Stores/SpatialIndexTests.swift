import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Stores whose file has a spatial index as some of Apple's have; made here, because none is at hand.
@Suite("Spatial indexes of a store's file", .leavesNothingBehind)
struct SpatialIndexTests {
    private static let places = """
        entity Place
          name string
          latitude double
          longitude double
        entity Harbour : Place
          depth double
        entity Note
          text string
        """

    private static let index = """
        CREATE VIRTUAL TABLE Z_RT_Place_byPosition USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT, \
        ZLATITUDE_MAX FLOAT, ZLONGITUDE_MIN FLOAT, ZLONGITUDE_MAX FLOAT)
        """

    private func open(
        _ url: URL, _ text: String = places, options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(text))
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        return context
    }

    private func close(_ context: NSManagedObjectContext) throws {
        let coordinator = try #require(context.persistentStoreCoordinator)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// A store with a place and a note, and with an index over them.
    private func makeStore(at url: URL, index: String = index, triggers: [String] = []) throws {
        let context = try open(url)
        try context.performAndWait {
            context.make("Place", ["name": "a", "latitude": 1.0, "longitude": 2.0])
            context.make("Note", ["text": "n"])
            try context.save()
        }
        try close(context)
        let file = try RawDatabase(url)
        try file.execute(index)
        for trigger in triggers { try file.execute(trigger) }
        if index == Self.index {
            try file.execute("INSERT INTO Z_RT_Place_byPosition SELECT Z_PK, 1, 1, 2, 2 FROM ZPLACE")
        }
    }

    /// Whether the index holds the rows that have a position, and nothing else.
    private func expectInStep(_ url: URL, count: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let file = try RawDatabase(url)
        let held = try file.rows(
            "SELECT Z_PK, ZLATITUDE_MIN, ZLATITUDE_MAX, ZLONGITUDE_MIN, ZLONGITUDE_MAX FROM Z_RT_Place_byPosition "
                + "ORDER BY Z_PK")
        let rows = try file.rows(
            "SELECT Z_PK, ZLATITUDE, ZLATITUDE, ZLONGITUDE, ZLONGITUDE FROM ZPLACE "
                + "WHERE ZLATITUDE IS NOT NULL AND ZLONGITUDE IS NOT NULL ORDER BY Z_PK")
        #expect(held == rows, sourceLocation: sourceLocation)
        #expect(held.count == count, sourceLocation: sourceLocation)
    }

    @Test("Insertions, changes and deletions of objects reach an index without triggers, and the file gets none")
    func saves() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("p.sqlite")
            try makeStore(at: url)
            let context = try open(url)
            try context.performAndWait {
                let place = context.make("Place", ["name": "b", "latitude": 3.0, "longitude": 4.0])
                let harbour = context.make("Harbour", ["name": "c", "latitude": 5.0, "longitude": 6.0])
                context.make("Place", ["name": "nowhere"])
                context.make("Note", ["text": "m"])
                try context.save()
                try expectInStep(url, count: 3)
                place.setValue(7.5, forKey: "latitude")
                harbour.setValue(nil, forKey: "longitude")
                try context.save()
                try expectInStep(url, count: 2)
                harbour.setValue(8.0, forKey: "longitude")
                context.delete(place)
                try context.save()
                try expectInStep(url, count: 2)
            }
            try close(context)
            try expectInStep(url, count: 2)
            let file = try RawDatabase(url)
            #expect(try file.integer("SELECT COUNT(*) FROM sqlite_master WHERE type = 'trigger'") == 0)
        }
    }

    @Test("Batches reach it")
    func batches() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("p.sqlite")
            try makeStore(at: url)
            let context = try open(url)
            try context.performAndWait {
                let objects = (0..<20).map { ["latitude": Double($0), "longitude": 2.0] }
                try context.execute(NSBatchInsertRequest(entityName: "Harbour", objects: objects))
                try expectInStep(url, count: 21)
                let update = NSBatchUpdateRequest(entityName: "Place")
                update.predicate = NSPredicate(format: "latitude > 4")
                update.propertiesToUpdate = ["longitude": 8.0]
                try context.execute(update)
                try expectInStep(url, count: 21)
                let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Harbour")
                request.predicate = NSPredicate(format: "latitude < 10")
                try context.execute(NSBatchDeleteRequest(fetchRequest: request))
                try expectInStep(url, count: 11)
                try context.execute(
                    NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Place")))
                try expectInStep(url, count: 0)
            }
            try close(context)
        }
    }

    @Test("Triggers of the file keep the index alone, where it has them")
    func ownTriggers() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("p.sqlite")
            // The file's own rule is another one than ours: only what lies in the north.
            try makeStore(
                at: url,
                triggers: [
                    """
                    CREATE TRIGGER Z_RT_Place_byPosition_INSERT AFTER INSERT ON ZPLACE WHEN NEW.ZLATITUDE > 0 BEGIN \
                    INSERT INTO Z_RT_Place_byPosition VALUES (NEW.Z_PK, NEW.ZLATITUDE, NEW.ZLATITUDE, NEW.ZLONGITUDE, \
                    NEW.ZLONGITUDE); END
                    """
                ])
            let context = try open(url)
            try context.performAndWait {
                context.make("Place", ["latitude": 3.0, "longitude": 4.0])
                context.make("Place", ["latitude": -3.0, "longitude": 4.0])
                try context.save()
            }
            try close(context)
            #expect(try RawDatabase(url).integer("SELECT COUNT(*) FROM Z_RT_Place_byPosition") == 2)
        }
    }

    @Test("An index without its attributes keeps a store from opening, except for reading")
    func unknown() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("p.sqlite")
            try makeStore(
                at: url,
                index:
                    "CREATE VIRTUAL TABLE Z_RT_Place_byArea USING RTREE (Z_PK INTEGER PRIMARY KEY, ZAREA_MIN, ZAREA_MAX)"
            )
            let error = #expect(throws: NSError.self) { try open(url) }
            #expect(error?.code == NSPersistentStoreOpenError)
            #expect((error?.userInfo["reason"] as? String)?.contains("Z_RT_Place_byArea") == true)
            let context = try open(url, options: [NSReadOnlyPersistentStoreOption: true])
            #expect(try context.performAndWait { try context.all("Place").count } == 1)
            try close(context)
        }
    }

    private static var migrating: [String: Any] {
        [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            NSMigrationKnownVersionsOption: [ModelText.model(places)],
        ]
    }

    @Test("A migration that removes rows or rewrites the table leaves it in step")
    func migration() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("p.sqlite")
            try makeStore(at: url)
            let before = try open(url)
            try before.performAndWait {
                before.make("Harbour", ["latitude": 5.0, "longitude": 6.0, "depth": 3.0])
                try before.save()
            }
            try close(before)
            // Without harbours; the numbers of the entities move, and a value changes its form.
            let newer = """
                entity Anchor
                  text string
                entity Place
                  name string
                  latitude double
                  longitude float
                entity Note
                  text string
                """
            let context = try open(url, newer, options: Self.migrating)
            try expectInStep(url, count: 1)
            try context.performAndWait {
                context.make("Place", ["latitude": 7.0, "longitude": 8.0])
                try context.save()
            }
            try close(context)
            try expectInStep(url, count: 2)
        }
    }

    @Test(
        "A migration after which it cannot be kept drops it",
        arguments: [
            places.replacingOccurrences(of: "latitude double", with: "height double was latitude"),
            places.replacingOccurrences(of: "entity Place\n", with: "entity Spot was Place\n")
                .replacingOccurrences(of: ": Place", with: ": Spot"),
        ])
    func dropped(_ newer: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("p.sqlite")
            try makeStore(at: url)
            let context = try open(url, newer, options: Self.migrating)
            let entity = newer.contains("Spot") ? "Spot" : "Place"
            try context.performAndWait {
                context.make(entity, ["name": "b"])
                try context.save()
                #expect(try context.all(entity).count == 2)
            }
            try close(context)
            #expect(try RawDatabase(url).tables.filter { $0.hasPrefix("Z_RT_") }.isEmpty)
        }
    }

    @Test("A migration keeps the triggers that still fit, and drops the index with those that do not")
    func migrationWithTriggers() throws {
        try withTemporaryFolder { folder in
            let trigger = """
                CREATE TRIGGER Z_RT_Place_byPosition_DELETE AFTER DELETE ON ZPLACE WHEN OLD.Z_ENT = 3 BEGIN \
                DELETE FROM Z_RT_Place_byPosition WHERE Z_PK = OLD.Z_PK; END
                """
            for (name, newer, isKept) in [
                ("kept", Self.places + "\n  more string", true),
                ("moved", "entity Anchor\n  text string\n" + Self.places, false),
            ] {
                let url = folder.appendingPathComponent("\(name).sqlite")
                try makeStore(at: url, triggers: [trigger])
                try close(try open(url, newer, options: Self.migrating))
                let file = try RawDatabase(url)
                #expect(file.tables.contains("Z_RT_Place_byPosition") == isKept)
                #expect(
                    try file.integer("SELECT COUNT(*) FROM sqlite_master WHERE type = 'trigger'") == (isKept ? 1 : 0))
            }
        }
    }

    @Test("A migration by a mapping model leaves it out")
    func mappingModel() throws {
        try withTemporaryFolder { folder in
            let (url, target) = (folder.appendingPathComponent("p.sqlite"), folder.appendingPathComponent("new.sqlite"))
            try makeStore(at: url)
            let newer = Self.places + "\n  more string"
            let models = [Self.places, newer].map { ModelText.model($0) }
            let manager = NSMigrationManager(sourceModel: models[0], destinationModel: models[1])
            // Object by object. An inferred mapping would be carried out in a copy of the file.
            manager.usesStoreSpecificMigrationManager = false
            try manager.migrateStore(
                from: url, sourceType: NSSQLiteStoreType,
                with: .inferredMappingModel(forSourceModel: models[0], destinationModel: models[1]),
                toDestinationURL: target, destinationType: NSSQLiteStoreType)
            let context = try open(target, newer)
            #expect(try context.performAndWait { try context.all("Place").count } == 1)
            try close(context)
            #expect(try RawDatabase(target).tables.filter { $0.hasPrefix("Z_RT_") }.isEmpty)
        }
    }
}
