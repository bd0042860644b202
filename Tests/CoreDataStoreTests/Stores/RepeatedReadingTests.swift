import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("A file that seems damaged while other processes are at work on it", .leavesNothingBehind)
struct RepeatedReadingTests {
    /// `SQLITE_CORRUPT`.
    private static let damage = SQLiteError(code: 11, message: "database disk image is malformed", path: "")

    private func withFile(_ body: (URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            try Data("a".utf8).write(to: url)
            try body(url)
        }
    }

    /// The number of times that a body is run, which finds damage as long as `isDamaged` returns true.
    private func looks(at url: URL, isDamaged: (_ look: Int) throws -> Bool) throws -> Int {
        var looks = 0
        try RepeatedReading.run(SQLiteStoreFiles(url), timeout: 60) {
            looks += 1
            if try isDamaged(looks) { throw Self.damage }
        }
        return looks
    }

    @Test("A file is read again as long as another process writes it, at any resolution of the disk's clock")
    func written() throws {
        try withFile { url in
            let looks = try looks(at: url) { look in
                // A file of another size, and then one with another name.
                try Data(repeating: 0, count: look).write(to: url, options: look == 3 ? .atomic : [])
                return look < 5
            }
            #expect(looks == 5)
        }
    }

    @Test("A file is read again where a -wal, a -shm or a journal came or went")
    func companions() throws {
        try withFile { url in
            let files = SQLiteStoreFiles(url)
            let looks = try looks(at: url) { look in
                switch look {
                case 1: try Data("w".utf8).write(to: files.wal)
                case 2: try Data().write(to: files.shm)
                case 3: try Data().write(to: files.journal)
                case 4: try FileManager.default.removeItem(at: files.wal)
                default: return false
                }
                return true
            }
            #expect(looks == 5)
        }
    }

    @Test("A file that stays as it is counts as damaged after one more read, in case the clock of the disk stood still")
    func unchanged() throws {
        try withFile { url in
            var looks = 0
            #expect(throws: SQLiteError.self) {
                _ = try self.looks(at: url) { look in
                    looks = look
                    return true
                }
            }
            #expect(looks == 2)
        }
    }

    @Test("A file is read again as long as another process has it locked for writing")
    func locked() throws {
        try withFile { url in
            let (process, input, output) = (AwaitedProcess(), Pipe(), Pipe())
            process.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
            process.arguments = ["-x", "-o", url.path, "sh", "-c", "echo locked; read line"]
            (process.standardInput, process.standardOutput) = (input, output)
            try process.run()
            #expect(!output.fileHandleForReading.availableData.isEmpty)
            func release() throws {
                try input.fileHandleForWriting.close()
                process.waitUntilExit()
            }
            guard !LockHolders.processes(of: [url]).isEmpty else {
                // The system does not show the holders of locks.
                return try release()
            }
            var looks = 0
            #expect(throws: SQLiteError.self) {
                _ = try self.looks(at: url) { look in
                    looks = look
                    if look == 6 { try release() }
                    return true
                }
            }
            #expect((6...7).contains(looks))
        }
    }

    @Test("The first read of a store shows the file's last state, and later reads use the same connection")
    func store() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let fixture = try StoreFixture(model: ModelText.model("entity Note\n  text string"), at: url)
            try fixture.insert("Note", (0..<400).map { ["text": "\($0)"] })
            fixture.store.close()
            let whole = try Data(contentsOf: url)
            var looks = 0
            var damages = 0
            let count = try SQLiteStoreSummary.reading(at: url, timeout: 60) { look, connection -> Int64? in
                looks += 1
                #expect(look.metadata[NSStoreUUIDKey] != nil)
                // The file is read without a lock, as no process has it open. Now a process begins to write it.
                if looks == 1 {
                    let torn = whole.prefix(4096) + Data(repeating: 0xFF, count: whole.count - 4096)
                    try write(torn, into: url)
                }
                defer { try? write(whole, into: url) }
                do {
                    return try connection.integer("SELECT COUNT(*) FROM ZNOTE WHERE ZTEXT IS NOT NULL")
                } catch let error as SQLiteError where error.looksDamaged {
                    damages += 1
                    throw error
                }
            }
            #expect(count == 400)
            #expect(looks == 2 && damages == 1)
        }
    }

    /// Writes without making another file.
    private func write(_ data: Data, into url: URL) throws {
        let file = try FileHandle(forWritingTo: url)
        try file.write(contentsOf: data)
        try file.close()
    }
}
