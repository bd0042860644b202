#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLSavingTests {
    /// How often the connection that writes waits for the server while a context saves; ids are reserved before.
    private static func trips(_ library: Library, _ context: NSManagedObjectContext) throws -> Int {
        let store = try #require(library.store as? SQLStore)
        func count() throws -> Int {
            try store.writing { try #require($0 as? PostgreSQLConnection).roundTrips }
        }
        try context.obtainPermanentIDs(for: Array(context.insertedObjects))
        let before = try count()
        try context.save()
        return try count() - before
    }

    /// Makes, changes and deletes so many objects in three saves, with links of every kind.
    private static func works(_ library: Library, _ count: Int) throws -> [Int] {
        let context = library.context()
        return try context.performAndWait {
            var trips: [Int] = []
            let tags = (0..<3).map { context.make("Tag", ["name": "tag \($0)"]) }
            let authors = (0..<10).map { context.make("Author", ["name": "author \($0)"]) }
            let books = (0..<count).map { number in
                context.make(
                    number % 2 == 0 ? "Novel" : "Book",
                    ["title": "book \(number)", "author": authors[number % 10], "tags": NSSet(array: tags)])
            }
            trips.append(try Self.trips(library, context))
            for (number, book) in books.enumerated() { book.setValue(number, forKey: "pages") }
            books[0].setValue(NSSet(), forKey: "tags")
            trips.append(try Self.trips(library, context))
            for book in books { context.delete(book) }
            trips.append(try Self.trips(library, context))
            return trips
        }
    }

    @Test("A save of any size waits for the server twice", arguments: [1, Sample.isWhole ? 3_000 : 300])
    func roundTrips(count: Int) throws {
        let library = try Library(.postgreSQL, options: [NSPersistentHistoryTrackingKey: true])
        // The first time the statements are prepared.
        _ = try Self.works(library, count)
        let trips = try Self.works(library, count)
        #expect(trips == [2, 2, 2])
        #expect(try library.saved("Book", "title") == [])
        #expect(try library.saved("Author", "name").count == 20)
    }

    /// Large values of every size, and such as a file of SQLite's would take for its own signs.
    static let largeValues = [
        Data(), Data([1]), Data([2]) + Data(UUID().uuidString.utf8) + Data([0]), Data([1, 2, 3]),
        Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 7) }),
    ]

    @Test("Large values lie in the row as they are, and are in conflicts as they were saved")
    func largeValues() throws {
        let library = try Library(
            .postgreSQL, model: ModelText.model("entity Picture\n  name string\n  bytes data external"))
        func value(_ context: NSManagedObjectContext, _ object: NSManagedObject?) -> Data? {
            object?.value(forKey: "bytes") as? Data
        }
        let (context, other) = (library.context(), try library.beside().context())
        let server = try PostgreSQLServer.shared.get()
        let database = library.database
        for (number, large) in Self.largeValues.enumerated() {
            let name = "picture \(number)"
            let second = Data([1, 1]) + large
            let picture = try context.performAndWait {
                let picture = context.make("Picture", ["name": name, "bytes": large])
                try context.save()
                return picture
            }
            let stored = "SELECT translate(encode(bytes, 'base64'), E'\\n', '') FROM picture WHERE name = '\(name)'"
            #expect(server.psql(database, stored) == large.base64EncodedString())
            try other.performAndWait {
                let same = try #require(try other.all("Picture", "name == %@", name).first)
                #expect(value(other, same) == large)
                same.setValue(second, forKey: "bytes")
                try other.save()
            }
            try context.performAndWait {
                picture.setValue(Data([9]), forKey: "bytes")
                let error = try #require(throws: NSError.self) { try context.save() }
                let conflict = try #require(
                    (error.userInfo["conflictList"] as? [NSMergeConflict])?.first)
                #expect(conflict.cachedSnapshot?["bytes"] as? Data == large)
                #expect(conflict.persistedSnapshot?["bytes"] as? Data == second)
                context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
                try context.save()
                context.mergePolicy = NSMergePolicy.error
                context.refresh(picture, mergeChanges: false)
                #expect(value(context, picture) == second)
            }
        }
    }

    @Test("Saves of the same rows in opposite orders are in conflict or succeed, and none fails otherwise")
    func oppositeOrders() throws {
        let library = try Library(.postgreSQL)
        let context = library.context()
        try context.performAndWait {
            for number in 0..<20 { context.make("Tag", ["name": "\(number)"]) }
            for number in 0..<20 { context.make("Author", ["name": "\(number)"]) }
            try context.save()
        }
        let (saved, failures) = (Locked(0), Locked<[String]>([]))
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            do {
                let mine = try library.beside().context()
                try mine.performAndWait {
                    for round in 0..<25 {
                        var objects = try mine.all("Tag") + mine.all("Author")
                        if worker % 2 == 0 { objects.reverse() }
                        for object in objects { object.setValue("\(worker) \(round)", forKey: "name") }
                        do {
                            try mine.save()
                            saved.withLock { $0 += 1 }
                        } catch let error as NSError where error.code == NSManagedObjectMergeError {
                            mine.reset()
                        }
                    }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(saved.withLock { $0 } > 0)
        // All rows of one save, or none.
        let names = try library.saved("Tag", "name") + library.saved("Author", "name")
        #expect(Set(names).count == 1)
    }

    @Test("A save that relates to an object that another save has deleted in between is in conflict")
    func deletedTarget() throws {
        let library = try Library(.postgreSQL)
        let (first, second) = (library.context(), try library.beside().context())
        let author = try first.performAndWait {
            let author = first.make("Author", ["name": "gone"])
            try first.save()
            return author
        }
        try second.performAndWait {
            let mine = try #require(try second.all("Author").first)
            second.make("Novel", ["title": "late", "author": mine])
        }
        try first.performAndWait {
            first.delete(author)
            try first.save()
        }
        second.performAndWait {
            let error = #expect(throws: NSError.self) { try second.save() }
            #expect(error?.code == NSManagedObjectMergeError)
        }
        #expect(try library.saved("Book", "title") == [])
    }

    @Test(
        "A save of a model that derives attributes from several rows waits for other saves, and no other save does",
        arguments: [true, false])
    func derivations(derivesOfOthers: Bool) throws {
        let model = LibraryModel.make()
        let derived = NSDerivedAttributeDescription()
        (derived.name, derived.isOptional) = ("derived", true)
        derived.attributeType = derivesOfOthers ? .integer64AttributeType : .stringAttributeType
        let format = derivesOfOthers ? "books.@count" : "uppercase:(name)"
        derived.derivationExpression = CoreData.NSExpression(format: format)
        model.entitiesByName["Author"]?.properties.append(derived)
        let library = try Library(.postgreSQL, model: model)
        let server = try PostgreSQLServer.shared.get()
        let database = library.database
        // As a save does that has not committed yet: the number is "OpenCore" in ASCII.
        let address = try #require(PostgreSQLAddress(server.url(ofDatabase: database)))
        let saver = try PostgreSQLConnection(address)
        try saver.execute("BEGIN; SELECT pg_advisory_xact_lock_shared(\(0x4F70_656E_436F_7265))")
        let (isSaved, failures, group) = (Locked(false), Locked<[String]>([]), DispatchGroup())
        let context = library.context()
        group.enter()
        Thread.detachNewThread {
            context.performAndWait {
                context.make("Author", ["name": "a"])
                do { try context.save() } catch { failures.withLock { $0.append("\(error)") } }
            }
            isSaved.withLock { $0 = true }
            group.leave()
        }
        let waiting = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            """
        while !isSaved.withLock({ $0 }), server.psql(database, waiting) != "1" {}
        #expect(isSaved.withLock { $0 } == !derivesOfOthers)
        try saver.execute("COMMIT")
        group.wait()
        #expect(failures.withLock { $0 } == [])
        #expect(try library.saved("Author", "derived") == [derivesOfOthers ? "0" : "A"])
    }
}
#endif
