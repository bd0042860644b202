#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OtherWritersTests {
    private let server: PostgreSQLServer
    private let library: Library

    init() throws {
        server = try PostgreSQLServer.shared.get()
        let model = LibraryModel.make()
        let author = try #require(model.entitiesByName["Author"])
        for (name, value) in [
            ("active", true), ("joined", Date(timeIntervalSinceReferenceDate: 0.5)),
        ] as [(String, Any)] {
            author.attributesByName[name]?.defaultValue = value
        }
        library = try Library(.postgreSQL, model: model, options: [NSPersistentHistoryTrackingKey: true])
    }

    private var database: String { library.database }

    private func psql(_ statement: String) -> String? { server.psql(database, statement) }

    // MARK: Insertions

    @Test("A row that psql inserts without key, entity and version has all three, and defaults, and is fetched")
    func insertion() throws {
        #expect(
            psql("INSERT INTO author (name) VALUES ('Eco') RETURNING id % 64, version >> 30, entity, active")
                == "1|1|Author|t\nINSERT 0 1")
        let version = psql("SELECT version + 1 FROM author")
        let context = library.context()
        try context.performAndWait {
            let author = try #require(try context.all("Author").first)
            #expect(author.value(forKey: "name") as? String == "Eco")
            #expect(author.value(forKey: "joined") as? Date == Date(timeIntervalSinceReferenceDate: 0.5))
            author.setValue("Umberto Eco", forKey: "name")
            context.make("Author", ["name": "Calvino"])
            try context.save()
        }
        #expect(
            psql("SELECT name, version FROM author ORDER BY name") == "Calvino|1\nUmberto Eco|\(version ?? "")")
    }

    @Test("Keys that psql takes and keys that a context takes never meet")
    func keys() throws {
        let context = library.context()
        for number in 0..<5 {
            _ = psql("INSERT INTO tag (name) SELECT 'psql ' || n FROM generate_series(1, 100) n")
            try context.performAndWait {
                for place in 0..<100 { context.make("Tag", ["name": "context \(number) \(place)"]) }
                try context.save()
            }
        }
        #expect(psql("SELECT count(*), count(DISTINCT id) FROM tag") == "1000|1000")
    }

    @Test("A row needs a name where the model does, an entity where there are several, and one of the model's")
    func refusals() throws {
        #expect(psql("INSERT INTO author (active) VALUES (true)") == nil)
        #expect(psql("INSERT INTO book (title) VALUES ('nothing')") == nil)
        #expect(psql("INSERT INTO book (entity, title) VALUES ('Poem', 'nothing')") == nil)
        #expect(psql("INSERT INTO book (entity, title) VALUES ('Novel', 'something')") != nil)
        #expect(try library.saved("Book", "title") == ["something"])
    }

    @Test("Foreign keys hold: a book needs an author that is there, and an author with books stays")
    func foreignKeys() throws {
        #expect(psql("INSERT INTO book (entity, author_id) VALUES ('Book', 4711)") == nil)
        #expect(
            psql(
                "INSERT INTO author (id, name) VALUES (1000, 'Eco'); "
                    + "INSERT INTO book (entity, author_id) VALUES ('Book', 1000)") != nil)
        #expect(psql("DELETE FROM author WHERE id = 1000") == nil)
        // Within one transaction the order is free.
        #expect(psql("BEGIN; DELETE FROM author WHERE id = 1000; DELETE FROM book; COMMIT") != nil)
        #expect(try library.saved("Author", "name") == [])
    }

    // MARK: Conflicts

    @Test("A change by psql is a conflict for a context, and its merge policy decides")
    func conflicts() throws {
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "Calvino"])
            try context.save()
            #expect(psql("UPDATE author SET name = 'Italo'") == "UPDATE 1")
            #expect(psql("SELECT version FROM author") == "2")
            author.setValue(false, forKey: "active")
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSManagedObjectMergeError)
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
        }
        #expect(psql("SELECT name, active, version FROM author") == "Italo|f|3")
    }

    @Test("A program that counts versions itself is not counted for; the smallest follows the largest")
    func versions() throws {
        _ = psql("INSERT INTO tag (name, version) VALUES ('a', 1)")
        #expect(psql("UPDATE tag SET name = 'b', version = 2 WHERE version = 1 RETURNING version") == "2\nUPDATE 1")
        #expect(psql("UPDATE tag SET version = 2147483647 RETURNING version") == "2147483647\nUPDATE 1")
        #expect(psql("UPDATE tag SET name = 'c'; SELECT version FROM tag") == "UPDATE 1\n-2147483648")
    }

    @Test("While a batch runs, psql writes, and a save of the framework's waits")
    func batches() throws {
        let other = try library.beside().context()
        let (calls, isSaved, failures) = (Locked(0), Locked(false), Locked<[String]>([]))
        let group = DispatchGroup()
        let (server, database) = (server, database)
        let waiting = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            """
        let request = NSBatchInsertRequest(
            entityName: "Tag",
            dictionaryHandler: { row in
                let number = calls.withLock { count -> Int in
                    count += 1
                    return count
                }
                if number > 1 { return true }
                row["name"] = "batch"
                #expect(server.psql(database, "INSERT INTO tag (name) VALUES ('psql')") == "INSERT 0 1")
                group.enter()
                Thread.detachNewThread {
                    other.performAndWait {
                        other.make("Tag", ["name": "save"])
                        do { try other.save() } catch { failures.withLock { $0.append("\(error)") } }
                    }
                    isSaved.withLock { $0 = true }
                    group.leave()
                }
                while !isSaved.withLock({ $0 }), server.psql(database, waiting) != "1" {}
                #expect(!isSaved.withLock { $0 })
                return false
            })
        let context = library.context()
        try context.performAndWait { _ = try context.execute(request) }
        group.wait()
        #expect(failures.withLock { $0 } == [])
        #expect(try library.saved("Tag", "name") == ["batch", "psql", "save"])
    }

    // MARK: History

    private struct Entry: Equatable, CustomStringConvertible {
        var type: NSPersistentHistoryChangeType
        var entity: String
        var properties: Set<String> = []

        var description: String { "\(type.rawValue) \(entity) \(properties.sorted())" }
    }

    private func transactions() throws -> [NSPersistentHistoryTransaction] {
        server.awaitHistory(of: database)
        let context = library.context()
        return try context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            return try #require(result?.result as? [NSPersistentHistoryTransaction])
        }
    }

    private func entries(of transaction: NSPersistentHistoryTransaction?) -> [Entry] {
        (transaction?.changes ?? []).map { change in
            Entry(
                type: change.changeType, entity: change.changedObjectID.entity.name ?? "",
                properties: Set((change.updatedProperties ?? []).map(\.name)))
        }
    }

    @Test("An insertion, update or deletion by psql is in the history, by its name, a transaction each")
    func history() throws {
        _ = psql("INSERT INTO author (name) VALUES ('Eco')")
        _ = psql("UPDATE author SET name = 'Umberto', active = false, joined = joined")
        _ = psql("DELETE FROM author")
        let found = try transactions()
        #expect(
            found.map { entries(of: $0) } == [
                [Entry(type: .insert, entity: "Author")],
                [Entry(type: .update, entity: "Author", properties: ["name", "active"])],
                [Entry(type: .delete, entity: "Author")],
            ])
        #expect(found.map(\.author) == ["psql", "psql", "psql"])
        #expect(found.map(\.contextName) == ["postgres", "postgres", "postgres"])
        let age = try #require(found.last).timestamp.timeIntervalSinceNow
        #expect(abs(age) < 60)
    }

    @Test("One transaction of psql's is one of the history's, with any number of changes")
    func wholeTransaction() throws {
        _ = psql(
            "BEGIN; INSERT INTO author (id, name) VALUES (1000, 'Eco'); INSERT INTO tag (name) VALUES ('x'); COMMIT"
        )
        let found = try transactions()
        #expect(found.count == 1)
        #expect(
            entries(of: found.first) == [
                Entry(type: .insert, entity: "Author"), Entry(type: .insert, entity: "Tag"),
            ])
    }

    @Test("A reference that psql sets is recorded for the row that it leads to, and for the one that it led to")
    func references() throws {
        _ = psql("INSERT INTO author (id, name) VALUES (1000, 'Eco'), (2000, 'Calvino')")
        _ = psql("INSERT INTO book (entity, author_id) VALUES ('Novel', 1000)")
        _ = psql("UPDATE book SET author_id = 2000")
        let found = try transactions().suffix(2).map { entries(of: $0) }
        let owner = Entry(type: .update, entity: "Author", properties: ["books"])
        #expect(
            found == [
                [Entry(type: .insert, entity: "Novel"), owner],
                [Entry(type: .update, entity: "Novel", properties: ["author"]), owner, owner],
            ])
    }

    @Test("A pair that psql makes or removes is recorded for both sides")
    func pairs() throws {
        _ = psql(
            "INSERT INTO book (id, entity) VALUES (1000, 'Novel'); INSERT INTO tag (id, name) VALUES (2000, 'x')")
        #expect(psql("INSERT INTO book_tags (book_id, tag_id) VALUES (1000, 2000)") != nil)
        #expect(psql("DELETE FROM book_tags") != nil)
        let found = try transactions().suffix(2).map { Set(entries(of: $0).map(\.description)) }
        let both: Set = ["1 Novel [\"tags\"]", "1 Tag [\"books\"]"]
        #expect(found == [both, both])
    }

    @Test("A write of a stranger's trigger in a context's transaction counts versions up and is in its history")
    func triggers() throws {
        try #require(
            psql(
                """
                CREATE FUNCTION remember() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    UPDATE author SET active = NOT active WHERE id = NEW.author_id;
                    INSERT INTO tag (name) VALUES (NEW.title);
                    RETURN NULL;
                END $$;
                CREATE TRIGGER remember AFTER UPDATE OF title ON book FOR EACH ROW EXECUTE FUNCTION remember();
                """) != nil)
        let context = library.context()
        let other = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "Calvino", "active": true])
            let book = context.make("Novel", ["title": "a", "author": author])
            try context.save()
            book.setValue("b", forKey: "title")
            context.transactionAuthor = "tests"
            try context.save()
            #expect(psql("SELECT version, active FROM author") == "2|f")
            // The row that is kept is no longer of the version.
            let active = try other.performAndWait { try other.all("Author").first?.value(forKey: "active") }
            #expect(active as? Bool == false)
            author.setValue("Italo", forKey: "name")
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSManagedObjectMergeError)
        }
        let found = try transactions()
        #expect(found.count == 2)
        #expect(found.last?.author == "tests")
        #expect(
            Set(entries(of: found.last).map(\.description))
                == ["1 Author [\"active\"]", "0 Tag []", "1 Novel [\"title\"]"])
        #expect(entries(of: found.last).count == 3)
    }

    @Test("A value that a stranger's trigger alters before the row is written goes unnoticed")
    func alteringTrigger() throws {
        try #require(
            psql(
                """
                CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    NEW.name := upper(NEW.name);
                    RETURN NEW;
                END $$;
                CREATE TRIGGER shout BEFORE INSERT OR UPDATE ON tag FOR EACH ROW EXECUTE FUNCTION shout();
                """) != nil)
        let context = library.context()
        try context.performAndWait {
            let tag = context.make("Tag", ["name": "a"])
            try context.save()
            #expect(psql("SELECT name FROM tag") == "A")
            #expect(tag.value(forKey: "name") as? String == "a")
            // It is no conflict.
            tag.setValue("b", forKey: "name")
            try context.save()
            #expect(psql("SELECT name FROM tag") == "B")
            #expect(tag.value(forKey: "name") as? String == "b")
        }
    }

    @Test("A table that psql empties is recorded row by row")
    func emptied() throws {
        _ = psql("INSERT INTO profile (text) VALUES ('a'), ('b')")
        #expect(psql("TRUNCATE profile CASCADE") != nil)
        let deletion = Entry(type: .delete, entity: "Profile")
        #expect(entries(of: try transactions().last) == [deletion, deletion])
    }

    @Test("A context's save is recorded once, and its versions are counted once")
    func ownWrites() throws {
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "Calvino"])
            context.make("Book", ["title": "a", "author": author, "tags": Set([context.make("Tag")])])
            try context.save()
            author.setValue("Italo", forKey: "name")
            try context.save()
        }
        let found = try transactions()
        #expect(found.map { entries(of: $0).count } == [3, 1])
        #expect(psql("SELECT version FROM author") == "2")
    }

    @Test("History merged into a context brings psql's writes, also to a relationship that was read before")
    func merging() throws {
        let context = library.context()
        let author = try context.performAndWait {
            let author = context.make("Author", ["name": "Calvino"])
            try context.save()
            #expect((author.value(forKey: "books") as? Set<NSManagedObject>)?.count == 0)
            return author
        }
        _ = psql("INSERT INTO book (entity, title, author_id) SELECT 'Book', 'new', id FROM author")
        _ = psql("UPDATE author SET name = 'Italo'")
        let found = try transactions()
        try context.performAndWait {
            for transaction in found {
                context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
            }
            let books = try #require(author.value(forKey: "books") as? Set<NSManagedObject>)
            #expect(books.map { $0.value(forKey: "title") as? String } == ["new"])
            #expect(author.value(forKey: "name") as? String == "Italo")
        }
    }

    // MARK: Notifications

    @Test("A listener gets one notification for a transaction of psql's, with its number")
    func notifications() throws {
        let listener = try ListeningPsql(server, database)
        _ = psql("BEGIN; INSERT INTO tag (name) VALUES ('a'), ('b'); UPDATE tag SET name = 'c'; COMMIT")
        #expect(psql("BEGIN; DELETE FROM tag; ROLLBACK") != nil)
        let number = psql("SELECT max(id) FROM coredata.transactions")
        #expect(try listener.payloads() == [number])
    }

    @Test("A role that has rights to the tables alone writes, and is noticed by its name")
    func rights() throws {
        let role = "writer_\(UUID().uuidString.prefix(8).lowercased())"
        #expect(psql("CREATE ROLE \(role); GRANT ALL ON ALL TABLES IN SCHEMA public TO \(role)") != nil)
        let written = psql(
            "SET ROLE \(role); SET application_name = 'reporter'; INSERT INTO tag (name) VALUES ('a')")
        #expect(written != nil)
        #expect(try transactions().first?.author == "reporter")
        #expect(psql("SET ROLE \(role); SELECT coredata.note(0, 'Tag', 1)") == nil)
        _ = psql("REASSIGN OWNED BY \(role) TO postgres; DROP OWNED BY \(role); DROP ROLE \(role)")
    }

    // MARK: SQLAlchemy

    @Test(
        "SQLAlchemy inserts, reads, updates and deletes objects of the framework's",
        .enabled(if: PostgreSQLServer.reasonWithoutSQLAlchemy == nil, "no SQLAlchemy: bin/setup --postgresql"))
    func sqlalchemy() throws {
        let context = library.context()
        let author = try context.performAndWait {
            let author = context.make("Author", ["name": "Calvino"])
            context.make("Tag", ["name": "old"])
            try context.save()
            return author
        }
        let listener = try ListeningPsql(server, database)
        let printed = server.sqlalchemy(
            database,
            """
            Author, Book, Tag = Base.classes.author, Base.classes.book, Base.classes.tag
            calvino = session.scalars(select(Author)).one()
            calvino.name = "Italo Calvino"
            session.add(Book(entity="Novel", title="Il barone rampante", author=calvino))
            session.delete(session.scalars(select(Tag)).one())
            session.commit()
            print([book.title for book in calvino.book_collection], calvino.version)
            """)
        #expect(printed == "['Il barone rampante'] 2")
        #expect(try listener.payloads().count == 1)
        let last = Set(entries(of: try transactions().last).map(\.description))
        #expect(
            last == [
                "0 Novel []", "1 Author [\"books\"]", "1 Author [\"name\"]", "2 Tag []",
            ])
        try context.performAndWait {
            author.setValue(false, forKey: "active")
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSManagedObjectMergeError)
            context.refresh(author, mergeChanges: true)
            try context.save()
            let book = try #require(try context.all("Novel").first)
            #expect(book.value(forKeyPath: "author.name") as? String == "Italo Calvino")
        }
    }

    @Test(
        "SQLAlchemy finds that a context was quicker, where it uses the version as its own",
        .enabled(if: PostgreSQLServer.reasonWithoutSQLAlchemy == nil, "no SQLAlchemy: bin/setup --postgresql"))
    func sqlalchemyVersions() throws {
        let context = library.context()
        try context.performAndWait {
            context.make("Tag", ["name": "a"])
            try context.save()
        }
        let printed = server.sqlalchemy(
            database,
            """
            from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
            from sqlalchemy.orm.exc import StaleDataError
            class Own(DeclarativeBase): pass
            class Tag(Own):
                __tablename__ = "tag"
                id: Mapped[int] = mapped_column(primary_key=True)
                name: Mapped[str]
                version: Mapped[int] = mapped_column()
                __mapper_args__ = {"version_id_col": version}
            tag = session.scalars(select(Tag)).one()
            tag.name = "b"
            session.commit()
            print(tag.version)
            tag.name = "c"
            with engine.begin() as other: other.execute(text("UPDATE tag SET name = 'quicker'"))
            try: session.commit()
            except StaleDataError: print("stale")
            """)
        #expect(printed == "2\nstale")
        #expect(try library.saved("Tag", "name") == ["quicker"])
    }
}
#endif
