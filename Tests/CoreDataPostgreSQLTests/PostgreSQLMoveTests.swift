#if PostgreSQL
import CoreData
import Foundation
import MigrationTestKit
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLMoveTests {
    private static let model = """
        entity Book
          title string! = untitled
          pages int32
          price decimal
          weight float
          printed date
          inPrint bool
          code uuid
          cover data external
          author one Person.books
          tags many Tag.books
          chapters ordered Chapter.book
          shelves ordered Shelf.books
          notes many Note
        entity Chapter
          name string
          book one Book.chapters
        entity Note
          text string
        entity Person
          name string
          friends many Person.friends
          books many Book.author
        entity Writer : Person
          penName string
        entity Shelf
          room string
          books ordered Book.shelves
        entity Tag
          label string index
          books many Book.tags
        """

    /// Where a store in a folder is to move.
    private static func target(_ kind: StoreKind, in folder: URL) throws -> URL {
        kind == .postgreSQL
            ? try PostgreSQLServer.shared.get().url(ofDatabase: folder.lastPathComponent + "-moved")
            : folder.appendingPathComponent("Moved.sqlite")
    }

    private static func fill(_ context: NSManagedObjectContext, books: Int = 60) throws {
        let people = [
            context.make("Person", ["name": "Anna"]), context.make("Writer", ["name": "Bo", "penName": "B."]),
        ]
        people[0].setValue(NSSet(array: people), forKey: "friends")
        let tags = ["red", "blue", "green"].map { context.make("Tag", ["label": $0]) }
        let shelves = ["a", "b"].map { context.make("Shelf", ["room": $0]) }
        for number in 0..<books {
            let book = context.make("Book", ["title": "Book \(number) – größer", "pages": number * 100])
            book.setValue(NSDecimalNumber(string: "\(number).25"), forKey: "price")
            book.setValue(Float(number) / 3, forKey: "weight")
            // More than microseconds: these are rounded.
            book.setValue(Date(timeIntervalSinceReferenceDate: Double(number) * 1e7 + 0.123), forKey: "printed")
            if number % 3 != 0 { book.setValue(number % 2 == 0, forKey: "inPrint") }
            book.setValue(
                UUID(uuid: (UInt8(number % 256), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)), forKey: "code"
            )
            let size = number % 20 == 7 ? 200_000 : number
            book.setValue(Data(repeating: UInt8(number % 256), count: size), forKey: "cover")
            if number % 4 != 0 { book.setValue(people[number % 2], forKey: "author") }
            book.setValue(NSSet(array: Array(tags.prefix(number % 4))), forKey: "tags")
            book.setValue(NSOrderedSet(array: number % 2 == 0 ? shelves : shelves.reversed()), forKey: "shelves")
            let chapters = (0..<number % 3).map { context.make("Chapter", ["name": "\(number).\(2 - $0)"]) }
            book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
            book.setValue(NSSet(object: context.make("Note", ["text": "about \(number)"])), forKey: "notes")
        }
        // Keys have holes.
        try context.save()
        for note in try context.all("Note").prefix(3) { context.delete(note) }
        try context.save()
    }

    private static func keys(_ context: NSManagedObjectContext) throws -> [String] {
        try context.all("Book").map {
            "\($0.text("title") ?? "") \($0.objectID.uriRepresentation().lastPathComponent)"
        }
        .sorted()
    }

    @Test(
        "A moved store has the same objects, keys, places and metadata of the program, and takes new saves",
        arguments: [(StoreKind.sqlite, StoreKind.postgreSQL), (.postgreSQL, .sqlite), (.postgreSQL, .postgreSQL)])
    func moved(from: StoreKind, to: StoreKind) throws {
        try withTemporaryFolder { folder in
            let model = ModelText.model(Self.model)
            let url = try #require(from.url(in: folder))
            try withStore(url, model, type: from.type) { try Self.fill($0) }
            let before = try StoreText.lines(url, model, type: from.type)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(ofType: from.type, configurationName: nil, at: url)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            let keys = try context.performAndWait { try Self.keys(context) }
            var metadata = store.metadata ?? [:]
            metadata["Mine"] = "kept"
            coordinator.setMetadata(metadata, for: store)
            try context.performAndWait { try context.save() }
            let progress = Progress(totalUnitCount: -1)
            let target = try Self.target(to, in: folder)
            let moved = try coordinator.migratePersistentStore(
                store, to: target, options: [NSMigrationProgressOption: progress], withType: to.type)
            #expect(progress.fractionCompleted == 1)
            #expect(moved.metadata["Mine"] as? String == "kept")
            #expect(moved.metadata[NSStoreTypeKey] as? String == to.type)
            let after = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            after.persistentStoreCoordinator = coordinator
            try after.performAndWait {
                #expect(try Self.keys(after) == keys)
                // None of the keys that were given out comes again.
                let highest = try after.all("Note").compactMap {
                    Int($0.objectID.uriRepresentation().lastPathComponent.dropFirst())
                }.max()
                let note = after.make("Note", ["text": "new"])
                try after.save()
                let key = Int(note.objectID.uriRepresentation().lastPathComponent.dropFirst())
                #expect((key ?? 0) > (highest ?? .max))
                after.delete(note)
                try after.save()
            }
            try coordinator.remove(moved)
            #expect(try StoreText.lines(target, model, type: to.type) == before)
            #expect(before.count > 150)
            #expect(try StoreText.lines(url, model, type: from.type) == before)
        }
    }

    @Test("Values that PostgreSQL cannot hold are listed before anything is written")
    func unfit() throws {
        try withTemporaryFolder { folder in
            let model = ModelText.model(
                "entity Note\n  text string\n  time date\n  size int32\n  other one Note.others\n  others many Note.other"
            )
            let url = folder.appendingPathComponent("Notes.sqlite")
            try withStore(url, model) { context in
                for number in 0..<150 { context.make("Note", ["text": number < 120 ? "a\0b" : "fine"]) }
                context.make("Note", ["time": Date(timeIntervalSinceReferenceDate: 1e13)])
                context.make("Note", ["time": Date.distantFuture, "text": "also fine"])
                try context.save()
            }
            let target = try Self.target(.postgreSQL, in: folder)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            let error = #expect(throws: NSError.self) {
                try coordinator.migratePersistentStore(
                    store, to: target, options: nil, withType: NSPostgreSQLStoreType)
            }
            #expect(error?.code == NSMigrationError)
            #expect(error?.userInfo[NSMigrationUnfitValueCountErrorKey] as? Int == 121)
            let values = try #require(error?.userInfo[NSMigrationUnfitValuesErrorKey] as? [MigrationUnfitValue])
            #expect(values.count == 100)
            #expect(values.first?.entity == "Note")
            #expect(values.first?.property == "text")
            #expect(values.first?.reason == "is a text with the character U+0000")
            // The URI leads to the object.
            let id = try #require(
                values.first?.uri.flatMap { coordinator.managedObjectID(forURIRepresentation: $0) })
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            let text = try context.performAndWait { try context.existingObject(with: id).text("text") }
            #expect(text == "a\0b")
            #expect(coordinator.persistentStores == [store])
            let server = try PostgreSQLServer.shared.get()
            #expect(
                server.psql(
                    folder.lastPathComponent + "-moved",
                    "SELECT count(*) FROM pg_tables WHERE schemaname IN ('public', 'coredata')") == "0")
        }
    }

    private static let noise = Data((0..<4_500).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()

    @Test("A text that is too large for an index is listed before anything is written, unless it shrinks enough")
    func largeIndexed() throws {
        try withTemporaryFolder { folder in
            let model = ModelText.model("entity Note\n  text string index\n  more string")
            let url = folder.appendingPathComponent("Notes.sqlite")
            let noise = Self.noise
            try withStore(url, model) { context in
                for text in [noise, String(repeating: "a", count: 6_000)] {
                    context.make("Note", ["text": text, "more": noise])
                }
                try context.save()
            }
            let target = try Self.target(.postgreSQL, in: folder)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            func move() throws {
                try coordinator.migratePersistentStore(
                    store, to: target, options: nil, withType: NSPostgreSQLStoreType)
            }
            let error = #expect(throws: NSError.self) { try move() }
            let values = try #require(error?.userInfo[NSMigrationUnfitValuesErrorKey] as? [MigrationUnfitValue])
            #expect(values.map(\.property) == ["text"])
            #expect(values.first?.reason == "is a text of 6000 bytes, which is too large for an index")
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                let note = try #require(try context.all("Note", "text == %@", noise).first)
                note.setValue("short", forKey: "text")
                try context.save()
            }
            try move()
            // The error of a save names the index.
            try context.performAndWait {
                context.reset()
                let note = context.make("Note", ["text": noise])
                let error = #expect(throws: NSError.self) { try context.save() }
                #expect(error?.localizedDescription.contains("too large for the index “note_text_idx”") == true)
                note.setValue("b", forKey: "text")
                try context.save()
            }
        }
    }

    @Test("A store does not move into existing tables, with an error before anything is written")
    func existingTables() throws {
        try withTemporaryFolder { folder in
            let model = ModelText.model("entity Note\n  text string")
            let url = folder.appendingPathComponent("Notes.sqlite")
            try withStore(url, model) { context in
                context.make("Note", ["text": "a"])
                try context.save()
            }
            let target = try Self.target(.postgreSQL, in: folder)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            let error = #expect(throws: NSError.self) {
                try coordinator.migratePersistentStore(
                    store, to: target, options: [NSPostgreSQLExistingTablesOption: true],
                    withType: NSPostgreSQLStoreType)
            }
            #expect(error?.localizedDescription.contains("NSPostgreSQLExistingTablesOption") == true)
            #expect(coordinator.persistentStores == [store])
            let server = try PostgreSQLServer.shared.get()
            #expect(
                server.psql(
                    folder.lastPathComponent + "-moved",
                    "SELECT count(*) FROM pg_tables WHERE schemaname IN ('public', 'coredata')") == "0")
        }
    }

    @Test("A link to a row that is not there is listed, where the database demands one")
    func dangling() throws {
        try withTemporaryFolder { folder in
            let model = ModelText.model(Self.model)
            let url = folder.appendingPathComponent("Library.sqlite")
            try withStore(url, model) { try Self.fill($0, books: 3) }
            try RawDatabase(url).execute("UPDATE ZCHAPTER SET ZBOOK = 77; DELETE FROM ZTAG WHERE ZLABEL = 'red'")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            let error = #expect(throws: NSError.self) {
                try coordinator.migratePersistentStore(
                    store, to: Self.target(.postgreSQL, in: folder), options: nil, withType: NSPostgreSQLStoreType)
            }
            let values = try #require(error?.userInfo[NSMigrationUnfitValuesErrorKey] as? [MigrationUnfitValue])
            #expect(values.contains { $0.entity == "Chapter" && $0.property == "book" }, "\(values)")
            #expect(values.contains { $0.property == "tags" || $0.property == "books" }, "\(values)")
        }
    }

    @Test(
        "A store that is replaced by itself, with any other words in its address, stays as it is",
        arguments: [true, false])
    func replacedByItself(force: Bool) throws {
        let database = try TestDatabase()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let other = try #require(URL(string: database.url.absoluteString + "&application_name=other"))
        #expect(throws: NSError.self) {
            try coordinator.replacePersistentStore(
                at: other, withPersistentStoreFrom: database.url, ofType: NSPostgreSQLStoreType)
        }
        try withStore(database.url, LibraryModel.make(), type: NSPostgreSQLStoreType) { context in
            context.make("Tag", ["name": "a"])
            try context.save()
            for url in [database.url, other] {
                try coordinator.replacePersistentStore(
                    at: url, destinationOptions: [NSPersistentStoreForceDestroyOption: force],
                    withPersistentStoreFrom: database.url, ofType: NSPostgreSQLStoreType)
            }
            context.make("Tag", ["name": "b"])
            try context.save()
        }
        #expect(database.psql("SELECT string_agg(name, ',' ORDER BY name) FROM tag") == "a,b")
    }

    @Test("A move that is cancelled leaves nothing at its address")
    func cancelled() throws {
        try withTemporaryFolder { folder in
            let model = ModelText.model(Self.model)
            let url = folder.appendingPathComponent("Library.sqlite")
            try withStore(url, model) { try Self.fill($0, books: 3) }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            let progress = Progress(totalUnitCount: -1)
            progress.cancel()
            let target = try Self.target(.postgreSQL, in: folder)
            let error = #expect(throws: NSError.self) {
                try coordinator.migratePersistentStore(
                    store, to: target, options: [NSMigrationProgressOption: progress],
                    withType: NSPostgreSQLStoreType)
            }
            #expect(error?.code == NSMigrationCancelledError)
            #expect(coordinator.persistentStores == [store])
            // It can be made there.
            try withStore(target, model, type: NSPostgreSQLStoreType) { context in
                let books = try context.all("Book")
                #expect(books.isEmpty)
            }
        }
    }

    @Test("A replaced store is a copy of the other one; while a program has it open the error names that program")
    func replaced() throws {
        try withTemporaryFolder { folder in
            let model = ModelText.model(Self.model)
            let url = try #require(StoreKind.postgreSQL.url(in: folder))
            let target = try Self.target(.postgreSQL, in: folder)
            let type = NSPostgreSQLStoreType
            try withStore(url, model, type: type) { try Self.fill($0) }
            try withStore(target, ModelText.model("entity Other\n  name string"), type: type) { context in
                context.make("Other", ["name": "gone"])
                try context.save()
            }
            let before = try StoreText.lines(url, model, type: type)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            func replace() throws {
                try coordinator.replacePersistentStore(
                    at: target, destinationOptions: nil, withPersistentStoreFrom: url, sourceOptions: nil,
                    ofType: type)
            }
            try withStore(target, ModelText.model("entity Other\n  name string"), type: type) { context in
                let error = #expect(throws: NSError.self) { try replace() }
                #expect(error?.code == NSPersistentStoreTimeoutError)
                let count = try context.all("Other").count
                #expect(count == 1)
            }
            try replace()
            #expect(try StoreText.lines(target, model, type: type) == before)
            #expect(try StoreText.lines(url, model, type: type) == before)
            // Where there is none yet, too.
            try coordinator.destroyPersistentStore(at: target, ofType: type)
            try replace()
            #expect(try StoreText.lines(target, model, type: type) == before)
        }
    }

    @Test("A store does not replace one of the other kind: a file and a database are not copied as they lie")
    func otherKind() throws {
        try withTemporaryFolder { folder in
            let model = ModelText.model("entity Note\n  text string")
            let file = folder.appendingPathComponent("Notes.sqlite")
            let database = try Self.target(.postgreSQL, in: folder)
            for (url, type) in [(file, NSSQLiteStoreType), (database, NSPostgreSQLStoreType)] {
                try withStore(url, model, type: type) { context in
                    context.make("Note", ["text": type])
                    try context.save()
                }
            }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            for (target, source) in [(file, database), (database, file)] {
                for type in [NSSQLiteStoreType, NSPostgreSQLStoreType] {
                    let error = #expect(throws: NSError.self) {
                        try coordinator.replacePersistentStore(
                            at: target, withPersistentStoreFrom: source, ofType: type)
                    }
                    #expect(error?.code == NSPersistentStoreOpenError, "\(error as Any)")
                }
            }
            for (url, type) in [(file, NSSQLiteStoreType), (database, NSPostgreSQLStoreType)] {
                let texts = try withStore(url, model, type: type) { try $0.all("Note").map { $0.text("text") } }
                #expect(texts == [type])
            }
        }
    }

    @Test("A reader that goes through a table page by page has an index of the server's lead to each page")
    func pages() throws {
        let library = try Library(.postgreSQL)
        let store = try #require(library.store as? SQLStore)
        let server = try PostgreSQLServer.shared.get()
        let rows = """
            INSERT INTO tag (name) SELECT number FROM generate_series(1, 20000) number; \
            INSERT INTO book (title, entity) SELECT number, 'Book' FROM generate_series(1, 20000) number; \
            INSERT INTO book_tags (book_id, tag_id) SELECT b.id, t.id FROM book b JOIN tag t ON t.name = b.title; \
            ANALYZE
            """
        #expect(server.psql(library.database, rows) != nil)
        let url = try #require(StoreKind.postgreSQL.url(in: library.folder.url))
        let connection = try PostgreSQLConnection(
            #require(PostgreSQLAddress(url)), labels: EntityLabels(store.schema, store.layout))
        let end = TransferEnd(connection, store.layout, store.schema, name: "")
        let reader = TransferReader(end)
        try connection.transaction {
            let book = try #require(end.roots.first { $0.name == "Book" })
            var (last, count): (Int64, Int) = (0, 0)
            while case let rows = try reader.rows(of: book, after: last, limit: 100), let final = rows.last {
                last = final.key & ObjectKey.primaryKeyMask
                count += rows.count
            }
            #expect(count == 20_000)
            #expect(try reader.lastKey(of: book) == last)
            let tags = try #require(end.relationships.first { $0.relationship.name == "tags" })
            var (pair, pairs): (TransferPair?, Int) = (nil, 0)
            while case let some = try reader.pairs(of: tags, after: pair, limit: 100), let final = some.last {
                pair = final
                pairs += some.count
            }
            #expect(pairs == 20_000)
            #expect(try reader.lastPair(of: tags) == pair)
            let whole = try connection.texts(
                "SELECT sum(seq_scan) FROM pg_stat_xact_user_tables WHERE relname IN ('book', 'book_tags')")
            #expect(whole == ["0"])
        }
    }

    @Test(
        "A million rows take no more memory on their way than a tenth of them, both ways",
        .enabled(
            if: ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil, "OPENCOREDATA_LONG is not set"))
    func million() throws {
        let peaks = try [100_000, 1_000_000].map { try Self.peaks(ofMoving: $0) }
        // SQLite keeps 32 MB of its pages, which a tenth does not fill.
        for (tenth, whole) in zip(peaks[0], peaks[1]) { #expect(whole < tenth + 32_768) }
    }

    /// Moves so many books, and two pairs for each, to PostgreSQL and back: the most memory that either process has
    /// had, in kilobytes.
    private static func peaks(ofMoving books: Int) throws -> [Int] {
        try withTemporaryFolder { folder in
            let model = ModelText.model(CrashModels.older)
            let url = folder.appendingPathComponent("Library.sqlite")
            try withStore(url, model) { _ in }
            let database = try RawDatabase(url)
            try database.execute(CrashModels.makeRows(books: books))
            let target = try Self.target(.postgreSQL, in: folder)
            let back = folder.appendingPathComponent("Back.sqlite")
            let peaks = try [(url.path, target.absoluteString), (target.absoluteString, back.path)].map {
                source, destination in
                let start = ContinuousClock.now
                let child = try ChildProgram("migration-crash-child", [source, "move", destination])
                let output = child.wait().output
                #expect(output.hasSuffix("done\n"), "\(output)")
                let peak = output.split(separator: "\n").first { $0.hasPrefix("peak ") }?.split(separator: " ")[1]
                print("\(books) books and their pairs: \(ContinuousClock.now - start), peak \(peak ?? "?") kB")
                return try #require(peak.flatMap { Int($0) })
            }
            #expect(try RawDatabase(back).integer("SELECT count(*) FROM ZBOOK") == Int64(books))
            #expect(try RawDatabase(back).integer("SELECT count(*) FROM Z_1TAGS") == Int64(2 * books))
            return peaks
        }
    }
}
#endif
