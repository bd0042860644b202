#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct ExistingTablesTests {
    let database: TestDatabase
    var url: URL { database.url }

    init() throws { database = try TestDatabase() }

    func psql(_ statement: String) -> String? { database.psql(statement) }

    // MARK: A shop

    /// Tables as another program has made them.
    func makeShop() throws {
        try #require(
            psql(
                """
                CREATE SCHEMA shop;
                CREATE TABLE people (person_no serial PRIMARY KEY, full_name varchar(80) NOT NULL, born timestamptz,
                    remark text DEFAULT 'none' NOT NULL);
                CREATE TABLE shop.books (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, title text,
                    price numeric(10, 2), pages smallint, "Cover Image" bytea, code uuid,
                    writer integer REFERENCES people ON DELETE CASCADE);
                CREATE TABLE tag (id integer PRIMARY KEY, name text UNIQUE, edition integer NOT NULL);
                CREATE TABLE shop.labels (book bigint REFERENCES shop.books, label integer REFERENCES tag,
                    PRIMARY KEY (book, label));
                INSERT INTO people (full_name) VALUES ('Calvino'), ('Eco');
                INSERT INTO shop.books (title, price, writer, pages) VALUES ('Il barone', 12.50, 1, 300);
                INSERT INTO tag VALUES (7, 'classic', 3);
                INSERT INTO shop.labels VALUES (1, 7);
                """) != nil)
    }

    func shop() -> NSManagedObjectModel {
        let model = LibraryModel.make()
        let (author, book, tag) = (
            model.entitiesByName["Author"], model.entitiesByName["Book"], model.entitiesByName["Tag"]
        )
        for name in ["Shelf", "Profile", "Novel"] { model.entitiesByName[name]?.properties = [] }
        author?.userInfo = ["PostgreSQLName": "people", "PostgreSQLKey": "person_no"]
        author?.properties = (author?.properties ?? []).filter { ["name", "joined", "books"].contains($0.name) }
        author?.propertiesByName["name"]?.userInfo = ["PostgreSQLName": "full_name"]
        author?.propertiesByName["joined"]?.userInfo = ["PostgreSQLName": "born"]
        book?.userInfo = ["PostgreSQLName": "books", "PostgreSQLSchema": "shop"]
        book?.properties = (book?.properties ?? []).filter {
            ["title", "pages", "price", "cover", "identifier", "author", "tags"].contains($0.name)
        }
        book?.propertiesByName["cover"]?.userInfo = ["PostgreSQLName": "Cover Image"]
        book?.propertiesByName["identifier"]?.userInfo = ["PostgreSQLName": "code"]
        book?.propertiesByName["author"]?.userInfo = ["PostgreSQLName": "writer"]
        book?.propertiesByName["tags"]?.userInfo = [
            "PostgreSQLName": "labels", "PostgreSQLSchema": "shop", "PostgreSQLOwnerColumn": "book",
            "PostgreSQLMemberColumn": "label",
        ]
        tag?.userInfo = ["PostgreSQLVersion": "edition"]
        book?.subentities = []
        model.entities = [author, book, tag].compactMap { $0 }
        return model
    }

    func coordinator(
        _ model: NSManagedObjectModel? = nil, _ options: [AnyHashable: Any] = [:]
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model ?? shop())
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: url,
            options: options.merging([NSPostgreSQLExistingTablesOption: true]) { own, _ in own })
        return coordinator
    }

    func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        return context
    }

    @Test("A model lies over tables that psql made: a context reads their rows, and writes into them")
    func readAndWritten() throws {
        try makeShop()
        let context = context(try coordinator())
        try context.performAndWait {
            let book = try #require(try context.all("Book", "author.name == %@", "Calvino").first)
            #expect(book.value(forKey: "title") as? String == "Il barone")
            #expect(book.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "12.5"))
            let tag = try #require((book.value(forKey: "tags") as? Set<NSManagedObject>)?.first)
            #expect(tag.value(forKey: "name") as? String == "classic")
            book.setValue("Il barone rampante", forKey: "title")
            let author = context.make("Author", ["name": "Levi"])
            context.make(
                "Book", ["title": "Il sistema periodico", "author": author, "tags": Set([tag]), "cover": Data([1])])
            context.delete(try #require(try context.all("Author", "name == %@", "Eco").first))
            try context.save()
        }
        #expect(
            psql(
                "SELECT title, full_name, count(label), remark FROM shop.books b JOIN people ON person_no = writer "
                    + "LEFT JOIN shop.labels ON book = b.id GROUP BY 1, 2, 4 ORDER BY 1")
                == "Il barone rampante|Calvino|1|none\nIl sistema periodico|Levi|1|none")
        #expect(psql("SELECT count(*) FROM people") == "2")
        // Keys come from the sequences of the tables.
        #expect(
            psql("INSERT INTO people (full_name) VALUES ('Pavese'); SELECT count(*) FROM people")?.hasSuffix("3")
                == true)
    }

    @Test("A sequence that lags behind the rows gives the keys that are free; one without any is named")
    func laggingSequence() throws {
        try makeShop()
        let copied = "INSERT INTO people (person_no, full_name) SELECT n, 'copied' FROM generate_series(3, 5000) n"
        #expect(psql(copied) != nil)
        // Few more than are needed.
        #expect(psql("ALTER SEQUENCE people_person_no_seq MAXVALUE 5004") != nil)
        let context = context(try coordinator())
        try context.performAndWait {
            for number in 0..<3 { context.make("Author", ["name": "new \(number)"]) }
            try context.save()
        }
        #expect(
            psql("SELECT count(*), min(person_no) > 5000 FROM people WHERE full_name LIKE 'new%'") == "3|t")
        #expect(psql("ALTER SEQUENCE people_person_no_seq RESTART 1 MAXVALUE 1000 CYCLE") != nil)
        try context.performAndWait {
            let author = context.make("Author", ["name": "newest"])
            let error = try #require(throws: NSError.self) { try context.save() }
            let reason = error.localizedFailureReason ?? ""
            #expect(error.code == NSPersistentStoreSaveError)
            #expect(reason.contains("people_person_no_seq") && reason.contains("setval"), "\(reason)")
            // No change is lost: the save succeeds once the sequence is repaired.
            #expect(psql("ALTER SEQUENCE people_person_no_seq NO MAXVALUE NO CYCLE RESTART 6000") != nil)
            try context.save()
            #expect(author.objectID.uriRepresentation().lastPathComponent == "p6000")
        }
    }

    @Test("Nothing is added to the tables, and they stay when the store is destroyed")
    func untouched() throws {
        try makeShop()
        let facts = """
            SELECT count(*), (SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal
            AND tgrelid::regclass::text IN ('people', 'tag', 'shop.books', 'shop.labels')) FROM pg_attribute
            WHERE attrelid::regclass::text IN ('people', 'tag', 'shop.books', 'shop.labels') AND attnum > 0
            """
        let before = psql(facts)
        do {
            let context = context(try coordinator())
            try context.performAndWait {
                context.make("Author", ["name": "Levi"])
                try context.save()
            }
        }
        #expect(psql(facts) == before)
        try NSPersistentStoreCoordinator(managedObjectModel: shop()).destroyPersistentStore(
            at: url, ofType: NSPostgreSQLStoreType, options: nil)
        #expect(psql("SELECT count(*) FROM people") == "3")
        #expect(psql("SELECT count(*) FROM pg_namespace WHERE nspname = 'coredata'") == "0")
        let context = context(try coordinator())
        let count = try context.performAndWait { try context.all("Author").count }
        #expect(count == 3)
    }

    // MARK: Conflicts

    @Test("A row that psql has changed is a conflict without a column for versions, and one's own saves are none")
    func conflicts() throws {
        try makeShop()
        let context = context(try coordinator())
        try context.performAndWait {
            let author = try #require(try context.all("Author", "name == %@", "Eco").first)
            for name in ["Umberto", "Umberto Eco"] {
                author.setValue(name, forKey: "name")
                try context.save()
            }
            #expect(psql("UPDATE people SET remark = 'dead' WHERE person_no = 2") != nil)
            author.setValue("Eco", forKey: "name")
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSManagedObjectMergeError)
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            #expect(psql("SELECT full_name, remark FROM people WHERE person_no = 2") == "Eco|dead")
            // A deletion compares the version, too.
            context.mergePolicy = NSMergePolicy.error
            _ = psql("UPDATE people SET full_name = 'Pavese' WHERE person_no = 2")
            context.delete(author)
            #expect(throws: NSError.self) { try context.save() }
        }
        #expect(psql("SELECT full_name FROM people WHERE person_no = 2") == "Pavese")
    }

    @Test("The version of a row without columns of its own is written, too, and a foreign change makes another one")
    func noColumns() throws {
        try makeShop()
        let model = shop()
        let entity = try #require(model.entitiesByName["Tag"])
        entity.properties = entity.properties.filter { $0.name == "books" }
        entity.userInfo = [:]
        let coordinator = try coordinator(model, [NSReadOnlyPersistentStoreOption: true])
        let version = "SELECT version FROM coredata.of_tag WHERE id = 7"
        #expect(psql("UPDATE coredata.of_tag SET version = 5 WHERE id = 7; \(version)") == "UPDATE 1\n5")
        #expect(psql("UPDATE tag SET name = 'new'; \(version)") != "UPDATE 1\n5")
        #expect(coordinator.persistentStores.count == 1)
    }

    @Test("A column for versions is counted up, and shows whether another program has written")
    func versions() throws {
        try makeShop()
        let context = context(try coordinator())
        try context.performAndWait {
            let tag = try #require(try context.all("Tag").first)
            tag.setValue("old", forKey: "name")
            try context.save()
            #expect(psql("SELECT edition FROM tag") == "4")
            _ = psql("UPDATE tag SET name = 'new', edition = edition + 1")
            tag.setValue("older", forKey: "name")
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSManagedObjectMergeError)
        }
    }

    @Test("Several coordinators and psql count together: the sum is exact")
    func counting() throws {
        try makeShop()
        _ = psql("UPDATE shop.books SET pages = 0")
        // The store is there before many open it.
        _ = try coordinator()
        let failures = Locked<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 5) { number in
            do {
                if number == 4 {
                    for _ in 0..<20 { _ = psql("UPDATE shop.books SET pages = pages + 1") }
                    return
                }
                let mine = context(try coordinator())
                try mine.performAndWait {
                    let book = try #require(try mine.all("Book").first)
                    for _ in 0..<20 { try Self.increment(book, in: mine) }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(psql("SELECT pages FROM shop.books") == "100")
    }

    private static func increment(_ book: NSManagedObject, in context: NSManagedObjectContext) throws {
        while true {
            book.setValue((book.value(forKey: "pages") as? Int ?? 0) + 1, forKey: "pages")
            do {
                return try context.save()
            } catch let error as NSError where error.code == NSManagedObjectMergeError {
                context.refresh(book, mergeChanges: false)
            }
        }
    }

    @Test("A unique value that is there already is a conflict that names the row")
    func uniqueness() throws {
        try makeShop()
        let model = shop()
        model.entitiesByName["Tag"]?.uniquenessConstraints = [["name"]]
        let context = context(try coordinator(model))
        try context.performAndWait {
            context.make("Tag", ["name": "classic"])
            let error = #expect(throws: NSError.self) { try context.save() }
            let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
            #expect(conflicts?.first?.constraint == ["name"])
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
        }
        #expect(psql("SELECT count(*) FROM tag") == "1")
    }

    // MARK: Reading only, and more

    @Test("A store that is only read lies over views as well, and needs no mandatory column")
    func readOnly() throws {
        try makeShop()
        try #require(
            psql(
                "ALTER TABLE people ALTER remark DROP DEFAULT; "
                    + "CREATE VIEW keywords AS SELECT id, upper(name) AS name, edition FROM tag") != nil)
        let model = shop()
        model.entitiesByName["Tag"]?.userInfo = ["PostgreSQLName": "keywords"]
        let context = context(try coordinator(model, [NSReadOnlyPersistentStoreOption: true]))
        try context.performAndWait {
            let book = try #require(try context.all("Book", "ANY tags.name == 'CLASSIC'").first)
            #expect(book.value(forKeyPath: "author.name") as? String == "Calvino")
            book.setValue("b", forKey: "title")
            #expect(throws: NSError.self) { try context.save() }
        }
        #expect(psql("SELECT title FROM shop.books") == "Il barone")
    }

    @Test(
        "A change under a view, a materialized view or a foreign table is read by the next fetch",
        arguments: ["VIEW", "MATERIALIZED VIEW"])
    func viewsAreReadAgain(kind: String) throws {
        try makeShop()
        try #require(psql("CREATE \(kind) keywords AS SELECT id, upper(name) AS name, edition FROM tag") != nil)
        let model = shop()
        model.entitiesByName["Tag"]?.userInfo = ["PostgreSQLName": "keywords"]
        let coordinator = try coordinator(model, [NSReadOnlyPersistentStoreOption: true])
        // A row of an object that is in use stays in the row cache.
        var used: [NSManagedObject] = []
        func names() throws -> [String?] {
            let context = context(coordinator)
            return try context.performAndWait {
                let tags = try context.all("Tag")
                used += tags
                return tags.map { $0.text("name") }
            }
        }
        #expect(try names() == ["CLASSIC"])
        #expect(psql("UPDATE tag SET name = 'modern'") == "UPDATE 1")
        if kind != "VIEW" { #expect(psql("REFRESH MATERIALIZED VIEW keywords") != nil) }
        #expect(try names() == ["MODERN"])
        withExtendedLifetime(used) {}
    }

    @Test("Tables, columns and keys may be called as in Core Data's files")
    func namesOfFiles() throws {
        try #require(
            psql(
                """
                CREATE TABLE "Z_METADATA" ("Z_PK" serial PRIMARY KEY, "Z_OPT" integer NOT NULL,
                    "ZNAME" text NOT NULL CHECK ("ZNAME" <> 'bad'));
                CREATE TABLE "ACHANGE" ("Z_ENT" integer, "ZENTITY" integer, PRIMARY KEY ("Z_ENT", "ZENTITY"));
                INSERT INTO "Z_METADATA" ("Z_OPT", "ZNAME") VALUES (1, 'x');
                """) != nil)
        let model = ModelText.model("entity Tag\n  name string!\n  near many Tag.far\n  far many Tag.near")
        model.entitiesByName["Tag"]?.userInfo = [
            "PostgreSQLName": "Z_METADATA", "PostgreSQLKey": "Z_PK", "PostgreSQLVersion": "Z_OPT",
        ]
        model.entitiesByName["Tag"]?.propertiesByName["name"]?.userInfo = ["PostgreSQLName": "ZNAME"]
        model.entitiesByName["Tag"]?.propertiesByName["near"]?.userInfo = [
            "PostgreSQLName": "ACHANGE", "PostgreSQLOwnerColumn": "Z_ENT", "PostgreSQLMemberColumn": "ZENTITY",
        ]
        let context = context(try coordinator(model))
        try context.performAndWait {
            let tag = try #require(try context.all("Tag", "name == 'x'").first)
            tag.setValue("y", forKey: "name")
            context.make("Tag", ["name": "z", "near": Set([tag])])
            try context.save()
            context.reset()
            let near = try context.all("Tag", "ANY near.name == 'y'")
            #expect(near.map { $0.text("name") } == ["z"])
            context.make("Tag", ["name": "bad"])
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "name")
        }
        #expect(psql("SELECT \"ZNAME\", \"Z_OPT\" FROM \"Z_METADATA\" ORDER BY \"Z_PK\"") == "y|2\nz|1")
    }

    @Test("The columns of a view may be called as the framework's view calls things", arguments: ["t", "v", "x"])
    func columnsOfViews(name: String) throws {
        try #require(
            psql(
                "CREATE TABLE base (id integer PRIMARY KEY, \(name) integer, word text); "
                    + "INSERT INTO base VALUES (1, 5, 'a'); CREATE VIEW item AS SELECT * FROM base") != nil)
        let model = ModelText.model("entity Item\n  \(name) int32\n  word string")
        let coordinator = try coordinator(model, [NSReadOnlyPersistentStoreOption: true])
        let (one, other) = (context(coordinator), context(coordinator))
        let held = try one.performAndWait { try one.all("Item").map { ($0, $0.text("word")) } }
        #expect(held.map(\.1) == ["a"])
        #expect(psql("UPDATE base SET word = 'b'") == "UPDATE 1")
        let words = try other.performAndWait { try other.all("Item").map { $0.text("word") } }
        #expect(words == ["b"])
        withExtendedLifetime(held) {}
    }

    @Test(
        "A value that the attribute cannot hold is an error that names the row, and no other value",
        arguments: [
            ("people", "born = '-infinity'", "Author", "joined", "an infinite time"),
            ("shop.books", "price = 1234567890123456789012345678901234567.125", "Book", "price", "38 digits"),
            ("shop.books", "price = 'NaN', pages = 40000", "Book", "pages", "40000"),
        ])
    func foreignValues(_ table: String, _ change: String, _ entity: String, _ key: String, _ what: String) throws {
        try makeShop()
        try #require(
            psql(
                "ALTER TABLE shop.books ALTER price TYPE numeric, ALTER pages TYPE bigint; "
                    + "UPDATE \(table) SET \(change)") != nil)
        let model = shop()
        model.entitiesByName["Book"]?.attributesByName["pages"]?.attributeType = .integer16AttributeType
        let context = context(try coordinator(model))
        try context.performAndWait {
            let error = #expect(throws: NSError.self) { try context.all(entity) }
            #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == key)
            #expect(error?.localizedDescription.contains(what) == true, "\(String(describing: error))")
            #expect(error?.localizedDescription.contains("\(entity).\(key), row 1") == true)
            // The largest values that fit are read.
            _ = psql(
                "UPDATE people SET born = 'epoch'; "
                    + "UPDATE shop.books SET price = 123456789012345678901234567890123456.75, pages = -32768")
            let object = try #require(try context.all(entity).first)
            let value = object.value(forKey: key)
            switch key {
            case "joined": #expect(value as? Date == Date(timeIntervalSince1970: 0))
            case "pages": #expect(value as? Int == -32_768)
            default:
                #expect(
                    value as? NSDecimalNumber == NSDecimalNumber(string: "123456789012345678901234567890123456.75"))
            }
        }
    }

    @Test("Subentities lie in one table where a column has their names")
    func subentities() throws {
        try #require(
            psql(
                "CREATE TABLE animal (id serial PRIMARY KEY, kind text NOT NULL, name text, lives integer); "
                    + "INSERT INTO animal (kind, name, lives) VALUES ('Cat', 'Tom', 9), ('Animal', 'x', NULL)")
                != nil)
        func entity(_ name: String, _ attributes: [(String, NSAttributeType)]) -> NSEntityDescription {
            let entity = NSEntityDescription()
            entity.name = name
            entity.properties = attributes.map { name, type in
                let attribute = NSAttributeDescription()
                (attribute.name, attribute.attributeType) = (name, type)
                return attribute
            }
            return entity
        }
        let animal = entity("Animal", [("name", .stringAttributeType)])
        animal.subentities = [entity("Cat", [("lives", .integer32AttributeType)])]
        let model = NSManagedObjectModel()
        model.entities = [animal] + animal.subentities
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        let error = #expect(throws: NSError.self) { try coordinator(copy) }
        let mismatches = try #require(error?.userInfo[NSPostgreSQLMismatchesKey] as? [String])
        #expect(mismatches.first?.contains("PostgreSQLEntity") == true)
        animal.userInfo = ["PostgreSQLEntity": "kind"]
        let context = context(try coordinator(model))
        try context.performAndWait {
            let cat = try #require(try context.all("Cat").first)
            #expect(cat.value(forKey: "lives") as? Int == 9)
            cat.setValue(8, forKey: "lives")
            context.make("Cat", ["name": "Kitty", "lives": 9])
            context.make("Animal", ["name": "y"])
            try context.save()
        }
        #expect(
            psql("SELECT kind, name, lives FROM animal ORDER BY name")
                == "Cat|Kitty|9\nCat|Tom|8\nAnimal|x|\nAnimal|y|")
    }

    @Test("Batches and history work over existing tables as over a store's own")
    func batches() throws {
        try makeShop()
        let coordinator = try coordinator(nil, [NSPersistentHistoryTrackingKey: true])
        let context = context(coordinator)
        try context.performAndWait {
            try context.execute(
                NSBatchInsertRequest(entityName: "Author", objects: (0..<50).map { ["name": "Author \($0)"] }))
            let update = NSBatchUpdateRequest(entityName: "Author")
            update.predicate = NSPredicate(format: "name BEGINSWITH 'Author'")
            update.propertiesToUpdate = ["joined": Date(timeIntervalSince1970: 0)]
            try context.execute(update)
            let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
            request.predicate = NSPredicate(format: "name == 'Author 7'")
            try context.execute(NSBatchDeleteRequest(fetchRequest: request))
            database.server.awaitHistory(of: database.name)
            let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast))
            let found = (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
            #expect(found?.map { $0.changes?.count } == [50, 50, 1])
        }
        #expect(psql("SELECT count(*) FROM people WHERE born = 'epoch'") == "49")
    }
}
#endif
