#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(
    "Reads from standbys", .serialized, .waiting,
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct StandbyReadsTests {
    /// A store on a primary with one standby or more, and contexts of several coordinators.
    private struct Fixture {
        let cluster: PostgreSQLCluster
        let url: URL
        /// The objects that the store's own program uses.
        let coordinator: NSPersistentStoreCoordinator

        init(_ options: [AnyHashable: Any] = [:], standbys: Int = 1, settings: String = "") throws {
            cluster = try PostgreSQLCluster(
                standbys: standbys, isSynchronous: false, settings: "-c max_standby_streaming_delay=0 \(settings)")
            try cluster.make(database: "library")
            url = cluster.url(ofDatabase: "library")
            coordinator = try Self.open(url, options)
            // A standby without the database would be left alone for a while.
            for standby in 0..<standbys { try cluster.wait(for: standby + 1) }
        }

        static func open(_ url: URL, _ options: [AnyHashable: Any] = [:]) throws -> NSPersistentStoreCoordinator {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
            try coordinator.addPersistentStore(
                ofType: NSPostgreSQLStoreType, configurationName: nil, at: url, options: options)
            return coordinator
        }

        func context(
            readsFromStandbys: Bool = false, of coordinator: NSPersistentStoreCoordinator? = nil
        ) -> NSManagedObjectContext {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.performAndWait {
                context.persistentStoreCoordinator = coordinator ?? self.coordinator
                context.readsFromStandbys = readsFromStandbys
            }
            return context
        }

        /// Saves tags by way of a coordinator.
        func save(_ names: String..., by coordinator: NSPersistentStoreCoordinator? = nil) throws {
            let context = context(of: coordinator)
            try context.performAndWait {
                for name in names { context.make("Tag", ["name": name]) }
                try context.save()
            }
        }

        func names(_ context: NSManagedObjectContext, _ standbys: Bool? = nil) throws -> [String] {
            try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                request.readsFromStandbys = standbys
                return try context.fetch(request).compactMap { $0.value(forKey: "name") as? String }.sorted()
            }
        }
    }

    private static let isLong = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil

    @Test("A read after a save of the coordinator's shows it, however far the standby lags")
    func ownSaves() throws {
        let fixture = try Fixture(settings: "-c recovery_min_apply_delay=5")
        let (writer, reader) = (fixture.context(), fixture.context(readsFromStandbys: true))
        let id = try writer.performAndWait {
            let tag = writer.make("Tag", ["name": "0"])
            try writer.save()
            return tag.objectID
        }
        for number in 1...(Self.isLong ? 1_000 : 100) {
            try writer.performAndWait {
                try writer.existingObject(with: id).setValue("\(number)", forKey: "name")
                try writer.save()
            }
            // By a fetch, and by a fault.
            if number % 2 == 0 {
                #expect(try fixture.names(reader) == ["\(number)"])
            } else {
                try reader.performAndWait {
                    let tag = try reader.existingObject(with: id)
                    reader.refresh(tag, mergeChanges: false)
                    #expect(tag.value(forKey: "name") as? String == "\(number)")
                }
            }
            reader.performAndWait { reader.refreshAllObjects() }
        }
        // The read was sent to the standby, and not to the primary.
        let used = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'library' AND query LIKE '%tag%'"
        #expect(fixture.cluster.psql(1, "postgres", used) != "0")
    }

    @Test("Saves of other programs show later; a context reads the changes that it has merged")
    func othersSaves() throws {
        let fixture = try Fixture()
        try fixture.save("a")
        let reader = fixture.context(readsFromStandbys: true)
        let plain = fixture.context()
        try fixture.cluster.wait(for: 1)
        #expect(try fixture.names(reader) == ["a"])
        try fixture.cluster.tell("pause 1")
        let other = try Fixture.open(fixture.url)
        let saved = try other.managedObjectIDs(afterSaving: "b")
        #expect(try fixture.names(reader) == ["a"])
        #expect(try fixture.names(plain) == ["a", "b"])
        // A request has an option of its own.
        #expect(try fixture.names(reader, false) == ["a", "b"])
        #expect(try fixture.names(plain, true) == ["a"])
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSInsertedObjectIDsKey: saved], into: [reader])
        #expect(try fixture.names(reader) == ["a", "b"])
        try fixture.cluster.tell("resume 1")
        #expect(try fixture.names(reader) == ["a", "b"])
    }

    @Test("The primary is read where the standby does not come so far in time, or is gone")
    func passedOver() throws {
        let fixture = try Fixture([NSPostgreSQLStandbyTimeoutOption: 0.1])
        try fixture.save("a")
        let reader = fixture.context(readsFromStandbys: true)
        #expect(try fixture.names(reader) == ["a"])
        try fixture.cluster.tell("pause 1")
        try fixture.save("b")
        #expect(try fixture.names(reader) == ["a", "b"])
        try fixture.cluster.kill(1)
        try fixture.save("c")
        #expect(try fixture.names(reader) == ["a", "b", "c"])
        // A coordinator that has never met a standby reads as well.
        let other = fixture.context(readsFromStandbys: true, of: try Fixture.open(fixture.url))
        #expect(try fixture.names(other) == ["a", "b", "c"])
    }

    @Test("A standby that answers nothing any more is given up, and the primary is read")
    func frozen() throws {
        let fixture = try Fixture()
        try fixture.save("a")
        try fixture.cluster.wait(for: 1)
        let reader = fixture.context(readsFromStandbys: true)
        #expect(try fixture.names(reader) == ["a"])
        try fixture.cluster.tell("freeze 1")
        #expect(try fixture.names(reader) == ["a"])
        try fixture.save("b")
        #expect(try fixture.names(reader) == ["a", "b"])
        // A program that has met no standby yet, and states of the past.
        let other = fixture.context(readsFromStandbys: true, of: try Fixture.open(fixture.url))
        #expect(try fixture.names(other) == ["a", "b"])
        try other.performAndWait { try other.setQueryGenerationFrom(.current) }
        #expect(try fixture.names(other) == ["a", "b"])
    }

    /// More of a primary's log than what comes of a few saves.
    private static let muchLog = "SELECT pg_logical_emit_message(false, 'test', repeat('x', 10000000))"

    @Test("A standby that has more of a lost primary than the promoted one is not read")
    func ahead() throws {
        let fixture = try Fixture(standbys: 2)
        let cluster = fixture.cluster
        try fixture.save("before")
        let reader = fixture.context(readsFromStandbys: true)
        #expect(try fixture.names(reader) == ["before"])
        for standby in [1, 2] { try cluster.wait(for: standby) }
        try cluster.tell("stall 1")
        try fixture.save("lost", by: try Fixture.open(fixture.url))
        #expect(cluster.psql(0, "library", Self.muchLog) != nil)
        try cluster.wait(for: 2)
        try cluster.kill(0)
        try cluster.promote(1)
        try fixture.save("own")
        #expect(cluster.psql(2, "library", "SELECT count(*) FROM tag WHERE name = 'lost'") == "1")
        #expect(try fixture.names(reader) == ["before", "own"])
        let other = try Fixture.open(fixture.url)
        #expect(try fixture.names(fixture.context(readsFromStandbys: true, of: other)) == ["before", "own"])
        try fixture.save("another", by: other)
        let names = try fixture.names(fixture.context(readsFromStandbys: true, of: other))
        #expect(names == ["another", "before", "own"])
    }

    @Test("Programs that have found the new primary do not read a standby that still follows the old one")
    func split() throws {
        let fixture = try Fixture(standbys: 2)
        let cluster = fixture.cluster
        try fixture.save("before")
        for standby in [1, 2] { try cluster.wait(for: standby) }
        try cluster.promote(1)
        // This process has had no notification of the new primary.
        try fixture.save("old")
        #expect(cluster.psql(0, "library", Self.muchLog) != nil)
        while cluster.psql(2, "library", "SELECT count(*) FROM tag WHERE name = 'old'") != "1" {}
        let new = try Fixture.open(cluster.url(ofDatabase: "library", servers: [1, 2, 0]))
        try fixture.save("mine", by: new)
        let names = try fixture.names(fixture.context(readsFromStandbys: true, of: new))
        #expect(names == ["before", "mine"])
    }

    @Test("A save over a standby's rows that another program has changed since is a conflict")
    func conflict() throws {
        let fixture = try Fixture()
        try fixture.save("a")
        let reader = fixture.context(readsFromStandbys: true)
        try fixture.cluster.wait(for: 1)
        #expect(try fixture.names(reader) == ["a"])
        try fixture.cluster.tell("pause 1")
        let other = fixture.context(of: try Fixture.open(fixture.url))
        try other.performAndWait {
            try #require(try other.all("Tag").first).setValue("theirs", forKey: "name")
            try other.save()
        }
        try reader.performAndWait {
            reader.refreshAllObjects()
            let tag = try #require(try reader.all("Tag").first)
            #expect(tag.value(forKey: "name") as? String == "a")
            tag.setValue("mine", forKey: "name")
            let error = #expect(throws: NSError.self) { try reader.save() }
            #expect(error?.code == NSManagedObjectMergeError)
            reader.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try reader.save()
        }
        try fixture.cluster.tell("resume 1")
        #expect(try fixture.names(fixture.context()) == ["mine"])
    }

    @Test("A query generation on a standby is ended, and never wrong, when the server cancels it")
    func generations() throws {
        let fixture = try Fixture()
        try fixture.save("a", "b")
        let reader = fixture.context(readsFromStandbys: true)
        try reader.performAndWait { try reader.setQueryGenerationFrom(.current) }
        #expect(try fixture.names(reader) == ["a", "b"])
        try fixture.save("c")
        try fixture.cluster.wait(for: 1)
        reader.performAndWait { reader.refreshAllObjects() }
        #expect(try fixture.names(reader) == ["a", "b"])
        // The standby must remove what the generation shows.
        _ = fixture.cluster.psql(0, "library", "DELETE FROM tag WHERE name = 'a'")
        var error: NSError?
        while error == nil {
            // VACUUM removes the row once no transaction on the primary can see it any more.
            _ = fixture.cluster.psql(0, "library", "VACUUM tag")
            try fixture.cluster.wait(for: 1)
            reader.performAndWait { reader.refreshAllObjects() }
            do {
                #expect(try fixture.names(reader) == ["a", "b"])
            } catch let ended as NSError {
                error = ended
            }
        }
        #expect(error?.userInfo[NSPostgreSQLFailureKey] as? String == PostgreSQLFailure.generationEnded.rawValue)
        try reader.performAndWait { try reader.setQueryGenerationFrom(.current) }
        #expect(try fixture.names(reader) == ["b", "c"])
        try reader.performAndWait { try reader.setQueryGenerationFrom(nil) }
        #expect(try fixture.names(reader) == ["b", "c"])
    }

    @Test("A coordinator sets the default of its contexts; stores without standbys read themselves")
    func defaults() throws {
        let fixture = try Fixture()
        fixture.coordinator.readsFromStandbys = true
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait {
            context.persistentStoreCoordinator = fixture.coordinator
            #expect(context.readsFromStandbys)
            context.readsFromStandbys = false
        }
        let library = try Library(.sqlite)
        let plain = library.context()
        try plain.performAndWait {
            plain.readsFromStandbys = true
            plain.make("Tag", ["name": "a"])
            try plain.save()
            plain.refreshAllObjects()
            #expect(try plain.all("Tag").map { $0.value(forKey: "name") as? String } == ["a"])
            try plain.setQueryGenerationFrom(.current)
            #expect(try plain.all("Tag").count == 1)
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// The ids of a tag that a context of this coordinator saves.
    fileprivate func managedObjectIDs(afterSaving name: String) throws -> [NSManagedObjectID] {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        return try context.performAndWait {
            context.persistentStoreCoordinator = self
            let tag = context.make("Tag", ["name": name])
            try context.save()
            return [tag.objectID]
        }
    }
}
#endif
