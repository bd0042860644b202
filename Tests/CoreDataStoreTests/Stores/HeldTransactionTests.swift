import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("A transaction that is held")
struct HeldTransactionTests {
    private struct Failure: Error {}

    @Test("Its parts are taken back one by one, and no part is visible before it is committed")
    func parts() throws {
        try withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("held.sqlite").path
            let connection = try SQLiteConnection(path: path, access: .create, busyTimeout: 0)
            try connection.execute("CREATE TABLE t (n INTEGER)")
            connection.holdsTransaction = true
            try connection.transaction { try connection.execute("INSERT INTO t VALUES (1)") }
            #expect(throws: Failure.self) {
                try connection.transaction {
                    try connection.execute("INSERT INTO t VALUES (2)")
                    throw Failure()
                }
            }
            // A failing body may roll back more than once.
            connection.rollback()
            try connection.transaction { try connection.execute("INSERT INTO t VALUES (3)") }
            func numbers() throws -> String? {
                try SQLiteConnection(path: path, access: .readOnly, busyTimeout: 0)
                    .text("SELECT group_concat(n) FROM t")
            }
            #expect(try numbers() == nil)
            try connection.commitHeldTransaction()
            #expect(try numbers() == "1,3")
            // From here on every transaction is one again.
            try connection.transaction { try connection.execute("INSERT INTO t VALUES (4)") }
            #expect(try numbers() == "1,3,4")
        }
    }

    @Test("A connection that closes before that leaves nothing of it")
    func closed() throws {
        try withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("held.sqlite").path
            do {
                let connection = try SQLiteConnection(path: path, access: .create, busyTimeout: 0)
                try connection.execute("CREATE TABLE t (n INTEGER)")
                connection.holdsTransaction = true
                try connection.transaction { try connection.execute("INSERT INTO t VALUES (1)") }
            }
            let connection = try SQLiteConnection(path: path, access: .readOnly, busyTimeout: 0)
            #expect(try connection.text("SELECT count(*) FROM t") == "0")
        }
    }
}
