#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct ExplicitKeysTests {
    private let library: Library

    init() throws { library = try Library(.postgreSQL) }

    private func psql(_ statement: String) throws -> String? { try library.psql(statement) }

    private func save(_ count: Int, in context: NSManagedObjectContext) throws {
        try context.performAndWait {
            for _ in 0..<count { context.make("Tag", ["name": "context"]) }
            try context.save()
        }
    }

    @Test(
        "Rows that psql inserts under keys ahead of the sequence cause no conflict",
        arguments: [1_000, 900_000_000])
    func ahead(last: Int) throws {
        let context = library.context()
        try save(1, in: context)
        let rows = "SELECT n, 'psql' FROM generate_series(65, 300) n UNION SELECT \(last), 'psql'"
        #expect(try psql("INSERT INTO tag (id, name) \(rows)") == "INSERT 0 237")
        try save(200, in: context)
        for _ in 0..<70 { try save(1, in: context) }
        try save(100, in: library.beside().context())
        try context.performAndWait {
            let rows = (0..<100).map { _ in ["name": "context"] }
            try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: rows))
        }
        #expect(try psql("SELECT count(*) FROM tag WHERE name = 'context'") == "471")
    }

    @Test(
        "A row under one of the last keys keeps no program from inserting, whether the store is copied or not",
        arguments: [1, 64, 65, 1_000])
    func last(distance: Int64) throws {
        let key = (1 << 48) - distance
        #expect(try psql("INSERT INTO tag (id, name) VALUES (\(key), 'psql'), (2, 'psql')") == "INSERT 0 2")
        let context = library.context()
        for _ in 0..<3 { try save(70, in: context) }
        #expect(try psql("SELECT count(*), max(id) FROM tag") == "212|\(key)")
        #expect(try psql("SELECT count(*) FROM tag WHERE name = 'context' AND id > 1000") == "0")
        let copy = try Library(.postgreSQL)
        for store in copy.coordinator.persistentStores { try copy.coordinator.remove(store) }
        let kind = StoreKind.postgreSQL
        try copy.coordinator.replacePersistentStore(
            at: #require(kind.url(in: copy.folder.url)),
            withPersistentStoreFrom: #require(kind.url(in: library.folder.url)), ofType: NSPostgreSQLStoreType)
        try save(70, in: Library(kind, in: copy.folder).context())
        #expect(try copy.psql("SELECT count(*) FROM tag WHERE name = 'context' AND id < 1000") == "280")
    }

    @Test(
        "A role that may only write rows continues behind another program's keys", arguments: [false, true])
    func rights(maySet: Bool) throws {
        let role = "writer_\(UUID().uuidString.prefix(8).lowercased())"
        let sequences = maySet ? "USAGE, UPDATE" : "USAGE"
        _ = try #require(
            try psql(
                """
                CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA coredata, public TO \(role);
                GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA coredata, public TO \(role);
                GRANT \(sequences) ON ALL SEQUENCES IN SCHEMA coredata, public TO \(role);
                INSERT INTO tag (id, name) SELECT 64 * n + 1, 'psql' FROM generate_series(0, 10100) n;
                INSERT INTO tag (id, name) VALUES (900000000, 'psql');
                """))
        defer { _ = try? psql("DROP OWNED BY \(role); DROP ROLE \(role)") }
        // Not by way of the pooler, which has a user of its own.
        let url = try PostgreSQLServer.shared.get().url(ofDatabase: library.database).absoluteString
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil,
            at: URL(string: url.replacingOccurrences(of: "user=postgres", with: "user=\(role)")))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        for _ in 0..<2 { try save(100, in: context) }
        // The next key follows all of them.
        let keys = "SELECT count(*) FROM tag WHERE name = 'context' AND id > \(maySet ? 900_000_000 : 646_400)"
        #expect(try psql(keys) == "200")
        #expect(try psql("SELECT count(*) FROM tag WHERE id > 900000000") == (maySet ? "200" : "0"))
    }

    @Test("Rows that psql inserts under keys that were taken before cost a save new keys, and nothing else")
    func taken() throws {
        let context = library.context()
        try save(1, in: context)
        #expect(
            try psql("INSERT INTO tag (id, name) SELECT n, 'psql' FROM generate_series(2, 64) n") == "INSERT 0 63")
        try context.performAndWait {
            let tag = context.make("Tag", ["name": "context"])
            context.make("Book", ["title": "b", "tags": Set([tag])])
            try context.save()
            #expect(!tag.objectID.isTemporaryID)
            tag.setValue("changed", forKey: "name")
            try context.save()
        }
        #expect(
            try psql("SELECT t.name, t.id > 64 FROM book_tags JOIN tag t ON t.id = tag_id") == "changed|t")
    }

    @Test("A reference to a row under a key that was taken before still leads to it after the save")
    func takenByDestination() throws {
        let context = library.context()
        try context.performAndWait {
            context.make("Author", ["name": "first"])
            try context.save()
        }
        #expect(try psql("INSERT INTO author (id, name) VALUES (2, 'psql')") == "INSERT 0 1")
        try context.performAndWait {
            let author = try #require(try context.all("Author", "name == 'psql'").first)
            let (book, new) = (context.make("Book", ["title": "b"]), context.make("Author", ["name": "new"]))
            let other = context.make("Book", ["title": "c", "author": new])
            book.setValue(author, forKey: "author")
            try context.save()
            #expect(book.value(forKey: "author") as? NSManagedObject === author)
            #expect(other.value(forKey: "author") as? NSManagedObject === new)
            context.checkInvariants()
        }
        let beside = try library.beside().context()
        try beside.performAndWait {
            for (title, name) in [("b", "psql"), ("c", "new")] {
                let book = try #require(try beside.all("Book", "title == %@", title).first)
                let author = book.value(forKey: "author") as? NSManagedObject
                #expect(author?.value(forKey: "name") as? String == name)
            }
        }
    }

    @Test(
        "A key that no object can have is refused by the table, and named where its owner lets it in",
        arguments: [0, 1 << 48])
    func beyond(key: Int64) throws {
        let context = library.context()
        try save(1, in: context)
        let insertion = "INSERT INTO tag (id, name) VALUES (\(key), 'beyond')"
        #expect(try psql(insertion) == nil)
        #expect(try psql("ALTER TABLE tag DROP CONSTRAINT tag_entity_check; \(insertion)") != nil)
        func expectNamed(_ work: () throws -> Void) {
            let error = #expect(throws: NSError.self) { try work() }
            #expect(error?.code == CocoaError.Code.fileReadCorruptFile.rawValue)
            let text = error?.localizedDescription ?? ""
            #expect(text.contains("“tag” holds the key \(key),"), "\(text)")
        }
        try context.performAndWait {
            expectNamed { _ = try context.all("Tag") }
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Tag")
            ids.resultType = .managedObjectIDResultType
            expectNamed { _ = try context.fetch(ids) }
            let deletion = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Tag"))
            deletion.resultType = .resultTypeObjectIDs
            expectNamed { _ = try context.execute(deletion) }
            #expect(try psql("SELECT count(*) FROM tag") == "2")
            #expect(try psql("DELETE FROM tag WHERE id = \(key)") != nil)
            let count = try context.all("Tag").count
            #expect(count == 1)
        }
    }

    @Test(
        "A row that a table without its check has let in stops a migration, and is named, by the forecast too",
        arguments: Sample.slice(
            [
                ("0, 'Tag'", "“tag” holds the key 0,"),
                ("281474976710656, 'Tag'", "“tag” holds the key 281474976710656,"),
                ("-5, 'Tag'", "“tag” holds the key -5,"),
                ("9, 'Label'", "a row, with the key 9, of “Label”, which is no entity of the table"),
            ], oneIn: 2, "keys"))
    func migrated(row: String, what: String) throws {
        try save(1, in: library.context())
        try library.coordinator.remove(library.store)
        let insertion = "INSERT INTO tag (id, entity, name) VALUES (\(row), 'beyond')"
        #expect(try psql("ALTER TABLE tag DROP CONSTRAINT tag_entity_check; \(insertion)") != nil)
        let model = LibraryModel.make()
        let color = NSAttributeDescription()
        (color.name, color.attributeType) = ("color", .stringAttributeType)
        model.entitiesByName["Tag"]?.properties.append(color)
        let options = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        let url = try #require(StoreKind.postgreSQL.url(in: library.folder.url))
        func obstacles() throws -> [String] {
            try NSPersistentStoreCoordinator.migrationForecast(forPersistentStoreAt: url, to: model)
                .obstacles.map(\.reason)
        }
        let forecast = try obstacles()
        #expect(forecast.count == 1 && forecast[0].contains(what), "\(forecast)")
        let error = #expect(throws: NSError.self) {
            try Library(.postgreSQL, in: library.folder, model: model, options: options)
        }
        #expect(error?.localizedDescription.contains(what) == true, "\(error.map { "\($0)" } ?? "")")
        #expect(try psql("SELECT count(*) FROM tag") == "2")
        #expect(try psql("DELETE FROM tag WHERE name = 'beyond'") == "DELETE 1")
        #expect(try obstacles().isEmpty)
        let newer = try Library(.postgreSQL, in: library.folder, model: model, options: options)
        #expect(try newer.saved("Tag", "color") == ["nil"])
    }

    @Test("An object whose permanent id another program has taken is refused with the reason")
    func permanent() throws {
        let context = library.context()
        try context.performAndWait {
            let tag = context.make("Tag", ["name": "context"])
            try context.obtainPermanentIDs(for: [tag])
            #expect(try psql("INSERT INTO tag (id, name) SELECT n, 'psql' FROM generate_series(1, 64) n") != nil)
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.localizedDescription.contains("Tag") == true)
            #expect(error?.localizedDescription.contains("key 1") == true)
            context.delete(tag)
            context.make("Tag", ["name": "context"])
            try context.save()
        }
        #expect(try psql("SELECT count(*) FROM tag") == "65")
    }
}
#endif
