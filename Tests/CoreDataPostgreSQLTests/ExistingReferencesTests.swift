#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

// Existing tables whose foreign keys every statement checks, as it is unless the tables defer the checks.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct ExistingReferencesTests {
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase(
            with: """
                CREATE TABLE writer (id serial PRIMARY KEY, name varchar(20) UNIQUE);
                CREATE TABLE note (id serial PRIMARY KEY, name text, writer_id integer REFERENCES writer,
                    parent_id integer REFERENCES note);
                CREATE TABLE page (id serial PRIMARY KEY, name text, note_id integer NOT NULL REFERENCES note);
                CREATE TABLE label (id serial PRIMARY KEY, name text);
                CREATE TABLE note_label (note integer REFERENCES note, label integer REFERENCES label,
                    PRIMARY KEY (note, label));
                """)
    }

    private func context(cascading: (String, String)? = nil) throws -> NSManagedObjectContext {
        let model = ModelText.model(
            """
            entity Label
              name string
              notes many Note.labels
            entity Note
              name string
              writer one Writer.notes
              parent one Note.children
              children many Note.parent
              pages many Page.note
              labels many Label.notes
            entity Page
              name string
              note one! Note.pages
            entity Writer
              name string
              notes many Note.writer
              unique name
            """)
        model.entitiesByName["Note"]?.propertiesByName["labels"]?.userInfo = [
            "PostgreSQLName": "note_label", "PostgreSQLOwnerColumn": "note", "PostgreSQLMemberColumn": "label",
        ]
        for name in ["children", "pages"] {
            model.entitiesByName["Note"]?.relationshipsByName[name]?.deleteRule = .cascadeDeleteRule
        }
        if let (entity, name) = cascading {
            let relationship = model.entitiesByName[entity]?.relationshipsByName[name]
            relationship?.deleteRule = .cascadeDeleteRule
            relationship?.inverseRelationship?.deleteRule = .noActionDeleteRule
        }
        return try database.contextOverTables(model)
    }

    /// Notes that lead to each other, each made before the one that it leads to, with pages, labels and a writer.
    private func fill(_ context: NSManagedObjectContext, notes: Int) {
        let made = (0..<notes).map { context.make("Note", ["name": "note \($0)"]) }
        let writer = context.make("Writer", ["name": "Levi"])
        let label = context.make("Label", ["name": "label"])
        for (note, parent) in zip(made, made.dropFirst()) { note.setValue(parent, forKey: "parent") }
        for note in made {
            note.setValue(writer, forKey: "writer")
            note.setValue(Set([label]), forKey: "labels")
            context.make("Page", ["name": "page", "note": note])
        }
    }

    private var counts: String? {
        database.psql(
            "SELECT (SELECT count(*) FROM writer), (SELECT count(*) FROM note), (SELECT count(*) FROM page), "
                + "(SELECT count(*) FROM label), (SELECT count(*) FROM note_label)")
    }

    @Test(
        "New rows are inserted behind those that they lead to, in any order of their creation",
        arguments: [3, 700])
    func insertions(count: Int) throws {
        let context = try context()
        try context.performAndWait {
            fill(context, notes: count)
            try context.save()
            #expect(counts == "1|\(count)|\(count)|1|\(count)")
            #expect(database.psql("SELECT count(*) FROM note WHERE parent_id IS NULL") == "1")
        }
    }

    @Test("A deleted row goes when nothing leads to it any more: by the rules of the model, row by row")
    func deletions() throws {
        let context = try context()
        try context.performAndWait {
            fill(context, notes: 40)
            try context.save()
            context.delete(try #require(try context.all("Writer").first))
            context.delete(try #require(try context.all("Label").first))
            try context.save()
            #expect(counts == "0|40|40|0|0")
            // The first note leads to the second, and so on to the last: the deletion of the last one deletes all
            // of them.
            let last = try #require(try context.all("Note", "parent == nil").first)
            context.delete(last)
            // Something new in the same save, in the place of what goes.
            let writer = context.make("Writer", ["name": "Eco"])
            context.make("Note", ["name": "new", "writer": writer])
            try context.save()
            #expect(counts == "1|1|0|0|0")
        }
    }

    @Test("A row that is new may take over the unique value of one that goes, and one that stays may not")
    func uniqueValues() throws {
        let context = try context()
        try context.performAndWait {
            let former = context.make("Writer", ["name": "Levi"])
            try context.save()
            context.delete(former)
            context.make("Note", ["name": "new", "writer": context.make("Writer", ["name": "Levi"])])
            try context.save()
            #expect(database.psql("SELECT w.name FROM note JOIN writer w ON w.id = writer_id") == "Levi")
            context.make("Writer", ["name": "Levi"])
            let error = try #require(throws: NSError.self) { try context.save() }
            #expect(error.code == NSManagedObjectConstraintMergeError)
        }
    }

    @Test(
        "A batch deletes rows that other rows lead to by the same rules",
        arguments: [("Writer", "0|9|9|1|9"), ("Label", "1|9|9|0|0"), ("Note", "1|0|0|1|0")])
    func batches(entity: String, expected: String) throws {
        let context = try context()
        try context.performAndWait {
            fill(context, notes: 9)
            try context.save()
            let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: entity))
            request.resultType = .resultTypeCount
            let result = try context.execute(request) as? NSBatchDeleteResult
            #expect(result?.result as? Int == (entity == "Note" ? 9 : 1))
            #expect(counts == expected)
        }
    }

    @Test("A batch deletes a list from its end, and a long one, too", arguments: [true, false])
    func batchesOfLists(isReversed: Bool) throws {
        let count = Sample.isWhole ? 3_000 : 300
        try #require(
            database.psql(
                """
                INSERT INTO note (id, name) SELECT n, 'note ' || n FROM generate_series(1, \(count)) n;
                UPDATE note SET parent_id = id \(isReversed ? "- 1 WHERE id > 1" : "+ 1 WHERE id < \(count)");
                INSERT INTO page (note_id) SELECT id FROM note;
                """) != nil)
        let context = try context()
        try context.performAndWait {
            let root = NSFetchRequest<NSFetchRequestResult>(entityName: "Note")
            root.predicate = NSPredicate(format: "parent == nil")
            _ = try context.execute(NSBatchDeleteRequest(fetchRequest: root))
        }
        #expect(counts == "0|0|0|0|0")
    }

    @Test("The target of a batch's rows goes along when none of them leads to it any more")
    func batchesOfTargets() throws {
        let context = try context(cascading: ("Note", "writer"))
        try context.performAndWait {
            fill(context, notes: 30)
            try context.save()
            let root = NSFetchRequest<NSFetchRequestResult>(entityName: "Note")
            root.predicate = NSPredicate(format: "parent == nil")
            _ = try context.execute(NSBatchDeleteRequest(fetchRequest: root))
            #expect(counts == "0|0|0|1|0")
        }
    }

    @Test("A unique value moves from a row that stays to a new one, and a save without an order says so")
    func valuesFromUpdates() throws {
        let context = try context()
        try context.performAndWait {
            let former = context.make("Writer", ["name": "Levi"])
            try context.save()
            former.setValue("Primo Levi", forKey: "name")
            let other = context.make("Writer", ["name": "Levi"])
            try context.save()
            #expect(database.psql("SELECT string_agg(name, ',' ORDER BY id) FROM writer") == "Primo Levi,Levi")
            // The note is to lead from a row that is deleted to a new one, which takes over a name.
            let note = context.make("Note", ["name": "note", "writer": former])
            try context.save()
            other.setValue("Carlo Levi", forKey: "name")
            note.setValue(context.make("Writer", ["name": "Levi"]), forKey: "writer")
            context.delete(former)
            let error = try #require(throws: NSError.self) { try context.save() }
            #expect(error.localizedDescription.contains("no order"), "\(error)")
            context.rollback()
            #expect(database.psql("SELECT string_agg(name, ',' ORDER BY id) FROM writer") == "Primo Levi,Levi")
        }
    }

    @Test("A deletion that another program's row forbids is refused, and a clash with a row that stays is one")
    func refusals() throws {
        let context = try context()
        try context.performAndWait {
            let levi = context.make("Writer", ["name": "Levi"])
            context.make("Writer", ["name": "Eco"])
            context.make("Note", ["name": "note", "writer": levi])
            try context.save()
            context.delete(levi)
            context.make("Writer", ["name": "Eco"])
            let clash = try #require(throws: NSError.self) { try context.save() }
            #expect(clash.code == NSManagedObjectConstraintMergeError)
            context.rollback()
            try #require(
                database.psql("CREATE TABLE prize (w integer REFERENCES writer); INSERT INTO prize VALUES (1)")
                    != nil)
            context.delete(levi)
            let denied = try #require(throws: NSError.self) { try context.save() }
            #expect(denied.code == NSValidationRelationshipDeniedDeleteError)
            #expect(denied.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === levi)
            #expect(denied.localizedDescription.contains("prize"), "\(denied)")
        }
    }

    @Test("A reference that moves from a row that goes to one that is new is written in one save")
    func moved() throws {
        let context = try context()
        try context.performAndWait {
            fill(context, notes: 2)
            try context.save()
            let former = try #require(try context.all("Writer").first)
            let writer = context.make("Writer", ["name": "Eco"])
            for note in try context.all("Note") { note.setValue(writer, forKey: "writer") }
            context.delete(former)
            try context.save()
            #expect(database.psql("SELECT DISTINCT w.name FROM note JOIN writer w ON w.id = writer_id") == "Eco")
        }
    }

    @Test("New rows that lead to each other in a circle are refused, unless a key of it is INITIALLY DEFERRED")
    func circle() throws {
        func save() throws {
            let context = try context()
            try context.performAndWait {
                let notes = ["a", "b"].map { context.make("Note", ["name": $0]) }
                notes[0].setValue(notes[1], forKey: "parent")
                notes[1].setValue(notes[0], forKey: "parent")
                try context.save()
            }
        }
        let error = #expect(throws: NSError.self) { try save() }
        #expect(error?.code == NSManagedObjectReferentialIntegrityError, "\(error as Any)")
        #expect(database.psql("SELECT count(*) FROM note") == "0")
        let change = "ALTER TABLE note ALTER CONSTRAINT note_parent_id_fkey DEFERRABLE INITIALLY DEFERRED"
        #expect(database.psql(change) != nil)
        try save()
        #expect(database.psql("SELECT count(*) FROM note a JOIN note b ON b.id = a.parent_id") == "2")
    }
}
#endif
