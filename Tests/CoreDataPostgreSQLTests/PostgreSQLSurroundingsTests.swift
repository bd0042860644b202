#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

/// The settings of a server and a database, and the other objects in them.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLSurroundingsTests {
    private let database: TestDatabase

    init() throws { database = try TestDatabase() }

    private func psql(_ statement: String) -> String? { database.psql(statement) }

    private func connection() throws -> PostgreSQLConnection {
        try PostgreSQLConnection(#require(PostgreSQLAddress(database.url)))
    }

    @Test("A database in another encoding than UTF8 is refused with the reason")
    func encoding() throws {
        let name = "latin-\(UUID().uuidString.lowercased())"
        try #require(
            database.server.psql(
                "postgres", "CREATE DATABASE \"\(name)\" ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'") != nil)
        defer { _ = database.server.psql("postgres", "DROP DATABASE \"\(name)\" WITH (FORCE)") }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let error = #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(
                ofType: NSPostgreSQLStoreType, configurationName: nil, at: database.server.url(ofMadeDatabase: name)
            )
        }
        #expect(error?.code == NSPersistentStoreOpenError)
        #expect(error?.localizedDescription.contains("LATIN1") == true)
        #expect(database.server.psql(name, "SELECT count(*) FROM pg_namespace WHERE nspname = 'coredata'") == "0")
    }

    @Test("A database that reads backslashes as signs keeps texts with them as they are")
    func backslashes() throws {
        try #require(
            psql("ALTER DATABASE \"\(database.name.lowercased())\" SET standard_conforming_strings = off") != nil)
        let model = LibraryModel.make()
        let name = model.entitiesByName["Tag"]?.attributesByName["name"]
        name?.defaultValue = "C:\\new"
        name?.userInfo = ["PostgreSQLName": "a\\b"]
        let library = try Library(.postgreSQL, in: database.folder, model: model)
        #expect(
            psql("SELECT \"column\" FROM coredata.columns WHERE entity = 'Tag' AND property = 'name'") == "a\\b")
        #expect(psql("INSERT INTO tag DEFAULT VALUES") != nil)
        #expect(try library.saved("Tag", "name") == ["C:\\new"])
    }

    @Test("A database whose settings write values and names in another way is read and written like any other")
    func settings() throws {
        for setting in [
            "timezone = 'America/New_York'", "datestyle = 'German, DMY'", "intervalstyle = 'iso_8601'",
            "bytea_output = 'escape'", "extra_float_digits = -10", "array_nulls = off",
            "quote_all_identifiers = on", "transform_null_equals = on",
        ] {
            try #require(psql("ALTER DATABASE \"\(database.name.lowercased())\" SET \(setting)") != nil)
        }
        try #require(
            psql("CREATE TABLE item (id serial PRIMARY KEY, at timestamp, size double precision, data bytea)")
                != nil)
        let model = ModelText.model("entity Item\n  at date\n  size double\n  data data")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: database.url,
            options: [NSPostgreSQLExistingTablesOption: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
        let (size, data) = (0.1 + 0.2, Data([1, 2, 255]))
        try context.performAndWait {
            context.persistentStoreCoordinator = coordinator
            context.make("Item", ["at": date, "size": size, "data": data])
            context.make("Item")
            try context.save()
            context.reset()
            for (condition, value) in [
                ("at == %@", date), ("at IN %@", [date]), ("at BETWEEN %@", [date, date]), ("size == %@", size),
                ("size IN %@", [size]), ("data == %@", data), ("data IN %@", [data]),
            ] as [(String, Any)] {
                let found = try context.all("Item", condition, value)
                #expect(found.map { $0.value(forKey: "at") as? Date } == [date], "\(condition)")
                #expect(found.map { $0.value(forKey: "size") as? Double } == [size], "\(condition)")
                #expect(found.map { $0.value(forKey: "data") as? Data } == [data], "\(condition)")
            }
            let others = try context.all("Item", "size == nil")
            #expect(others.count == 1)
        }
        #expect(psql("SELECT at = '2023-03-08 20:26:40.25' FROM item WHERE at IS NOT NULL") == "t")
    }

    @Test("A program whose path leads to another schema first finds the store, migrates it and destroys it")
    func searchPath() throws {
        do {
            let context = try Library(.postgreSQL, in: database.folder).context()
            try context.performAndWait {
                context.make("Tag", ["name": "a"])
                try context.save()
            }
        }
        try #require(
            psql(
                "CREATE SCHEMA other; "
                    + "ALTER DATABASE \"\(database.name.lowercased())\" SET search_path = other, public"
            )
                != nil)
        let model = LibraryModel.make()
        let color = NSAttributeDescription()
        (color.name, color.attributeType) = ("color", .stringAttributeType)
        model.entitiesByName["Tag"]?.properties.append(color)
        do {
            let library = try Library(
                .postgreSQL, in: database.folder, model: model,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true,
                    NSInferMappingModelAutomaticallyOption: true,
                ])
            let context = library.context()
            try context.performAndWait {
                try #require(try context.all("Tag").first).setValue("red", forKey: "color")
                try context.save()
            }
        }
        #expect(psql("SELECT name, color FROM public.tag") == "a|red")
        try NSPersistentStoreCoordinator(managedObjectModel: model).destroyPersistentStore(
            at: database.url, ofType: NSPostgreSQLStoreType)
        #expect(
            psql("SELECT count(*) FROM pg_tables WHERE schemaname IN ('public', 'other', 'coredata')") == "0")
    }

    @Test(
        "The schema of a store may have any name, and online migrations find the tables there",
        arguments: ["My \"Sch'ema", "Shop", "select"])
    func schemaName(_ name: String) throws {
        let older = """
            entity Order
              user int16
              owner one Owner.orders
            entity Owner
              name string
              orders many Order.owner
            """
        let newer = older.replacingOccurrences(of: "int16", with: "int64")
            .replacingOccurrences(of: "owner one", with: "owner many")
        let store = try OnlineStore(older, newer)
        let quoted = PostgreSQLDialect.inQuotes(name)
        try #require(
            store.database.psql(
                "CREATE SCHEMA \(quoted); "
                    + "ALTER DATABASE \"\(store.database.name.lowercased())\" SET search_path = \(quoted)") != nil)
        let first = try store.open(older)
        try first.performAndWait {
            first.make("Order", ["user": 1, "owner": first.make("Owner", ["name": "o"])])
            try first.save()
        }
        let second = try store.open(newer)
        try second.performAndWait {
            second.make("Order", ["user": 2, "owner": try Set(second.all("Owner"))])
            try second.save()
        }
        #expect(try OnlineStore.lines(first, "Order", "user", "owner.name") == ["1 o", "2 o"])
        #expect(try OnlineStore.lines(second, "Order", "user", "owner.@count") == ["1 1", "2 1"])
        try store.close(first)
        #expect(try store.end())
        #expect(try OnlineStore.lines(second, "Order", "user", "owner.@count") == ["1 1", "2 1"])
        try store.close(second)
        let schemas =
            "SELECT DISTINCT schemaname FROM pg_tables WHERE schemaname NOT LIKE ALL "
            + "(ARRAY['pg\\_%', 'information\\_schema', 'coredata'])"
        #expect(store.database.psql(schemas) == name)
        try NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(newer)).destroyPersistentStore(
            at: store.url, ofType: NSPostgreSQLStoreType)
        #expect(store.database.psql(schemas) == "")
    }

    @Test("The columns of a constraint are those of its own schema")
    func indexes() throws {
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.uniquenessConstraints = [["name"]]
        let library = try Library(.postgreSQL, in: database.folder, model: model)
        let index = try #require(
            psql(
                "SELECT indexname FROM pg_indexes WHERE tablename = 'tag' AND indexdef LIKE 'CREATE UNIQUE%' "
                    + "AND indexname NOT LIKE '%_pkey'"))
        try #require(
            psql(
                "CREATE SCHEMA other; CREATE TABLE other.t (x integer, y integer); "
                    + "CREATE UNIQUE INDEX \"\(index)\" ON other.t (x, y)") != nil)
        let context = library.context()
        context.performAndWait {
            for _ in 0..<2 { context.make("Tag", ["name": "a"]) }
            let error = #expect(throws: NSError.self) { try context.save() }
            let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
            #expect(conflicts?.first?.constraint == ["name"])
        }
    }

    @Test("A plan of a table that was changed is recognised by the refusal, in any language")
    func plans() throws {
        let connection = try connection()
        try connection.execute("CREATE TABLE t (a integer)")
        _ = try connection.prepare("SELECT * FROM t", as: "p", types: [])
        try connection.execute("ALTER TABLE t ADD b integer")
        var error = try #require(throws: PostgreSQLError.self) { try connection.run("p", PostgreSQLValues()) }
        #expect(error.state == PostgreSQLError.cachedPlan)
        error.message = "zwischengespeicherter Plan"
        #expect(error.isPassing)
        // Another refusal with the same state.
        let other = try #require(throws: PostgreSQLError.self) {
            try connection.execute("SELECT a FROM t GROUP BY a FOR UPDATE")
        }
        #expect(other.state == PostgreSQLError.cachedPlan)
        #expect(!other.isPassing)
    }

    @Test("The direct address is followed, although the URL has the number of a pooler's host")
    func directAddress() throws {
        let url = try #require(
            URL(
                string: "postgresql:///\(database.name.lowercased())?host=pooler.invalid&hostaddr=127.0.0.1&port=1"
                    + "&user=postgres&direct=\(database.server.folder):5432"))
        let address = try #require(PostgreSQLAddress(url))
        #expect(throws: PostgreSQLError.self) { try PostgreSQLConnection(address) }
        #expect(try PostgreSQLConnection(address.direct).texts("SELECT 1") == ["1"])
    }

    @Test("Large values go to the server some at a time, whether inserted, updated or by a batch")
    func largeValues() throws {
        let library = try Library(.postgreSQL, in: database.folder)
        try #require(
            psql(
                """
                CREATE TABLE parts (number integer);
                CREATE FUNCTION count_part() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    INSERT INTO parts SELECT count(*) FROM written;
                    RETURN NULL;
                END $$;
                CREATE TRIGGER count_inserted AFTER INSERT ON book REFERENCING NEW TABLE AS written
                    FOR EACH STATEMENT EXECUTE FUNCTION count_part();
                CREATE TRIGGER count_updated AFTER UPDATE ON book REFERENCING NEW TABLE AS written
                    FOR EACH STATEMENT EXECUTE FUNCTION count_part();
                """) != nil)
        let parts = "SELECT sum(number), max(number) < 40 FROM parts"
        let context = library.context()
        try context.performAndWait {
            let books = (0..<40).map { number in
                context.make(
                    "Book", ["pages": number, "cover": Data(repeating: UInt8(number), count: 1_000_000)])
            }
            try context.save()
            #expect(psql(parts) == "40|t")
            for book in books { book.setValue(Data(repeating: 1, count: 1_000_001), forKey: "cover") }
            try context.save()
            #expect(psql(parts) == "80|t")
            let rows = (0..<40).map { ["pages": $0, "cover": Data(repeating: 2, count: 1_000_002)] }
            try context.execute(NSBatchInsertRequest(entityName: "Book", objects: rows))
            #expect(psql(parts) == "120|t")
        }
        #expect(
            psql("SELECT length(cover), count(*), sum(pages) FROM book GROUP BY 1 ORDER BY 1")
                == "1000001|40|780\n1000002|40|780")
    }
}
#endif
