import CSQLite
import CoreData
import Foundation
import TestSupport
import Testing

@Suite("coredata model from")
struct ModelFromTests {
    @Test("The model of a store, of a compiled bundle and of a version of it is written as a source")
    func models() throws {
        try ModelFolder.withLibrary { folder, bundle in
            for (version, hashes) in try NSManagedObjectModel.versions(contentsOf: bundle).map({
                ($0.name, $0.model.entityVersionHashesByName)
            }) {
                let run = try ToolRun(
                    ["model", "from", "Library.momd", "--version", version, "-o", "\(version).xcdatamodeld"], in: folder
                )
                #expect(run.status == 0, "\(run.errors)")
                let url = folder.appendingPathComponent("\(version).xcdatamodeld")
                #expect(try NSManagedObjectModel.read(contentsOf: url).entityVersionHashesByName == hashes)
            }
            let again = try ToolRun(["model", "from", "Library.momd", "-o", "Library 2.xcdatamodeld"], in: folder)
            #expect(again.status == 5 && again.errors.contains("is there already"))
            let store = folder.appendingPathComponent("Library.sqlite")
            let model = try NSManagedObjectModel.read(contentsOf: bundle)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: store, options: nil)
            let run = try ToolRun(["model", "from", "Library.sqlite", "-o", "Store.xcdatamodeld"], in: folder)
            #expect(run.status == 0, "\(run.errors)")
            let url = folder.appendingPathComponent("Store.xcdatamodeld")
            #expect(
                try NSManagedObjectModel.read(contentsOf: url).entityVersionHashesByName
                    == model.entityVersionHashesByName)
            let lone = folder.appendingPathComponent("Lone")
            try FileManager.default.createDirectory(at: lone, withIntermediateDirectories: false)
            let books = ModelText.model("entity Book\n  title string")
            try withStore(lone.appendingPathComponent("a.xml"), books, type: NSXMLStoreType) { context in
                context.make("Book", ["title": "a"])
                try context.save()
            }
            for command in [["from"], ["lint"], ["compile", "-o", "a.mom"]] {
                let unknown = try ToolRun(["model", command[0], "a.xml"] + command.dropFirst(), in: lone)
                #expect(
                    unknown.status == 3 && unknown.errors.contains("Name the model's file instead.")
                        && !unknown.errors.contains("--model"), "\(unknown.errors)")
            }
        }
    }

    @Test("What a source has no place for is noted")
    func notes() throws {
        try withTemporaryFolder { folder in
            let model = ModelText.model("entity Book\n  title string\n  cover data")
            let book = try #require(model.entitiesByName["Book"])
            book.attributesByName["title"]?.setValidationPredicates(
                [NSPredicate(format: "SELF BEGINSWITH 'x'")], withValidationWarnings: ["no"])
            book.attributesByName["cover"]?.defaultValue = Data([1])
            let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            model.setFetchRequestTemplate(request, forName: "All")
            try ModelArchive.encode(model).write(to: folder.appendingPathComponent("M.mom"))
            let run = try ToolRun(["model", "from", "M.mom"], in: folder)
            #expect(run.output.contains("<fetchRequest name=\"All\" entity=\"Book\"/>"), "\(run.errors)")
            for words in ["validation of 'Book.title'", "default value of 'Book.cover'", "order of the fetch request"] {
                #expect(run.errors.contains(words), "\(run.errors)")
            }
        }
    }

    @Test("Tables of SQLite become entities, relationships, constraints and indexes")
    func tables() throws {
        try withTemporaryFolder { folder in
            var handle: OpaquePointer?
            let statements = """
                CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
                CREATE TABLE books (id INTEGER PRIMARY KEY, title VARCHAR(80) NOT NULL DEFAULT 'it''s new',
                    pages INT DEFAULT 0, price DECIMAL(8,2), printed DATETIME DEFAULT CURRENT_TIMESTAMP, place GEOMETRY,
                    author_id INTEGER NOT NULL REFERENCES authors ON DELETE CASCADE,
                    twice INT GENERATED ALWAYS AS (pages * 2), "class" TEXT);
                CREATE INDEX by_title ON books (title, pages DESC);
                CREATE UNIQUE INDEX some ON books (title) WHERE pages > 3;
                CREATE TABLE tags (code TEXT, kind TEXT, PRIMARY KEY (code, kind));
                CREATE TABLE labels (id INTEGER PRIMARY KEY, label TEXT);
                CREATE TABLE book_labels (book_id INTEGER REFERENCES books, label_id INTEGER REFERENCES labels,
                    PRIMARY KEY (book_id, label_id));
                CREATE VIEW long_books AS SELECT * FROM books WHERE pages > 300;
                """
            let path = folder.appendingPathComponent("shop.db").path
            #expect(sqlite3_open(path, &handle) == SQLITE_OK)
            #expect(sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK)
            sqlite3_close(handle)
            let run = try ToolRun(["model", "from", "shop.db", "-o", "Shop.xcdatamodeld"], in: folder)
            #expect(run.status == 0, "\(run.errors)")
            let model = try NSManagedObjectModel.read(contentsOf: folder.appendingPathComponent("Shop.xcdatamodeld"))
            #expect(model.entitiesByName.keys.sorted() == ["Author", "Book", "Label", "Tag"])
            let book = try #require(model.entitiesByName["Book"])
            #expect(book.attributesByName.keys.sorted() == ["classValue", "pages", "price", "printed", "title"])
            #expect(book.attributesByName["title"]?.defaultValue as? String == "it's new")
            #expect(book.attributesByName["title"]?.isOptional == false)
            #expect(book.attributesByName["price"]?.attributeType == .decimalAttributeType)
            #expect(book.relationshipsByName.keys.sorted() == ["author", "labels"])
            let books = model.entitiesByName["Author"]?.relationshipsByName["books"]
            #expect(books?.deleteRule == .cascadeDeleteRule && books?.inverseRelationship?.name == "author")
            #expect(book.relationshipsByName["author"]?.isOptional == false)
            #expect(book.relationshipsByName["labels"]?.inverseRelationship?.name == "books")
            #expect(book.indexes.map(\.name) == ["by_title"])
            #expect(book.indexes.first?.elements.map(\.isAscending) == [true, false])
            #expect(model.entitiesByName["Author"]?.uniquenessConstraints as? [[String]] == [["name"]])
            #expect(model.entitiesByName["Tag"]?.uniquenessConstraints as? [[String]] == [["code", "kind"]])
            let notes = [
                "the view 'long_books' is left out", "'books.place' is left out: no attribute has the type geometry",
                "the column 'books.twice' is left out: the database computes its values",
                "the default value of 'books.printed' has no place in a model: CURRENT_TIMESTAMP",
                "the unique index 'some' of 'books' has no place", "the key (code, kind) of 'tags' became a constraint",
            ]
            for note in notes { #expect(run.errors.contains(note), "\(run.errors)") }
            #expect(run.errors.split(separator: "\n").count == notes.count, "\(run.errors)")
        }
    }

    @Test("Keys of texts lead to relationships, rows with values are no pairs, and virtual tables are left out")
    func keysOfFiles() throws {
        try withTemporaryFolder { folder in
            let statements = """
                CREATE TABLE product (code TEXT PRIMARY KEY, parent TEXT REFERENCES product (code)) WITHOUT ROWID;
                CREATE TABLE customer (id INTEGER PRIMARY KEY, favourite TEXT REFERENCES product);
                CREATE TABLE line (customer_id INTEGER REFERENCES customer, product_code TEXT REFERENCES product,
                    count INT DEFAULT 1, PRIMARY KEY (customer_id, product_code));
                CREATE TABLE seen (customer_id INTEGER REFERENCES customer, product_code TEXT REFERENCES product,
                    PRIMARY KEY (customer_id, product_code));
                CREATE VIRTUAL TABLE place USING rtree (id, least, greatest);
                PRAGMA writable_schema = on;
                INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql)
                    VALUES ('table', 'found', 'found', 0, 'CREATE VIRTUAL TABLE found USING elsewhere (body)');
                """
            let file = folder.appendingPathComponent("shop.db")
            var handle: OpaquePointer?
            #expect(sqlite3_open(file.path, &handle) == SQLITE_OK)
            #expect(sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK)
            sqlite3_close(handle)
            let run = try ToolRun(["model", "from", "shop.db", "-o", "Shop.xcdatamodeld"], in: folder)
            #expect(run.status == 0, "\(run.errors)")
            let model = try NSManagedObjectModel.read(contentsOf: folder.appendingPathComponent("Shop.xcdatamodeld"))
            #expect(model.entitiesByName.keys.sorted() == ["Customer", "Line", "Product"])
            let links = model.entities.flatMap { entity in
                entity.relationshipsByName.values.map {
                    "\(entity.name ?? "").\($0.name)/\($0.inverseRelationship?.name ?? "") \($0.isToMany)"
                }
            }
            #expect(
                links.sorted() == [
                    "Customer.favourite/customers false", "Customer.lines/customer true",
                    "Customer.products/customersValue true", "Line.customer/lines false",
                    "Line.productCode/lines false", "Product.customers/favourite true",
                    "Product.customersValue/products true", "Product.lines/productCode true",
                    "Product.parent/products false", "Product.products/parent true",
                ], "\(links.sorted())")
            #expect(model.entitiesByName["Line"]?.attributesByName["count"]?.defaultValue as? Int == 1)
            for table in ["found", "place"] {
                #expect(run.errors.contains("the virtual table '\(table)' is left out"), "\(run.errors)")
            }
            let damaged = folder.appendingPathComponent("damaged.db")
            try (Data(contentsOf: file).prefix(100) + Data(count: 4_000)).write(to: damaged)
            let refused = try ToolRun(["model", "from", "damaged.db"], in: folder)
            #expect(refused.status == 3 && !refused.errors.contains("error 1"), "\(refused.errors)")
        }
    }
}
