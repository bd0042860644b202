#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct NamesInTablesTests {
    private func model(_ names: [String: String] = [:]) -> NSManagedObjectModel {
        let model = LibraryModel.make()
        for (path, name) in names {
            let parts = path.split(separator: ".").map(String.init)
            let entity = model.entitiesByName[parts[0]]
            if parts.count == 1 {
                entity?.userInfo = ["PostgreSQLName": name]
            } else {
                entity?.propertiesByName[parts[1]]?.userInfo = ["PostgreSQLName": name]
            }
        }
        return model
    }

    private func fill(_ library: Library) throws {
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "Calvino"])
            context.make(
                "Novel", ["title": "a", "author": author, "tags": Set([context.make("Tag", ["name": "x"])])])
            try context.save()
        }
    }

    @Test("userInfo names tables and columns, as they are written there")
    func given() throws {
        let library = try Library(
            .postgreSQL,
            model: model([
                "Author": "The Writers", "Author.name": "Full Name", "Book.author": "writer", "Book.tags": "labels",
            ]))
        try fill(library)
        #expect(
            try library.psql(
                "SELECT \"Full Name\", title FROM \"The Writers\" a JOIN book ON writer = a.id "
                    + "JOIN labels ON book_id = book.id") == "Calvino|a")
        #expect(try library.saved("Author", "name") == ["Calvino"])
    }

    @Test("A column of pairs whose name is as long as the server has them has the column of its order beside it")
    func orderOfLongNames() throws {
        let model = ModelText.model(
            """
            entity Item
              name string
              tags ordered Tag.items
            entity Tag
              word string
              items many Item.tags
            """)
        let long = String(repeating: "x", count: 63)
        model.entitiesByName["Item"]?.relationshipsByName["tags"]?.userInfo = ["PostgreSQLMemberColumn": long]
        let database = try TestDatabase()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: database.url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        try context.performAndWait {
            context.persistentStoreCoordinator = coordinator
            let tags = ["b", "a"].map { context.make("Tag", ["word": $0]) }
            context.make("Item", ["name": "i", "tags": NSOrderedSet(array: tags)])
            try context.save()
            context.reset()
            let item = try #require(try context.all("Item").first)
            let words = (item.value(forKey: "tags") as? NSOrderedSet)?.array.map {
                ($0 as? NSManagedObject)?.value(forKey: "word") as? String
            }
            #expect(words == ["b", "a"])
        }
        let place = String(repeating: "x", count: 57) + "_place"
        let columns = "SELECT count(DISTINCT attname) FROM pg_attribute WHERE attname IN ('\(long)', '\(place)')"
        #expect(database.psql(columns) == "2")
    }

    @Test("Keys and indexes of tables whose names share 60 bytes have names of their own, and migrations keep them")
    func indexesOfLongNames() throws {
        let text = """
            entity One
              name string
              author one Tag.ones
              auditor one Tag.checked
              tags many Tag.members
            entity Two
              name string
              author one Tag.twos
              tags many Tag.others
            entity Tag
              word string
              ones many One.author
              checked many One.auditor
              twos many Two.author
              members many One.tags
              others many Two.tags
            """
        func named(_ text: String) -> NSManagedObjectModel {
            let model = ModelText.model(text)
            for (entity, end) in [("One", "a"), ("Two", "b")] {
                model.entitiesByName[entity]?.userInfo = ["PostgreSQLName": Self.sixty + end]
                let tags = model.entitiesByName[entity]?.relationshipsByName["tags"]
                tags?.userInfo = ["PostgreSQLName": Self.sixty + "pq" + end]
            }
            return model
        }
        let database = try TestDatabase()
        let select = """
            SELECT string_agg(kind, ' ' ORDER BY kind) FROM (SELECT 'f' || count(DISTINCT conname) AS kind
            FROM pg_constraint JOIN pg_class t ON t.oid = conrelid WHERE t.relname LIKE '\(Self.sixty)%'
            AND contype = 'f' UNION ALL SELECT 'i' || count(*) FROM pg_index i
            JOIN pg_class t ON t.oid = i.indrelid WHERE t.relname LIKE '\(Self.sixty)%' AND NOT i.indisprimary) x
            """
        for (text, name) in [(text, "1"), (text + "\n  color string", "2")] {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: named(text))
            let store = try coordinator.addPersistentStore(
                ofType: NSPostgreSQLStoreType, configurationName: nil, at: database.url,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true,
                    NSInferMappingModelAutomaticallyOption: true,
                ])
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            try context.performAndWait {
                context.persistentStoreCoordinator = coordinator
                let tag = context.make("Tag", ["word": name])
                let values: [String: Any] = ["name": name, "author": tag, "tags": Set([tag])]
                context.make("Two", values)
                context.make("One", values.merging(["auditor": tag]) { $1 })
                try context.save()
                context.reset()
                for (entity, key) in [("One", "auditor"), ("One", "author"), ("Two", "author")] {
                    let format = "ANY tags.word == %@ AND \(key).word == %@"
                    #expect(try context.all(entity, format, name, name).count == 1)
                }
                context.reset()
            }
            try coordinator.remove(store)
            // Three references of rows, and four of pairs; as many indexes, but one for each table of pairs.
            #expect(database.psql(select) == "f7 i5")
        }
    }

    @Test(
        "Tables may be called by words of SQL, and derived attributes are computed in them",
        arguments: [
            "order", "Group", "bookShelf", "user", "given", "target",
        ])
    func words(name: String) throws {
        let names = model(["Author": name])
        let count = NSDerivedAttributeDescription()
        count.name = "count"
        count.attributeType = .integer64AttributeType
        count.derivationExpression = NSExpression(format: "books.@count")
        names.entitiesByName["Author"]?.properties.append(count)
        let library = try Library(.postgreSQL, model: names)
        try fill(library)
        #expect(try library.saved("Author", "count") == ["1"])
        let context = library.context()
        try context.performAndWait {
            for author in try context.all("Author") { author.setValue("Pavese", forKey: "name") }
            for book in try context.all("Book") { context.delete(book) }
            try context.save()
        }
        #expect(try library.saved("Author", "name") == ["Pavese"])
        #expect(try library.saved("Author", "count") == ["0"])
    }

    @Test("Attributes may be called as PostgreSQL's own columns of every table, and userInfo cannot name these")
    func systemColumns() throws {
        let model = model(["Tag.name": "ctid"])
        let names = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]
        model.entitiesByName["Tag"]?.properties += names.map { name in
            let attribute = NSAttributeDescription()
            (attribute.name, attribute.attributeType) = (name, .stringAttributeType)
            return attribute
        }
        model.entitiesByName["Book"]?.propertiesByName["tags"]?.userInfo = ["PostgreSQLOwnerColumn": "xmin"]
        let library = try Library(.postgreSQL, model: model)
        let context = library.context()
        try context.performAndWait {
            let tag = context.make("Tag", ["name": "x"])
            for name in names { tag.setValue(name, forKey: name) }
            context.make("Book", ["title": "a", "tags": Set([tag])])
            try context.save()
        }
        for name in names { #expect(try library.saved("Tag", name) == [name]) }
        #expect(
            try library.psql("SELECT xmin1, name, book_id = b.id FROM tag, book_tags, book b")
                == "xmin|x|t")
    }

    @Test("The map of names is in the database")
    func map() throws {
        let library = try Library(.postgreSQL, model: model(["Author": "writers"]))
        #expect(
            try library.psql(
                "SELECT \"table\", parent FROM coredata.tables WHERE entity IN ('Author', 'Novel') ORDER BY 1")
                == "book|Book\nwriters|")
        #expect(
            try library.psql(
                "SELECT \"table\", \"column\", target, inverse FROM coredata.columns "
                    + "WHERE entity = 'Novel' AND property = 'author' AND role = 'key'")
                == "book|author_id|writers|books")
    }

    @Test("A store that exists keeps its names when userInfo has different ones")
    func kept() throws {
        let library = try Library(.postgreSQL, model: model(["Author.name": "full_name"]))
        try fill(library)
        let other = try Library(
            .postgreSQL, in: library.folder,
            model: model(["Author": "people", "Author.name": "known_as", "Book.tags": "marks"]))
        #expect(try other.saved("Author", "name") == ["Calvino"])
        let context = other.context()
        try context.performAndWait {
            let book = try #require(try context.all("Book", "ANY tags.name == 'x'").first)
            book.setValue(nil, forKeyPath: "author")
            try context.save()
        }
        #expect(try library.psql("SELECT full_name FROM author") == "Calvino")
    }

    @Test("Names that are longer than PostgreSQL's, or alike when they are cut, stay apart")
    func long() throws {
        let model = LibraryModel.make()
        let base = String(repeating: "averylongname", count: 6)
        let tag = try #require(model.entitiesByName["Tag"])
        tag.properties += ["A", "B"].map { end in
            let attribute = NSAttributeDescription()
            attribute.name = base + end
            attribute.attributeType = .stringAttributeType
            return attribute
        }
        let library = try Library(.postgreSQL, model: model)
        let context = library.context()
        try context.performAndWait {
            context.make("Tag", ["name": "x", base + "A": "a", base + "B": "b"])
            try context.save()
        }
        #expect(try library.saved("Tag", base + "A") == ["a"])
        #expect(try library.saved("Tag", base + "B") == ["b"])
    }

    @Test("userInfo may name columns as Core Data's files and the framework's own tables have them")
    func namesOfFiles() throws {
        func named() -> NSManagedObjectModel {
            let model = model([
                "Author.name": "Z_PK", "Tag.name": "ZNAME", "Book.title": "ATRANSACTION", "Book.author": "ZENTITY",
                "Book.pages": "=pages",
            ])
            model.entitiesByName["Book"]?.propertiesByName["tags"]?.userInfo = [
                "PostgreSQLOwnerColumn": "Z_PK", "PostgreSQLMemberColumn": "Z_ENT",
            ]
            return model
        }
        let library = try Library(.postgreSQL, model: named(), options: [NSPersistentHistoryTrackingKey: true])
        try fill(library)
        let rows = """
            SELECT a."Z_PK", b."ATRANSACTION", b."=pages" IS NULL, t."ZNAME" FROM author a
            JOIN book b ON b."ZENTITY" = a.id JOIN book_tags j ON j."Z_PK" = b.id JOIN tag t ON t.id = j."Z_ENT"
            """
        #expect(try library.psql(rows) == "Calvino|a|t|x")
        #expect(try library.psql("UPDATE tag SET \"ZNAME\" = 'y'") == "UPDATE 1")
        for store in library.coordinator.persistentStores { try library.coordinator.remove(store) }
        let newer = named()
        let color = NSAttributeDescription()
        (color.name, color.attributeType) = ("color", .stringAttributeType)
        newer.entitiesByName["Tag"]?.properties.append(color)
        let migrated = try Library(
            .postgreSQL, in: library.folder, model: newer,
            options: [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                NSPersistentHistoryTrackingKey: true,
            ])
        #expect(try migrated.psql(rows) == "Calvino|a|t|y")
        let context = migrated.context()
        try context.performAndWait {
            let found = try context.all("Book", "ANY tags.name == 'y' AND author.name == 'Calvino'")
            let book = try #require(found.first)
            book.setValue(7, forKey: "pages")
            try context.save()
        }
    }

    @Test("A store that is there keeps names that are those of Core Data's files, too")
    func namesOfFilesKept() throws {
        let library = try Library(.postgreSQL, model: model(["Tag.name": "ZNAME", "Author.name": "Z_OPT"]))
        try fill(library)
        let other = try Library(.postgreSQL, in: library.folder, model: model())
        #expect(try other.saved("Tag", "name") == ["x"])
        #expect(try other.saved("Author", "name") == ["Calvino"])
    }

    private static let sixty = String(repeating: "abcdef", count: 10)

    @Test(
        "A name that is given twice is an error that names both, and nothing is made",
        arguments: [
            (
                ["Author.name": "same", "Author.active": "same"],
                ["“Author.name”", "“Author.active”", "the column “author.same”"]
            ),
            (
                ["Author": "same", "Tag": "same"],
                ["the entity “Author”", "the entity “Tag”", "the table “same”"]
            ),
            (
                ["Author": "same", "Book.tags": "same"],
                ["the entity “Author”", "the relationship “Book.tags”", "the table “same”"]
            ),
            (
                ["Author.name": sixty + "ghiA", "Author.active": sixty + "ghiB"],
                ["“Author.name”", "“Author.active”", "the column “author.\(sixty)ghi”"]
            ),
            (["Author": "ATRANSACTION"], ["the entity “Author”", "“ATRANSACTION”", "the framework's own"]),
            (
                ["Author": "coredata.changes"],
                ["the entity “Author”", "“coredata.changes”", "the framework's own"]
            ),
            (["Book.tags.both": "id"], ["the relationship “Book.tags”", "“book_tags.id” twice"]),
        ] as [([String: String], [String])])
    func givenTwice(names: [String: String], words: [String]) throws {
        let database = try TestDatabase()
        func named() -> NSManagedObjectModel {
            let model = model(names.filter { !$0.key.hasSuffix(".both") })
            if let name = names["Book.tags.both"] {
                model.entitiesByName["Book"]?.propertiesByName["tags"]?.userInfo = [
                    "PostgreSQLOwnerColumn": name, "PostgreSQLMemberColumn": name,
                ]
            }
            return model
        }
        func expectNamed(_ text: String?) {
            for word in words { #expect(text?.contains(word) == true, "\(word) in \(text ?? "")") }
        }
        let error = #expect(throws: NSError.self) { try Library(.postgreSQL, in: database.folder, model: named()) }
        #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
        expectNamed(error?.localizedDescription)
        #expect(database.psql("SELECT count(*) FROM pg_namespace WHERE nspname = 'coredata'") == "0")
        // A migration would give the names, too.
        do { _ = try Library(.postgreSQL, in: database.folder) }
        let newer = named()
        let color = NSAttributeDescription()
        (color.name, color.attributeType) = ("color", .stringAttributeType)
        newer.entitiesByName["Tag"]?.properties.append(color)
        let forecast = #expect(throws: NSError.self) {
            try NSPersistentStoreCoordinator.migrationForecast(forPersistentStoreAt: database.url, to: newer)
        }
        expectNamed(forecast?.localizedDescription)
        let refusal = #expect(throws: NSError.self) {
            try Library(
                .postgreSQL, in: database.folder, model: newer,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true,
                    NSInferMappingModelAutomaticallyOption: true,
                ])
        }
        expectNamed(refusal.map { "\($0) \($0.userInfo)" })
    }
}
#endif
