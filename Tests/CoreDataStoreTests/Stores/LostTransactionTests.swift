@testable import CoreData
import TestSupport
import Testing

@Suite("A transaction that SQLite has rolled back by itself")
struct LostTransactionTests {
    @Test("Nothing more is written for it, and the next transaction is a whole one")
    func statements() throws {
        try withTemporaryFolder { folder in
            let connection = try SQLiteConnection(path: folder.appendingPathComponent("file").path, access: .create)
            try connection.execute("CREATE TABLE t (n INTEGER PRIMARY KEY)")
            try connection.begin()
            try connection.execute("INSERT INTO t VALUES (1)")
            // Lack of memory does this within any statement; its error may have been taken for another one.
            #expect(throws: SQLiteError.self) { try connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)") }
            #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t VALUES (2)") }
            let insert = try connection.prepare("INSERT INTO t VALUES (3)")
            #expect(throws: SQLiteError.self) { try insert.run(1, isTried: false) { _, _ in } }
            #expect(throws: SQLiteError.self) { try connection.commit() }
            connection.rollback()
            #expect(try connection.integer("SELECT count(*) FROM t") == 0)
            try connection.transaction { try connection.execute("INSERT INTO t VALUES (4)") }
            #expect(try connection.integer("SELECT n FROM t") == 4)
        }
    }
}
