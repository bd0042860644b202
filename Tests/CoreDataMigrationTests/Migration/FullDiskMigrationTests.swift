import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Disks that really run full, at whichever write it is.
@Suite(
    "Migrating on a disk that runs full", .leavesNothingBehind, .serialized,
    .disabled(if: SmallDisk.obstacle != nil, Comment(rawValue: SmallDisk.obstacle ?? "")))
struct FullDiskMigrationTests {
    /// Whether an error, or one beneath it, is that of a full disk.
    private func isAboutSpace(_ error: NSError) -> Bool {
        if error.code == NSFileWriteOutOfSpaceError { return true }
        if "\(error)".contains("No space left") || "\(error)".contains("disk is full") { return true }
        return (error.userInfo[NSUnderlyingErrorKey] as? NSError).map(isAboutSpace) ?? false
    }

    /// Tries with more and more space until it is enough. How often it was not.
    private func fill(
        _ disk: SmallDisk, step kilobytes: Int, migrate: () throws -> Void, check: () throws -> Void
    ) throws -> Int {
        for round in 0..<200 {
            try disk.fill(leaving: round * kilobytes)
            do {
                try migrate()
                try disk.empty()
                return round
            } catch let error as NSError {
                try disk.empty()
                #expect(isAboutSpace(error), "\(round * kilobytes) kB: \(error)")
                try check()
            }
        }
        Issue.record("No space was enough.")
        return 0
    }

    @Test("A migration in place reports the full disk, and the store is as it was")
    func inPlace() throws {
        let disk = try SmallDisk(kilobytes: 6_000)
        let older = "entity Item\n  name string\n  size int32"
        let newer = "entity Item\n  name string index\n  size double\n  note string! = none"
        let fixture = try MigrationFixture(disk.url, older, rows: StoreMigrationTests.fill(3_000))
        let before = try fixture.query("SELECT COUNT(*), SUM(ZSIZE), MAX(ZNAME) FROM ZITEM")
        let failures = try fill(disk, step: 15) {
            try fixture.migrate(to: newer)
        } check: {
            let found = try fixture.query("SELECT COUNT(*), SUM(ZSIZE), MAX(ZNAME) FROM ZITEM")
            let isMigrated = try fixture.migrate(to: older)
            #expect(found == before && !isMigrated)
        }
        #expect(failures > 3)
        try fixture.verify(newer)
    }

    @Test("A migration by a mapping model reports the full disk; the store is as it was, with nothing beside it")
    func mapped() throws {
        let disk = try SmallDisk(kilobytes: 3_000)
        let fixture = try MappedMigrationFixture(disk.url, books: 400)
        let failures = try fill(disk, step: 40) {
            try fixture.migrateInPlace(fixture.mapping())
        } check: {
            let (books, files) = (try fixture.content().count, try fixture.files())
            #expect(books == 400)
            #expect(files == ["Old.sqlite"])
        }
        #expect(failures > 3)
        #expect(try fixture.books(at: fixture.source).count == 400)
    }
}
