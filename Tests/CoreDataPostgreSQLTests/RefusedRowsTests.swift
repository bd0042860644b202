#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

// Rows that existing tables refuse: the error names entity, attribute and object.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct RefusedRowsTests {
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase(
            with: """
                CREATE DOMAIN grade AS integer CHECK (VALUE BETWEEN 1 AND 6);
                CREATE TABLE writer (id serial PRIMARY KEY, name varchar(8));
                CREATE TABLE note (id serial PRIMARY KEY, full_text varchar(5), kind varchar(2), size smallint,
                    price numeric(5, 2), weight real, marks integer CHECK (marks > 0), mark grade, born timestamptz,
                    writer integer REFERENCES writer, CONSTRAINT small CHECK (size * price < 1000));
                INSERT INTO writer (name) VALUES ('Eco');
                """)
    }

    private func model() -> NSManagedObjectModel {
        let model = ModelText.model(
            """
            entity Note
              text string
              kind string
              size int64
              price decimal
              weight double
              marks int32
              writer one Writer.notes
            entity Writer
              name string
              notes many Note.writer
            """)
        let note = model.entitiesByName["Note"]
        note?.propertiesByName["text"]?.userInfo = ["PostgreSQLName": "full_text"]
        note?.propertiesByName["writer"]?.userInfo = ["PostgreSQLName": "writer"]
        return model
    }

    private func context(_ model: NSManagedObjectModel? = nil) throws -> NSManagedObjectContext {
        return try database.contextOverTables(model ?? self.model())
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var key: String
        var value: String
        var code: Int
        var words: [String]
        var fitting: String

        var testDescription: String { "\(key) \(value)" }
    }

    private static let cases = [
        Case(
            key: "text", value: "longer", code: NSValidationStringTooLongError,
            words: ["6 characters", "character varying(5)"], fitting: "short"),
        Case(
            key: "kind", value: "abc", code: NSValidationStringTooLongError,
            words: ["3 characters", "character varying(2)"], fitting: "ab"),
        Case(
            key: "size", value: "40000", code: NSValidationNumberTooLargeError, words: ["40000", "smallint"],
            fitting: "400"),
        Case(
            key: "size", value: "-40000", code: NSValidationNumberTooSmallError, words: ["-40000", "smallint"],
            fitting: "400"),
        Case(
            key: "price", value: "999.995", code: NSValidationNumberTooLargeError,
            words: ["999.995", "numeric(5,2)"], fitting: "999.99"),
        Case(
            key: "weight", value: "1e300", code: NSValidationNumberTooLargeError, words: ["real"], fitting: "1.5"),
        Case(
            key: "marks", value: "0", code: NSManagedObjectValidationError, words: ["note_marks_check"],
            fitting: "1"),
    ]

    private func value(_ text: String, _ key: String) -> Any {
        switch key {
        case "size", "marks": Int(text) ?? 0
        case "price": NSDecimalNumber(string: text)
        case "weight": Double(text) ?? 0
        default: text
        }
    }

    @Test("A value that its column does not take is reported with entity, attribute and object", arguments: cases)
    func values(_ given: Case) throws {
        let context = try context()
        try context.performAndWait {
            for number in 0..<40 { context.make("Note", ["text": "n \(number)"]) }
            let note = context.make("Note", [given.key: value(given.value, given.key)])
            for number in 0..<40 { context.make("Note", ["text": "m \(number)"]) }
            func expectRefusal() throws {
                let error = try #require(throws: NSError.self) { try context.save() }
                #expect(error.code == given.code)
                #expect(error.userInfo[NSValidationKeyErrorKey] as? String == given.key)
                #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === note)
                for word in ["Note.\(given.key)"] + given.words {
                    #expect(error.localizedDescription.contains(word), "\(error)")
                }
                let told = error.userInfo[NSUnderlyingErrorKey] as? NSError
                #expect((told?.userInfo[NSPostgreSQLStateKey] as? String)?.hasPrefix("2") == true)
            }
            try expectRefusal()
            #expect(database.psql("SELECT count(*) FROM note") == "0")
            note.setValue(value(given.fitting, given.key), forKey: given.key)
            try context.save()
            #expect(database.psql("SELECT count(*) FROM note") == "81")
            // An update with the value is refused, too.
            note.setValue(value(given.value, given.key), forKey: given.key)
            try expectRefusal()
            context.rollback()
            #expect(note.value(forKey: given.key) as? NSObject == value(given.fitting, given.key) as? NSObject)
        }
    }

    @Test("Blanks behind the length of a column are cut, and are no error")
    func blanks() throws {
        let context = try context()
        try context.performAndWait {
            context.make("Note", ["text": "short   "])
            try context.save()
        }
        #expect(database.psql("SELECT full_text || '|' FROM note") == "short|")
    }

    @Test(
        "The error of a check names its columns; a missing value and a refused reference have errors of their own")
    func others() throws {
        let model = model()
        let mark = NSAttributeDescription()
        (mark.name, mark.attributeType, mark.isOptional) = ("mark", .integer32AttributeType, true)
        try #require(
            database.psql("ALTER TABLE note ALTER mark TYPE integer, ADD CHECK (mark IN (1, 2, 3))") != nil)
        model.entitiesByName["Note"]?.properties.append(mark)
        let context = try context(model)
        func refusal() throws -> NSError {
            let error = try #require(throws: NSError.self) { try context.save() }
            #expect(error.userInfo[NSValidationObjectErrorKey] is NSManagedObject, "\(error)")
            return error
        }
        try context.performAndWait {
            let note = context.make("Note", ["size": 100, "price": NSDecimalNumber(string: "10")])
            let small = try refusal()
            #expect(small.code == NSManagedObjectValidationError)
            #expect(small.localizedDescription.contains("Note (price, size)"), "\(small)")
            #expect(small.localizedDescription.contains("“small”"))
            note.setValue(1, forKey: "size")
            note.setValue(7, forKey: "mark")
            #expect(try refusal().userInfo[NSValidationKeyErrorKey] as? String == "mark")
            note.setValue(nil, forKey: "mark")
            // After the store was opened, another program has made the column mandatory.
            #expect(database.psql("ALTER TABLE note ALTER kind SET NOT NULL") != nil)
            let missing = try refusal()
            #expect(missing.code == NSValidationMissingMandatoryPropertyError)
            #expect(missing.userInfo[NSValidationKeyErrorKey] as? String == "kind")
            note.setValue("ab", forKey: "kind")
            let writer = try #require(try context.all("Writer").first)
            note.setValue(writer, forKey: "writer")
            try context.save()
            // A row that is not in the model leads to it.
            #expect(
                database.psql("CREATE TABLE prize (writer integer REFERENCES writer); INSERT INTO prize VALUES (1)")
                    != nil)
            context.delete(writer)
            let denied = try refusal()
            #expect(denied.code == NSValidationRelationshipDeniedDeleteError)
            #expect(denied.localizedDescription.contains("prize_writer_fkey"), "\(denied)")
            #expect(denied.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === writer)
            context.rollback()
            #expect(database.psql("DELETE FROM prize; UPDATE note SET writer = NULL; DELETE FROM writer") != nil)
            let other = context.make("Note", ["kind": "cd", "writer": writer])
            let leading = try refusal()
            #expect(leading.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === other, "\(leading)")
            #expect(leading.code == NSManagedObjectReferentialIntegrityError)
            #expect(leading.userInfo[NSValidationKeyErrorKey] as? String == "writer")
        }
    }

    @Test("A batch that keeps stored rows does not skip a row that the table refuses")
    func batch() throws {
        let context = try context()
        try context.performAndWait {
            context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
            let request = NSBatchInsertRequest(entityName: "Note", objects: [["text": "a"], ["text": "longer"]])
            let error = try #require(throws: NSError.self) { try context.execute(request) }
            #expect(error.code == NSValidationStringTooLongError)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "text")
            #expect(database.psql("SELECT count(*) FROM note") == "0")
        }
    }

    @Test("A value that is too large for an index is reported with the attribute")
    func tooLarge() throws {
        let library = try Library(.postgreSQL)
        #expect(try library.psql("CREATE INDEX tall ON author (name)") != nil)
        let context = library.context()
        try context.performAndWait {
            // The server finds nothing in it to compress.
            let author = context.make("Author", ["name": (0..<200).map { _ in UUID().uuidString }.joined()])
            let error = try #require(throws: NSError.self) { try context.save() }
            #expect(error.code == NSValidationStringTooLongError, "\(error)")
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "name")
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === author)
            #expect(error.localizedDescription.contains("too large for the index"), "\(error)")
        }
    }

    @Test("A length that the owner of a store's table has set is reported with the attribute, too")
    func ownTables() throws {
        let library = try Library(.postgreSQL)
        #expect(try library.psql("ALTER TABLE tag ALTER name TYPE varchar(3)") != nil)
        let context = library.context()
        try context.performAndWait {
            let tag = context.make("Tag", ["name": "long"])
            let error = try #require(throws: NSError.self) { try context.save() }
            #expect(error.code == NSValidationStringTooLongError)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "name")
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === tag)
            #expect(error.localizedDescription.contains("Tag.name"))
        }
    }
}
#endif
