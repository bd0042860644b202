import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Files of a few bytes that claim to be very long: the unwritten part is a hole, and takes no space.
@Suite("Salvage passes over the holes of files", .leavesNothingBehind)
struct SparseFileTests {
    private static let terabytes = 1 << 42

    private func makeStore(_ folder: URL) throws -> URL {
        let rows = (1...500).map { "(\($0), 1, 1, 'an item with a rather long name \($0)')" }.joined(separator: ", ")
        let fixture = try MigrationFixture(
            folder, "entity Item\n  name string",
            rows: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES \(rows); UPDATE Z_PRIMARYKEY SET Z_MAX = 500")
        try RawDatabase(fixture.url).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for suffix in ["-wal", "-shm"] { unlink(fixture.url.path + suffix) }
        return fixture.url
    }

    private func expectWhole(_ url: URL, in folder: URL) throws {
        let new = folder.appendingPathComponent("New.sqlite")
        let report = try NSPersistentStoreCoordinator.salvage(storeAt: url, into: new)
        #expect(report.entities.map(\.rowCount) == [500])
        #expect(try RawDatabase(new).integer("SELECT count(*) FROM ZITEM") == 500)
    }

    @Test("A main file with a hole of terabytes at its end is brought out as without it")
    func mainFile() throws {
        try withTemporaryFolder { folder in
            let url = try makeStore(folder)
            let size = FileKind.size(at: url)
            #expect(truncate(url.path, Self.terabytes) == 0)
            let bytes = try MainFileBytes(SQLiteConnection(path: url.path, access: .immutable))
            let reader = PageReader(bytes, log: nil)
            #expect(reader.pages.last == Self.terabytes / reader.pageSize)
            // A volume may keep larger pieces than pages.
            let numbers = Array(reader.pages)
            #expect(numbers.count >= size / reader.pageSize && numbers.count < 10_000)
            #expect(numbers.prefix(3) == [1, 2, 3])
            try expectWhole(url, in: folder)
        }
    }

    @Test("A log whose damaged frame is followed by terabytes of nothing is no endless search for a commit")
    func log() throws {
        try withTemporaryFolder { folder in
            let url = try makeStore(folder)
            let connection = try SQLiteConnection(path: url.path, access: .readWrite)
            try connection.execute("PRAGMA journal_mode = WAL; UPDATE ZITEM SET ZNAME = 'newer' WHERE Z_PK = 1")
            let copy = folder.appendingPathComponent("Copy.sqlite")
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
            }
            let log = URL(fileURLWithPath: copy.path + "-wal")
            let whole = try #require(BesideFileBytes(log).flatMap { WriteAheadLog($0) })
            #expect(whole.frameCount > 0 && !whole.isDamaged)
            // A frame with the log's numbers, whose sum is wrong.
            let head = try #require(BesideFileBytes(log)).bytes(at: 32, count: 24)
            let file = try FileHandle(forWritingTo: log)
            try file.seek(toOffset: UInt64(32 + whole.frameCount * (24 + whole.pageSize)))
            try file.write(contentsOf: Data(head) + Data(repeating: 1, count: whole.pageSize))
            try file.close()
            #expect(truncate(log.path, Self.terabytes) == 0)
            let read = try #require(BesideFileBytes(log).flatMap { WriteAheadLog($0) })
            #expect(read.frameCount == whole.frameCount && !read.isDamaged)
            try expectWhole(copy, in: folder)
        }
    }

    @Test("The places of data are found, one behind the other, and none behind the last")
    func places() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("file")
            try Data(repeating: 1, count: 1 << 16).write(to: url)
            let file = try FileHandle(forUpdating: url)
            try file.seek(toOffset: 1 << 30)
            try file.write(contentsOf: Data(repeating: 2, count: 1 << 16))
            try file.close()
            #expect(truncate(url.path, 1 << 31) == 0)
            let bytes = try #require(BesideFileBytes(url))
            let first = try #require(bytes.data(from: 0))
            #expect(first.lowerBound == 0 && first.upperBound < 1 << 30)
            let second = try #require(bytes.data(from: first.upperBound))
            #expect(second.contains(1 << 30) && second.upperBound < 1 << 31)
            #expect(bytes.data(from: second.upperBound) == nil)
            #expect(bytes.data(from: 1 << 31) == nil)
        }
    }
}
