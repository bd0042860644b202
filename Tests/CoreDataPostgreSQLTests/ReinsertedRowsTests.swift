#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct ReinsertedRowsTests {
    private let library: Library

    init() throws { library = try Library(.postgreSQL) }

    private func psql(_ statement: String) throws -> String? { try library.psql(statement) }

    @Test("A row that psql deletes and inserts anew under its key is another one: read anew, and in conflict")
    func reinserted() throws {
        _ = try psql("INSERT INTO tag (id, name) VALUES (5, 'old')")
        let context = library.context()
        try context.performAndWait {
            let tag = try #require(try context.all("Tag").first)
            #expect(tag.value(forKey: "name") as? String == "old")
            #expect(try psql("DELETE FROM tag WHERE id = 5") == "DELETE 1")
            #expect(try psql("INSERT INTO tag (id, name) VALUES (5, 'new')") == "INSERT 0 1")
            let fresh = library.context()
            try fresh.performAndWait {
                let names = try fresh.all("Tag").map { $0.value(forKey: "name") as? String }
                #expect(names == ["new"])
            }
            tag.setValue("mine", forKey: "name")
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSManagedObjectMergeError)
        }
        #expect(try psql("SELECT name FROM tag") == "new")
    }

    @Test("Updates that follow each other do not reach the version of a row that is inserted later")
    func counted() throws {
        _ = try psql("INSERT INTO tag (id, name) VALUES (5, 'old')")
        _ = try psql("DO $$ BEGIN FOR n IN 1..3 LOOP UPDATE tag SET name = n::text; END LOOP; END $$")
        let former = try psql("SELECT version FROM tag")
        for _ in 0..<4 {
            _ = try psql("DELETE FROM tag")
            _ = try psql("INSERT INTO tag (id, name) VALUES (5, 'new')")
            #expect(try psql("SELECT version FROM tag") != former)
        }
    }

    @Test("A store of an older version of the framework gets the default when it is opened for writing")
    func older() throws {
        #expect(try psql("ALTER TABLE tag ALTER version SET DEFAULT 1") != nil)
        _ = try library.beside()
        _ = try psql("INSERT INTO tag (name) VALUES ('a')")
        _ = try psql("INSERT INTO tag (name) VALUES ('b')")
        #expect(try psql("SELECT count(DISTINCT version), bool_or(version = 1) FROM tag") == "2|f")
    }
}
#endif
