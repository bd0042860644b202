import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Does something at the first questions whether work is cancelled.
private final class Interloper: Progress, @unchecked Sendable {  // used by the thread that copies
    private let act: () -> Void
    private(set) var remaining: Int

    init(times: Int = 1, _ act: @escaping () -> Void) {
        self.act = act
        remaining = times
        super.init(parent: nil)
    }

    override var isCancelled: Bool {
        get {
            if remaining > 0 {
                remaining -= 1
                act()
            }
            return false
        }
        set {}
    }
}

@Suite("The files of a SQLite store are one unit", .leavesNothingBehind)
struct SQLiteStoreFilesTests {
    private func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test("destroying removes the main file, its companions and the external data")
    func destroy() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let fixture = try StoreFixture(at: url)
            try fixture.insert("Book", [["isbn": "1", "cover": Data(count: 200_000)]])
            fixture.store.close()
            #expect(try names(in: folder) == [".library_SUPPORT", "library.sqlite"])
            try SQLiteStoreFiles(url).destroy()
            #expect(try names(in: folder).isEmpty)
            try SQLiteStoreFiles(url).destroy()
        }
    }

    @Test("The copy of a closed store is of one state, although a program opens it, writes and closes it at that time")
    func copyBesideWriter() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let fixture = try StoreFixture(at: url)
            let filling = String(repeating: "x", count: 4000)
            try fixture.insert("Tag", (0..<1500).map { _ in ["label": "old " + filling] })
            fixture.store.close()
            let files = SQLiteStoreFiles(url)
            #expect(files.existing == [url])
            let copy = SQLiteStoreFiles(folder.appendingPathComponent("copy.sqlite"))
            // Called after the first pieces are copied.
            let progress = Interloper {
                do {
                    let writer = try SQLiteConnection(path: url.path, access: .readWrite)
                    try writer.execute("UPDATE ZTAG SET ZLABEL = 'new' || substr(ZLABEL, 4)")
                } catch {
                    Issue.record(error)
                }
            }
            try files.copy(to: copy, following: FollowedWork(progress: progress))
            let copied = try SQLiteConnection(path: copy.main.path, access: .readOnly)
            var labels: Set<String> = []
            try copied.prepare("SELECT substr(ZLABEL, 1, 3) FROM ZTAG").rows { labels.insert($0.string(0)) }
            // The first pieces were old: the copy was begun again.
            #expect(labels == ["new"])
        }
    }

    @Test("A value that is replaced between the copies of rows and of files has no file in the copy, and is nil there")
    func replacedValue() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let copy = SQLiteStoreFiles(folder.appendingPathComponent("copy.sqlite"))
            let text = "entity Parcel\n  content data external"
            try withStore(url, ModelText.model(text)) { context in
                let parcel = context.make("Parcel", ["content": Data(repeating: 1, count: 200_000)])
                try context.save()
                // Called after the pieces with the rows are copied.
                let progress = Interloper {
                    parcel.setValue(Data(repeating: 2, count: 200_000), forKey: "content")
                    do { try context.save() } catch { Issue.record(error) }
                }
                try SQLiteStoreFiles(url).copy(to: copy, following: FollowedWork(progress: progress))
                #expect(progress.remaining == 0)
            }
            try withStore(copy.main, ModelText.model(text)) { context in
                let parcels = try context.all("Parcel")
                #expect(parcels.map { $0.value(forKey: "content") as? Data } == [nil])
            }
        }
    }

    @Test("The copy of a closed store ends, although a program opens it, writes and closes it again and again")
    func copyBesideManyWriters() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let fixture = try StoreFixture(at: url)
            let filling = String(repeating: "x", count: 4000)
            try fixture.insert("Tag", (0..<1500).map { _ in ["label": "old " + filling] })
            fixture.store.close()
            let files = SQLiteStoreFiles(url)
            let copy = SQLiteStoreFiles(folder.appendingPathComponent("copy.sqlite"))
            let progress = Interloper(times: 40) {
                do {
                    let writer = try SQLiteConnection(path: url.path, access: .readWrite)
                    try writer.execute("UPDATE ZTAG SET ZLABEL = 'new' || ZLABEL WHERE Z_PK = 1")
                } catch {
                    Issue.record(error)
                }
            }
            try files.copy(to: copy, following: FollowedWork(progress: progress))
            #expect(progress.remaining > 0)
            #expect(!FileManager.default.fileExists(atPath: files.shm.path))
            let copied = try SQLiteConnection(path: copy.main.path, access: .readOnly)
            #expect(try copied.text("PRAGMA integrity_check") == "ok")
            #expect(try copied.integer("SELECT COUNT(*) FROM ZTAG") == 1500)
        }
    }

    @Test("A store that is destroyed while it is copied is an error, and the destination stays as it was")
    func copyOfDestroyed() throws {
        try withTemporaryFolder { folder in
            let (url, old) = (folder.appendingPathComponent("new.sqlite"), folder.appendingPathComponent("old.sqlite"))
            for (place, label) in [(url, "new "), (old, "old ")] {
                let fixture = try StoreFixture(at: place)
                let filling = label + String(repeating: "x", count: 4000)
                try fixture.insert("Tag", (0..<1500).map { _ in ["label": filling] })
                fixture.store.close()
            }
            let source = SQLiteStoreFiles(url)
            let progress = Interloper {
                #expect(throws: Never.self) { try source.empty() }
            }
            let error = #expect(throws: NSError.self) {
                try SQLiteStoreFiles(old).replace {
                    try source.copy(to: $0, following: FollowedWork(progress: progress))
                }
            }
            #expect(error?.code == CocoaError.Code.fileReadCorruptFile.rawValue)
            #expect(progress.remaining == 0)
            // The empty files of the one that was destroyed stay, too.
            #expect(
                try names(in: folder) == ["new.sqlite", "new.sqlite-shm", "new.sqlite-wal", "old.sqlite"])
            let left = try SQLiteConnection(path: old.path, access: .readOnly)
            #expect(try left.integer("SELECT COUNT(*) FROM ZTAG WHERE ZLABEL LIKE 'old %'") == 1500)
        }
    }

    @Test("files are carried from no folder to which a link leads, and into none", arguments: [false, true])
    func carryByLinks(_ isInto: Bool) throws {
        try withTemporaryFolder { folder in
            let (own, others) = (folder.appendingPathComponent("own"), folder.appendingPathComponent("others"))
            for place in [own, others] {
                let values = place.appendingPathComponent("_EXTERNAL_DATA")
                try FileManager.default.createDirectory(at: values, withIntermediateDirectories: true)
                try Data("value".utf8).write(to: values.appendingPathComponent("of \(place.lastPathComponent)"))
            }
            let link = folder.appendingPathComponent("link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: others)
            let before = try FolderContents(folder)
            #expect(throws: NSError.self) {
                try SharedSupport.carry(
                    from: isInto ? own : link, to: isInto ? link : own, except: [], isMoved: true)
            }
            #expect(try FolderContents(folder).differences(from: before).isEmpty)
        }
    }

    @Test("a store that is open is not destroyed unless forced")
    func destroyOpenStore() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let fixture = try StoreFixture(at: url)
            try fixture.insert("Tag", [["label": "a"]])
            let error = try #require(throws: NSError.self) { try SQLiteStoreFiles(url).destroy() }
            #expect(error.code == NSPersistentStoreTimeoutError)
            #expect(try fixture.strings("Tag", "label") == ["a"])
            fixture.store.close()
            try SQLiteStoreFiles(url).destroy()
            #expect(try names(in: folder).isEmpty)
        }
    }

    @Test("a file that is no database can be destroyed too")
    func destroyDamaged() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            try Data(repeating: 65, count: 9000).write(to: url)
            try SQLiteStoreFiles(url).destroy()
            #expect(try names(in: folder).isEmpty)
        }
    }

    @Test("a store is replaced by a copy of another that is in use, with its external data")
    func replace() throws {
        try withTemporaryFolder { folder in
            let sourceURL = folder.appendingPathComponent("new.sqlite")
            let url = folder.appendingPathComponent("library.sqlite")
            let old = try StoreFixture(at: url)
            try old.insert("Book", [["isbn": "old", "cover": Data(repeating: 1, count: 200_000)]])
            old.store.close()
            let source = try StoreFixture(at: sourceURL)
            let cover = Data(repeating: 2, count: 200_000)
            try source.insert("Book", [["isbn": "new", "cover": cover]])
            try SQLiteStoreFiles(url).replace(with: SQLiteStoreFiles(sourceURL))
            let replaced = try StoreFixture(at: url)
            let row = try #require(try replaced.rows("Book").first)
            #expect(row.string(replaced.slot("Book", "isbn")) == "new")
            #expect(row.data(replaced.slot("Book", "cover")) == cover)
            #expect(try source.strings("Book", "isbn") == ["new"])
            replaced.store.close()
            source.store.close()
            #expect(
                try names(in: folder) == [".library_SUPPORT", ".new_SUPPORT", "library.sqlite", "new.sqlite"])
        }
    }

    @Test("a replacement that fails leaves the old store whole and nothing beside it")
    func replaceFails() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let fixture = try StoreFixture(at: url)
            try fixture.insert("Tag", [["label": "a"]])
            fixture.store.close()
            let damaged = folder.appendingPathComponent("damaged.sqlite")
            try Data(repeating: 65, count: 9000).write(to: damaged)
            #expect(throws: NSError.self) { try SQLiteStoreFiles(url).replace(with: SQLiteStoreFiles(damaged)) }
            #expect(try names(in: folder) == ["damaged.sqlite", "library.sqlite"])
            #expect(try StoreFixture(at: url).strings("Tag", "label") == ["a"])
        }
    }
}
