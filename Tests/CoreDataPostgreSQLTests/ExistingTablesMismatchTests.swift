#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

// Tables that do not fit the model, and keys that no object can have: refused with their names, or not seen.
extension ExistingTablesTests {
    @Test("Everything in which the tables differ from the model is named in one error, and nothing was made")
    func mismatches() throws {
        try makeShop()
        try #require(
            psql(
                """
                ALTER TABLE people ALTER full_name DROP NOT NULL; ALTER TABLE people ALTER remark DROP DEFAULT;
                ALTER TABLE shop.books ALTER code TYPE text; ALTER TABLE shop.books DROP COLUMN pages;
                DROP TABLE shop.labels; ALTER TABLE tag ALTER edition DROP NOT NULL;
                """) != nil)
        let error = #expect(throws: NSError.self) { try coordinator() }
        #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
        let mismatches = try #require(error?.userInfo[NSPostgreSQLMismatchesKey] as? [String])
        #expect(
            mismatches.sorted() == [
                "the relationship “Book.tags” has no table “shop.labels”",
                "the version of “Tag” may be missing in “tag.edition”",
                "“Author.name” is mandatory, and “people.full_name” may be missing",
                "“Book.identifier” needs the type uuid, and “shop.books.code” is of the type text",
                "“Book.pages” has no column “shop.books.pages”",
                "“people.remark” is mandatory, and not in the model",
            ])
        #expect(psql("SELECT count(*) FROM pg_namespace WHERE nspname = 'coredata'") == "0")
    }

    @Test("Two properties that name one column are named together")
    func givenTwice() throws {
        try #require(psql("CREATE TABLE tag (id integer PRIMARY KEY, name text)") != nil)
        let model = ModelText.model("entity Tag\n  name string\n  word string")
        model.entitiesByName["Tag"]?.propertiesByName["word"]?.userInfo = ["PostgreSQLName": "name"]
        let error = #expect(throws: NSError.self) { try coordinator(model) }
        #expect(
            error?.userInfo[NSPostgreSQLMismatchesKey] as? [String]
                == ["“Tag.name” and “Tag.word” have the column “tag.name”"])
    }

    @Test(
        "A key that is no whole number from 1 to 2^48 - 1, or not unique by itself, is refused with the reason",
        arguments: [
            (
                "id uuid PRIMARY KEY", "",
                "the key “tag.id” is of the type uuid, and only whole numbers can be keys"
            ),
            (
                "id text PRIMARY KEY", "",
                "the key “tag.id” is of the type text, and only whole numbers can be keys"
            ),
            ("id integer UNIQUE", "INSERT INTO tag VALUES (NULL)", "the key “tag.id” may be missing"),
            ("id integer, part integer DEFAULT 1, PRIMARY KEY (id, part)", "", "is not unique by itself"),
            ("id bigint PRIMARY KEY", "INSERT INTO tag VALUES (281474976710656)", "go from 281474976710656"),
            ("id bigint PRIMARY KEY", "INSERT INTO tag VALUES (0)", "go from 0 to 0"),
            ("id numeric(20) PRIMARY KEY", "", "is of the type numeric"),
            ("number integer PRIMARY KEY", "", "has no key “tag.id”"),
        ])
    func keys(_ definition: String, _ insertion: String, _ reason: String) throws {
        try #require(psql("CREATE TABLE tag (\(definition)); ALTER TABLE tag ADD name text; \(insertion)") != nil)
        let tag = NSEntityDescription()
        tag.name = "Tag"
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        tag.properties = [name]
        let model = NSManagedObjectModel()
        model.entities = [tag]
        let error = #expect(throws: NSError.self) { try coordinator(model) }
        let mismatches = try #require(error?.userInfo[NSPostgreSQLMismatchesKey] as? [String])
        #expect(mismatches.first?.contains(reason) == true, "\(mismatches)")
    }

    @Test("A row that another program inserts with a key above 48 bits is not fetched; a link to it is an error")
    func keysWrittenMeanwhile() throws {
        try #require(
            psql(
                """
                CREATE TABLE tag (id bigint PRIMARY KEY, name text);
                CREATE TABLE note (id bigint PRIMARY KEY, tag bigint REFERENCES tag);
                INSERT INTO tag VALUES (281474976710655, 'last'); INSERT INTO note VALUES (1, 281474976710655);
                """) != nil)
        let model = ModelText.model(
            "entity Note\n  tag one Tag.notes\nentity Tag\n  name string\n  notes many Note.tag")
        model.entitiesByName["Note"]?.relationshipsByName["tag"]?.userInfo = ["PostgreSQLName": "tag"]
        let context = context(try coordinator(model))
        try context.performAndWait {
            let note = try context.all("Note").first
            #expect(note?.value(forKeyPath: "tag.name") as? String == "last")
            #expect(psql("INSERT INTO tag VALUES (281474976710656, 'beyond')") != nil)
            #expect(try context.all("Tag").count == 1)
            #expect(psql("INSERT INTO note VALUES (2, 281474976710656)") != nil)
            let error = #expect(throws: NSError.self) { try context.all("Note") }
            #expect(error?.code == CocoaError.Code.fileReadCorruptFile.rawValue)
            #expect(error?.localizedDescription.contains("281474976710656") == true)
            #expect(error?.localizedDescription.contains("Note.tag, row 2") == true)
            #expect(psql("DELETE FROM note WHERE id = 2") != nil)
            #expect(try context.all("Note").count == 1)
        }
    }

    @Test(
        "A reference of another type than keys have, and one of a join table, are refused by table, column and type"
    )
    func references() throws {
        try #require(
            psql(
                """
                CREATE TABLE note (id integer PRIMARY KEY, tag uuid);
                CREATE TABLE tag (id integer PRIMARY KEY);
                CREATE TABLE note_others (note_id text, tag_id integer);
                """) != nil)
        let model = ModelText.model(
            """
            entity Note
              tag one Tag.notes
              others many Tag.others
            entity Tag
              notes many Note.tag
              others many Note.others
            """)
        model.entitiesByName["Note"]?.relationshipsByName["tag"]?.userInfo = ["PostgreSQLName": "tag"]
        let error = #expect(throws: NSError.self) { try coordinator(model) }
        #expect(
            (error?.userInfo[NSPostgreSQLMismatchesKey] as? [String])?.sorted() == [
                "the relationship “Note.others” needs the type bigint, "
                    + "and “note_others.note_id” is of the type text",
                "“Note.tag” needs the type bigint, and “note.tag” is of the type uuid",
            ])
    }

    @Test("A row that another program inserts with an impossible key is not fetched, for any type of its column")
    func negativeKey() throws {
        try #require(
            psql("CREATE TABLE tag (id integer PRIMARY KEY, name text); INSERT INTO tag VALUES (3, 'a')") != nil)
        let context = context(try coordinator(ModelText.model("entity Tag\n  name string")))
        try context.performAndWait {
            #expect(psql("INSERT INTO tag VALUES (-3, 'b'), (0, 'c')") != nil)
            let count = try context.all("Tag").count
            #expect(count == 1)
        }
    }

    @Test(
        "A row that a trigger of the table keeps out is an error that names the table",
        arguments: ["INSERT", "UPDATE"])
    func keptOut(operation: String) throws {
        try #require(
            psql(
                """
                CREATE TABLE tag (id serial PRIMARY KEY, name text); INSERT INTO tag (name) VALUES ('a');
                CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
                CREATE TRIGGER nothing BEFORE \(operation) ON tag FOR EACH ROW EXECUTE FUNCTION nothing();
                """) != nil)
        let context = context(try coordinator(ModelText.model("entity Tag\n  name string")))
        try context.performAndWait {
            if operation == "INSERT" {
                context.make("Tag", ["name": "b"])
            } else {
                try #require(try context.all("Tag").first).setValue("b", forKey: "name")
            }
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(
                error?.localizedDescription.contains("“tag” keeps the row out") == true,
                "\(error.map { "\($0)" } ?? "")")
        }
        #expect(psql("SELECT name FROM tag") == "a")
    }

    @Test("Tables that change after a store was opened are checked when it is opened again")
    func changedTables() throws {
        try makeShop()
        _ = try coordinator()
        // The view stands in the way until its owner gives it up.
        #expect(psql("ALTER TABLE people DROP COLUMN born") == nil)
        #expect(psql("ALTER TABLE people DROP COLUMN born CASCADE") != nil)
        let error = #expect(throws: NSError.self) { try coordinator() }
        #expect(
            error?.userInfo[NSPostgreSQLMismatchesKey] as? [String]
                == ["“Author.joined” has no column “people.born”"])
        #expect(psql("ALTER TABLE people ADD COLUMN born timestamp") != nil)
        let context = context(try coordinator())
        try context.performAndWait {
            try #require(try context.all("Author").first).setValue(Date(timeIntervalSince1970: 5), forKey: "joined")
            try context.save()
        }
        #expect(psql("SELECT count(*) FROM people WHERE born = '1970-01-01 00:00:05'") == "1")
    }

    @Test("A store over existing tables is replaced by one with tables of its own, and replaces none")
    func replaced() throws {
        let model = ModelText.model("entity Tag\n  name string")
        try #require(
            psql("CREATE TABLE label (id serial PRIMARY KEY, name text); INSERT INTO label (name) VALUES ('a')")
                != nil)
        let labels = ModelText.model("entity Label\n  name string")
        _ = try coordinator(labels)
        let other = database.server.url(ofDatabase: database.name + "-2")
        try withStore(other, model, type: NSPostgreSQLStoreType) { context in
            context.make("Tag", ["name": "b"])
            try context.save()
        }
        let replacer = NSPersistentStoreCoordinator(managedObjectModel: model)
        let refusal = #expect(throws: NSError.self) {
            try replacer.replacePersistentStore(
                at: other, withPersistentStoreFrom: url, ofType: NSPostgreSQLStoreType)
        }
        #expect(refusal?.localizedDescription.contains("tables of another program") == true)
        try replacer.replacePersistentStore(
            at: url, withPersistentStoreFrom: other, ofType: NSPostgreSQLStoreType)
        try withStore(url, model, type: NSPostgreSQLStoreType) { context in
            let count = try context.all("Tag", "name == 'b'").count
            #expect(count == 1)
        }
        #expect(psql("SELECT name FROM label") == "a")
    }

    @Test("A database has its own tables or existing ones: the option must name the kind each time")
    func option() throws {
        try makeShop()
        _ = try coordinator()
        #expect(throws: NSError.self) { try coordinator(nil, [NSPostgreSQLExistingTablesOption: false]) }
    }
}
#endif
