#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// A relationship leads to one object in the older version, and to many in the newer one.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineToManyTests {
    private typealias Both = BooksOfTwoVersions

    @Test("Rows have the links that they had, and each version writes its own")
    func bothVersions() throws {
        let both = try Both()
        #expect(try both.links("0") == "Anna of Anna")
        #expect(try both.links("2") == "Bert of Bert")
        #expect(try both.links("3") == "- of ")
        #expect(both.store.columns("author_books") == ["author_id", "book_id"])
        // The newer one adds: the older one keeps what it has, or gets the new one where it had none.
        try both.changeNewer("0", add: ["Carl", "Bert"])
        #expect(try both.links("0") == "Anna of Anna Bert Carl")
        try both.changeNewer("3", add: ["Dora"])
        #expect(try both.links("3") == "Dora of Dora")
        // The newer one removes: the older one gets the one with the least key.
        try both.changeNewer("0", remove: ["Anna"])
        #expect(try both.links("0") == "Bert of Bert Carl")
        try both.changeNewer("0", remove: ["Carl"])
        #expect(try both.links("0") == "Bert of Bert")
        try both.changeNewer("0", add: ["Anna"], remove: ["Bert"])
        #expect(try both.links("0") == "Anna of Anna")
        try both.changeNewer("0", remove: ["Anna"])
        #expect(try both.links("0") == "- of ")
        // The older version sets and exchanges the author, and sets nil: its former author leaves the remaining
        // ones.
        try both.changeNewer("1", add: ["Bert", "Dora"])
        try both.changeOlder("1", "Carl")
        #expect(try both.links("1") == "Carl of Bert Carl Dora")
        try both.changeOlder("1", "Dora")
        #expect(try both.links("1") == "Dora of Bert Dora")
        try both.changeOlder("1", nil)
        #expect(try both.links("1") == "- of Bert")
        try both.changeOlder("1", "Bert")
        #expect(try both.links("1") == "Bert of Bert")
        try both.changeOlder("0", "Anna")
        #expect(try both.links("0") == "Anna of Anna")
        #expect(try both.links("2") == "Bert of Bert")
    }

    @Test("New objects have their links in both versions, made from either side")
    func insertions() throws {
        let both = try Both()
        try both.older.performAndWait {
            let author = both.older.make("Author", ["name": "Emil"])
            both.older.make("Book", ["title": "o", "author": author])
            let anna = try both.object(both.older, "Author", "Anna")
            anna.mutableSetValue(forKey: "books").add(both.older.make("Book", ["title": "p"]))
            try both.older.save()
        }
        try both.newer.performAndWait {
            let author = both.newer.make("Author", ["name": "Fred"])
            let anna = try both.object(both.newer, "Author", "Anna")
            both.newer.make("Book", ["title": "n", "authors": NSSet(array: [anna, author])])
            try both.newer.save()
            // A book that was not read in this context, from the other side.
            both.newer.reset()
            try both.object(both.newer, "Author", "Fred").mutableSetValue(forKey: "books").add(
                try both.object(both.newer, "Book", "3"))
            try both.newer.save()
        }
        #expect(try both.links("o") == "Emil of Emil")
        #expect(try both.links("p") == "Anna of Anna")
        #expect(try both.links("n") == "Anna of Anna Fred")
        #expect(try both.links("3") == "Fred of Fred")
    }

    @Test("An object that a program of one version deletes is in the links of neither", arguments: [true, false])
    func deletions(_ isBatch: Bool) throws {
        let both = try Both()
        func delete(_ context: NSManagedObjectContext, _ entity: String, _ name: String) throws {
            if isBatch {
                try both.deleteBatch(context, entity, "\(entity == "Author" ? "name" : "title") == '\(name)'")
            } else {
                try both.delete(context, entity, name)
            }
        }
        try both.changeNewer("0", add: ["Bert", "Carl"])
        try both.changeNewer("1", add: ["Dora"])
        try both.changeNewer("2", add: ["Carl", "Dora"])
        try both.changeNewer("3", add: ["Dora"])
        try delete(both.newer, "Author", "Anna")
        #expect(try both.links("0") == "Bert of Bert Carl")
        #expect(try both.links("1") == "Dora of Dora")
        try delete(both.older, "Author", "Bert")
        #expect(try both.links("0") == "- of Carl")
        #expect(try both.links("2") == "- of Carl Dora")
        try both.changeOlder("0", "Dora")
        try delete(both.older, "Author", "Carl")
        #expect(try both.links("0") == "Dora of Dora")
        try delete(both.older, "Book", "0")
        try delete(both.newer, "Book", "1")
        #expect(try both.links("3") == "Dora of Dora")
        #expect(both.store.database.psql("SELECT count(*) FROM author_books") == "2")
        try delete(both.newer, "Author", "Dora")
        #expect(try both.links("3") == "- of ")
        #expect(both.store.database.psql("SELECT count(*) FROM author_books") == "0")
    }

    @Test("A change of links raises the version of the row that the older version reads: its save is a conflict")
    func versions() throws {
        let both = try Both()
        try both.older.performAndWait {
            let stale = try both.object(both.older, "Book", "3")
            _ = stale.value(forKey: "author")
            try both.newer.performAndWait {
                let book = try both.object(both.newer, "Book", "3")
                book.setValue(NSSet(object: try both.object(both.newer, "Author", "Carl")), forKey: "authors")
                try both.newer.save()
                // Its own next change is no conflict with itself.
                book.setValue(30, forKey: "pages")
                try both.newer.save()
                book.mutableSetValue(forKey: "authors").add(try both.object(both.newer, "Author", "Dora"))
                book.setValue(31, forKey: "pages")
                try both.newer.save()
                // Nor is it where an author goes that it led to.
                both.newer.delete(try both.object(both.newer, "Author", "Carl"))
                try both.newer.save()
                book.setValue(32, forKey: "pages")
                try both.newer.save()
                let dora = try both.object(both.newer, "Author", "Dora")
                dora.setValue("D", forKey: "name")
                try both.newer.save()
            }
            stale.setValue(try both.object(both.older, "Author", "Anna"), forKey: "author")
            let error = #expect(throws: NSError.self) { try both.older.save() }
            #expect(error?.code == NSManagedObjectMergeError, "\(String(describing: error))")
            both.older.rollback()
            both.older.refreshAllObjects()
            #expect((stale.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String == "D")
        }
        #expect(try both.links("3") == "D of D")
    }

    @Test("History has each change once for the programs of both versions, each by its own names")
    func history() throws {
        let both = try Both()
        let token = try #require(both.newer.persistentStoreCoordinator).currentPersistentHistoryToken(
            fromStores: nil)
        func changes(_ context: NSManagedObjectContext) throws -> [String] {
            try context.performAndWait {
                let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
                let result = try context.execute(request) as? NSPersistentHistoryResult
                let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
                return transactions.flatMap { $0.changes ?? [] }.map { change in
                    let names = change.updatedProperties?.map(\.name).sorted() ?? []
                    return "\(change.changedObjectID.entity.name ?? "") \(names.joined(separator: " "))"
                }.sorted()
            }
        }
        try both.changeNewer("0", add: ["Carl"])
        #expect(try changes(both.older) == ["Author books", "Book author"])
        try both.changeOlder("0", "Dora")
        #expect(
            try changes(both.newer) == [
                "Author books", "Author books", "Author books", "Book authors", "Book authors",
            ])
    }

    @Test("Other programs write columns and pairs: the rows have other versions then")
    func otherPrograms() throws {
        let both = try Both()
        func run(_ statement: String) { #expect(both.store.database.psql(statement) != nil) }
        let version = both.store.database.psql("SELECT version FROM book WHERE title = '0'")
        run(
            "INSERT INTO author_books (book_id, author_id) SELECT b.id, a.id FROM book b, author a WHERE b.title = '0' AND a.name = 'Bert'"
        )
        #expect(try both.links("0") == "Anna of Anna Bert")
        run("DELETE FROM author_books USING author a WHERE a.id = author_id AND a.name = 'Anna'")
        #expect(try both.links("0") == "Bert of Bert")
        #expect(try both.links("1") == "- of ")
        #expect(both.store.database.psql("SELECT version FROM book WHERE title = '0'") != version)
        run("UPDATE book SET author_id = (SELECT id FROM author WHERE name = 'Dora') WHERE title = '0'")
        #expect(try both.links("0") == "Dora of Dora")
        run(
            "UPDATE author_books SET author_id = (SELECT id FROM author WHERE name = 'Carl') "
                + "WHERE book_id = (SELECT id FROM book WHERE title = '0')")
        #expect(try both.links("0") == "Carl of Carl")
        run("DELETE FROM author WHERE name = 'Carl'")
        #expect(try both.links("0") == "- of ")
        run("DELETE FROM book WHERE title = '2'")
        #expect(both.store.database.psql("SELECT count(*) FROM author_books") == "0")
    }

    /// All tables, columns, indexes and constraints of a database, and what the framework has made for itself.
    private static func inventory(_ database: TestDatabase) -> String? {
        database.psql(
            """
            SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
                || ' ' || a.attnotnull FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
                AND NOT a.attisdropped
            UNION ALL SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'public'
            UNION ALL SELECT 'constraint ' || conrelid::regclass || ' '
                || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
            UNION ALL SELECT 'trigger ' || tgrelid::regclass || ' ' || tgname FROM pg_trigger
                WHERE NOT tgisinternal AND tgname LIKE 'coredata%'
            UNION ALL SELECT 'function ' || proname FROM pg_proc WHERE pronamespace = 'coredata'::regnamespace
                AND prorettype = 'trigger'::regtype ORDER BY 1
            """)
    }

    @Test("The tables are those of a new store when the older version has gone, and a later version can follow")
    func end() throws {
        let both = try Both()
        try both.changeNewer("0", add: ["Carl"])
        try both.store.close(both.older)
        #expect(try both.store.end())
        let new = try OnlineStore(Both.newer, Both.newer)
        try new.close(new.open(Both.newer))
        #expect(Self.inventory(both.store.database) == Self.inventory(new.database))
        #expect(
            both.store.database.psql(
                "SELECT count(*) FROM coredata.model_versions WHERE position('former'::bytea IN places) > 0") == "0"
        )
        try both.changeNewer("0", add: ["Dora"], remove: ["Anna"])
        #expect(both.store.database.psql("SELECT count(*) FROM author_books") == "4")
        try both.store.close(both.newer)
        var last = both.store
        last.isOn = false
        (last.older, last.newer) = (Both.newer, Both.newer + "\nentity Shelf\n  room string")
        let context = try last.open(last.newer)
        #expect(
            try OnlineStore.lines(context, "Author", "name", "books.@count") == [
                "Anna 1", "Bert 1", "Carl 1", "Dora 1",
            ])
    }

    @Test("A later migration is done alone, while the store serves both versions still")
    func laterMigrationAlone() throws {
        let both = try Both()
        try both.changeNewer("0", add: ["Carl"])
        try both.store.close(both.older)
        try both.store.close(both.newer)
        let text = Both.newer + "\nentity Shelf\n  room string"
        var last = both.store
        last.isOn = false
        (last.older, last.newer) = (Both.newer, text)
        let context = try last.open(text)
        #expect(try OnlineStore.lines(context, "Book", "title", "authors.@count") == ["0 2", "1 1", "2 1", "3 0"])
        let new = try OnlineStore(text, text, isOn: false)
        try new.close(new.open(text))
        #expect(Self.inventory(last.database) == Self.inventory(new.database))
    }

    @Test("Subentities, several such relationships of one entity, and one within an entity keep their links")
    func hierarchies() throws {
        let older = """
            entity Thing
              title string
            entity Book : Thing
              author one Author.books
              editor one Author.edited
            entity Author
              name string
              books many Book.author
              edited many Book.editor
              chief one Author.staff
              staff many Author.chief
            entity Novelist : Author
              prizes int32
            """
        let newer = older.replacingOccurrences(
            of: "author one Author.books", with: "authors many Author.books was author"
        )
        .replacingOccurrences(of: "books many Book.author", with: "books many Book.authors")
        .replacingOccurrences(of: "editor one Author.edited", with: "editors many Author.edited was editor")
        .replacingOccurrences(of: "edited many Book.editor", with: "edited many Book.editors")
        .replacingOccurrences(of: "chief one Author.staff", with: "chiefs many Author.staff was chief")
        .replacingOccurrences(of: "staff many Author.chief", with: "staff many Author.chiefs")
        let store = try OnlineStore(older, newer)
        let old = try store.open(older)
        try old.performAndWait {
            let anna = old.make("Author", ["name": "Anna"])
            let nora = old.make("Novelist", ["name": "Nora", "chief": anna])
            old.make("Book", ["title": "0", "author": nora, "editor": anna])
            try old.save()
        }
        let new = try store.open(newer)
        try new.performAndWait {
            let book = try #require(try new.all("Book").first)
            let nina = new.make("Novelist", ["name": "Nina"])
            let nora = try #require(try new.all("Author", "name == 'Nora'").first)
            book.setValue(NSSet(object: nina), forKey: "authors")
            book.mutableSetValue(forKey: "editors").add(nora)
            nora.setValue(NSSet(array: [nina, nora]), forKey: "chiefs")
            try new.save()
        }
        #expect(
            try OnlineStore.lines(old, "Book", "author.name", "editor.name")
                == ["Nina Anna"])
        #expect(store.database.psql("SELECT author_entity FROM thing") == "Novelist")
        #expect(try OnlineStore.lines(old, "Author", "name", "chief.name") == ["Anna -", "Nina -", "Nora Nora"])
        try old.performAndWait {
            old.refreshAllObjects()
            let book = try #require(try old.all("Book").first)
            let anna = try #require(try old.all("Author", "name == 'Anna'").first)
            book.setValue(anna, forKey: "author")
            for author in try old.all("Novelist") { author.setValue(anna, forKey: "chief") }
            try old.save()
        }
        #expect(
            try OnlineStore.lines(new, "Book", "authors.@count", "editors.@count", "title") == ["1 2 0"])
        #expect(
            try OnlineStore.lines(old, "Book", "author.name", "editor.name")
                == ["Anna Anna"])
        #expect(store.database.psql("SELECT author_entity FROM thing") == "Author")
        #expect(try OnlineStore.lines(new, "Author", "name", "staff.@count", "chiefs.@count").first == "Anna 2 0")
    }

    @Test("A migration that is killed again and again is taken over, while programs of the older version work")
    func kills() throws {
        let rows = 10_000
        let store = try OnlineStore(Both.older, Both.newer)
        let older = try store.open(Both.older)
        try Both.fill(older)
        let url = store.database.url.absoluteString
        #expect(
            store.database.psql(
                "INSERT INTO book (title, author_id) SELECT 'row', a.id FROM generate_series(1, \(rows)) n "
                    + "JOIN (SELECT id, row_number() OVER (ORDER BY name) AS place FROM author) a ON a.place = n % 5"
            )
                != nil)
        var random = Sample.generator("to many")
        for round in 0..<(Sample.isWhole ? 4 : 2) {
            let child = try ChildProgram("postgresql-child", [url, "migrate", Both.older, Both.newer])
            // Wherever it is, its leftovers have to be whole.
            usleep(UInt32.random(in: 50_000...900_000, using: &random))
            child.kill()
            _ = child.wait()
            try older.performAndWait {
                let authors = try older.all("Author")
                let books = try older.all("Book", "title == 'row'")
                for number in 0..<50 {
                    books[number * 150 + round].setValue(
                        number % 3 == 0 ? nil : authors.randomElement(using: &random), forKey: "author")
                }
                older.make("Book", ["title": "between", "author": authors[0]])
                older.delete(books[149 + round])
                try older.save()
            }
            // This includes the first books, which were moved before all later ones.
            let doomed = older.performAndWait { older.make("Author", ["name": "doomed"]) }
            try older.performAndWait {
                for book in try older.all("Book", "title == '\(round)'") { book.setValue(doomed, forKey: "author") }
                try older.save()
                older.delete(doomed)
                try older.save()
            }
        }
        let child = try ChildProgram("postgresql-child", [url, "migrate", Both.older, Both.newer])
        #expect(child.wait().output == "served\n")
        let wrong = store.database.psql(
            "SELECT count(*) FROM (SELECT id, author_id FROM book WHERE author_id IS NOT NULL) b "
                + "FULL JOIN author_books p ON p.book_id = b.id AND p.author_id = b.author_id "
                + "WHERE b.id IS NULL OR p.book_id IS NULL")
        #expect(wrong == "0")
        #expect(store.database.psql("SELECT count(*) > \(rows / 2) FROM author_books") == "t")
    }

    @Test("A migration whose rows do not fit leaves the store unchanged; programs of the older version continue")
    func unfitRows() throws {
        let store = try OnlineStore(Both.older, Both.newer)
        let older = try store.open(Both.older)
        try Both.fill(older)
        try older.performAndWait {
            older.make("Author", ["name": "Anna"])
            try older.save()
        }
        let before = Self.inventory(store.database)
        let error = try #require(throws: NSError.self) { _ = try store.open(Both.newer + "\n  unique name") }
        #expect(error.code == NSMigrationError && error.localizedDescription.contains("Anna"), "\(error)")
        #expect(Self.inventory(store.database) == before)
        try older.performAndWait {
            try #require(try older.all("Book").first).setValue(nil, forKey: "author")
            try older.save()
        }
    }

    @Test("The forecast has the pairs that will be made, and the triggers")
    func forecast() throws {
        let store = try OnlineStore(Both.older, Both.newer)
        let older = try store.open(Both.older)
        try Both.fill(older)
        let forecast = try NSPersistentStoreCoordinator.migrationForecast(
            forPersistentStoreAt: store.database.url, to: ModelText.model(Both.newer), options: store.options())
        let steps = forecast.hops.flatMap(\.steps).map { "\($0.phase?.rawValue ?? "") \($0.summary) \($0.rows)" }
        #expect(
            steps == [
                "names Book.author renamed to authors 0", "expand table author_books added 0",
                "expand trigger of author_books that keeps the links of both versions in step 0",
                "expand trigger of book that keeps the links of both versions in step 0",
                "move pairs of author_books from book.author_id, slice by slice 4",
                "expand references of author_books.author_id 0", "expand references of author_books.book_id 0",
                "serve the store serves both versions 0",
                "contract what only the older version needs is dropped, when its last program has gone 0",
            ], "\(steps)")
        #expect(forecast.locks.map(\.isExclusive) == [false], "\(forecast.locks)")
    }
}
#endif
