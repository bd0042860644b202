#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineAdditionTests {
    private static let older = """
        entity Thing
          name string
        entity Book : Thing
          pages int32
          chapters many Chapter.book
        entity Chapter
          text string
          book one Book.chapters
        """

    private static func newer(_ changes: (String, String)...) -> String {
        changes.reduce(older) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }

    private static func fill(_ context: NSManagedObjectContext) throws {
        try context.performAndWait {
            for number in 0..<3 {
                let book = context.make("Book", ["name": "Book \(number)", "pages": number])
                context.make("Chapter", ["text": "text \(number)", "book": book])
            }
            context.make("Thing", ["name": "Thing"])
            try context.save()
        }
    }

    @Test("New attributes have their defaults in objects that programs of the older version make, too")
    func attributes() throws {
        let text = Self.newer(
            ("  text string", "  text string\n  note string\n  rank int16! = 7"),
            ("  pages int32", "  pages int32\n  isbn string! = none\n  stock int64"))
        let store = try OnlineStore(Self.older, text)
        let older = try store.open(Self.older)
        try Self.fill(older)
        let newer = try store.open(text)
        try older.performAndWait {
            let book = older.make("Book", ["name": "Book 3", "pages": 3])
            older.make("Chapter", ["text": "text 3", "book": book])
            try older.save()
        }
        try newer.performAndWait {
            let book = newer.make("Book", ["name": "Book 4", "isbn": "4", "stock": 4])
            newer.make("Chapter", ["text": "text 4", "rank": 4, "note": "n", "book": book])
            try newer.save()
        }
        #expect(
            try OnlineStore.lines(newer, "Book", "name", "isbn", "stock") == [
                "Book 0 none -", "Book 1 none -", "Book 2 none -", "Book 3 none -", "Book 4 4 4",
            ])
        #expect(
            try OnlineStore.lines(newer, "Chapter", "text", "rank", "note") == [
                "text 0 7 -", "text 1 7 -", "text 2 7 -", "text 3 7 -", "text 4 4 n",
            ])
        #expect(try OnlineStore.lines(older, "Chapter", "text", "book.name").last == "text 4 Book 4")
        #expect(store.database.psql("SELECT count(*) FROM thing WHERE entity = 'Thing' AND isbn IS NULL") == "1")
        try store.close(older)
        #expect(try store.end())
        #expect(
            store.database.psql("SELECT count(*) FROM pg_trigger WHERE tgname = 'coredata_step'") == "0")
        try newer.performAndWait {
            newer.make("Book", ["name": "Book 5"])
            try newer.save()
        }
        #expect(try OnlineStore.lines(newer, "Book", "name", "isbn").last == "Book 5 none")
    }

    @Test("No relationship of a new entity leads any more to an object that a program of the older version deletes")
    func relationships() throws {
        let text =
            Self.newer(
                ("  text string", "  text string\n  editor one Editor.chapters\n  marks many Mark.chapters"),
                ("  pages int32", "  pages int32\n  first one Chapter.firstOf"),
                ("  book one Book.chapters", "  book one Book.chapters\n  firstOf one Book.first"))
                + """

                entity Editor
                  name string
                  chapters many Chapter.editor
                entity Mark
                  word string
                  chapters many Chapter.marks
                """
        let store = try OnlineStore(Self.older, text)
        let older = try store.open(Self.older)
        try Self.fill(older)
        let newer = try store.open(text)
        try newer.performAndWait {
            let editor = newer.make("Editor", ["name": "Eve"])
            let mark = newer.make("Mark", ["word": "new"])
            for chapter in try newer.all("Chapter") {
                chapter.setValue(editor, forKey: "editor")
                chapter.setValue(NSSet(object: mark), forKey: "marks")
                (chapter.value(forKey: "book") as? NSManagedObject)?.setValue(chapter, forKey: "first")
            }
            try newer.save()
        }
        try older.performAndWait {
            let chapter = try #require(try older.all("Chapter", "text == 'text 1'").first)
            older.delete(chapter)
            try older.save()
        }
        #expect(
            try OnlineStore.lines(newer, "Book", "name", "first.text")
                == ["Book 0 text 0", "Book 1 -", "Book 2 text 2"])
        #expect(try OnlineStore.lines(newer, "Editor", "name", "chapters.@count") == ["Eve 2"])
        #expect(try OnlineStore.lines(newer, "Mark", "word", "chapters.@count") == ["new 2"])
        try store.close(older)
        #expect(try store.end())
        // As in a store of one version, nothing in the server deletes.
        #expect(
            store.database.psql("SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND confdeltype <> 'a'")
                == "0")
    }

    @Test("A removed property stays for the older version, with its defaults, and is dropped when that has gone")
    func removals() throws {
        let whole = Self.newer(("  text string", "  text string\n  rank int16! = 7\n  note string"))
        let text = Self.newer(("entity Chapter", "entity Chapter\n  extra string"))
        let store = try OnlineStore(whole, text)
        let older = try store.open(whole)
        try Self.fill(older)
        let newer = try store.open(text)
        try newer.performAndWait {
            newer.make("Chapter", ["text": "of the newer"])
            try newer.save()
        }
        #expect(try OnlineStore.lines(older, "Chapter", "text", "rank", "note").first == "of the newer 7 -")
        try store.close(older)
        #expect(try store.end())
        #expect(store.columns("chapter") == ["book_id", "entity", "extra", "id", "text", "version"])
        #expect(try OnlineStore.lines(newer, "Chapter", "text").count == 4)
    }

    @Test("Rows that are not unique end the migration, and leave the store as it was")
    func duplicates() throws {
        let text = Self.newer(("  text string", "  text string\n  note string! = none\n  unique text"))
        let store = try OnlineStore(Self.older, text)
        let older = try store.open(Self.older)
        try Self.fill(older)
        try older.performAndWait {
            older.make("Chapter", ["text": "text 1"])
            try older.save()
        }
        let columns = store.columns("chapter")
        let error = try #require(throws: NSError.self) { _ = try store.open(text) }
        #expect(error.code == NSMigrationError && error.localizedDescription.contains("text 1"), "\(error)")
        #expect(store.columns("chapter") == columns)
        #expect(store.database.psql("SELECT count(*) FROM pg_index WHERE NOT indisvalid") == "0")
        #expect(try OnlineStore.lines(older, "Chapter", "text").count == 4)
    }

    @Test("A migration that is cancelled leaves the older version, and continues when it is begun again")
    func cancellation() throws {
        let text = Self.newer(("  pages int32", "  pages int64"))
        let store = try OnlineStore(Self.older, text)
        let older = try store.open(Self.older)
        try Self.fill(older)
        let progress = Progress(totalUnitCount: 1)
        progress.cancel()
        let error = try #require(throws: NSError.self) {
            _ = try store.open(text, [NSMigrationProgressOption: progress])
        }
        #expect(error.code == NSMigrationCancelledError, "\(error)")
        #expect(try OnlineStore.lines(older, "Book", "pages") == ["0", "1", "2"])
        let newer = try store.open(text, [NSMigrationProgressOption: Progress(totalUnitCount: 1)])
        #expect(try OnlineStore.lines(newer, "Book", "pages") == ["0", "1", "2"])
    }

    @Test("Indexes and uniqueness constraints come while programs write, and hold for both versions")
    func indexes() throws {
        let text = Self.newer(
            ("  text string", "  text string index\n  unique text"), ("  pages int32", "  pages int32 index"))
        let store = try OnlineStore(Self.older, text)
        let older = try store.open(Self.older)
        try Self.fill(older)
        let newer = try store.open(text)
        let indexes = store.database.psql(
            "SELECT count(*) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
                + "WHERE indisvalid AND c.relname IN ('book_pages_idx', 'chapter_text_idx', 'chapter_unique_text_idx')"
        )
        #expect(indexes == "3")
        for (context, name) in [(older, "older"), (newer, "newer")] {
            context.performAndWait {
                context.make("Chapter", ["text": "text 1"])
                #expect(throws: NSError.self, "\(name)") { try context.save() }
                context.rollback()
            }
        }
        #expect(try OnlineStore.lines(newer, "Chapter", "text").count == 3)
    }
}
#endif
