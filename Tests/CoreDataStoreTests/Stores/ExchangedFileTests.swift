import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("A store whose file another program exchanges", .leavesNothingBehind)
struct ExchangedFileTests {
    private static let model = "entity Note\n  text string"

    private func make(_ text: String, at url: URL) throws {
        let fixture = try StoreFixture(model: ModelText.model(Self.model), at: url)
        try fixture.insert("Note", [["text": text]])
        fixture.store.close()
    }

    @Test("A reader that is opened later reads no other file", arguments: [false, true])
    func laterReader(isReadOnly: Bool) throws {
        try withTemporaryFolder { folder in
            let (url, other) = (folder.appendingPathComponent("a.sqlite"), folder.appendingPathComponent("b.sqlite"))
            try make("mine", at: url)
            try make("theirs", at: other)
            let fixture = try StoreFixture(
                model: ModelText.model(Self.model), at: url, options: [NSReadOnlyPersistentStoreOption: isReadOnly])
            defer { fixture.store.close() }
            // No row was read yet: the pool has no connection.
            #expect(fixture.store.connections.readers.openConnectionCount == 0)
            #expect(rename(other.path, url.path) == 0)
            let error = #expect(throws: NSError.self) { try fixture.strings("Note", "text") }
            #expect(error?.localizedDescription.contains("a.sqlite") == true)
        }
    }

    /// A read-only store of which nothing was read yet.
    private func readOnly(at url: URL) throws -> StoreFixture {
        let fixture = try StoreFixture(
            model: ModelText.model(Self.model), at: url, options: [NSReadOnlyPersistentStoreOption: true])
        #expect(fixture.store.connections.readers.openConnectionCount == 0)
        return fixture
    }

    @Test("A reader of a read-only store reads no other store, although its file has the number of the first")
    func sameNumber() throws {
        try withTemporaryFolder { folder in
            let (url, other) = (folder.appendingPathComponent("a.sqlite"), folder.appendingPathComponent("b.sqlite"))
            try make("mine", at: url)
            try make("theirs", at: other)
            let fixture = try readOnly(at: url)
            defer { fixture.store.close() }
            let state = FileState(url)
            // As when the file is removed and made anew: the disk may give the next one its number.
            let file = try FileHandle(forWritingTo: url)
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(contentsOf: other))
            try file.close()
            #expect(FileState(url)?.isSameFile(as: state) == true)
            let error = #expect(throws: NSError.self) { try fixture.strings("Note", "text") }
            #expect(error?.localizedDescription.contains("a.sqlite") == true)
        }
    }

    @Test("A reader of a read-only store whose file was removed and made anew reads no other store")
    func madeAnew() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            try make("mine", at: url)
            let fixture = try readOnly(at: url)
            defer { fixture.store.close() }
            for file in SQLiteStoreFiles(url).existing { try FileManager.default.removeItem(at: file) }
            try make("theirs", at: url)
            #expect(throws: NSError.self) { try fixture.strings("Note", "text") }
        }
    }

    @Test("A store that gets another UUID stays the same store for its readers")
    func otherIdentifier() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            try make("mine", at: url)
            let fixture = try readOnly(at: url)
            defer { fixture.store.close() }
            try SQLiteStoreMetadata.setMetadata([NSStoreUUIDKey: UUID().uuidString], at: url)
            #expect(try fixture.strings("Note", "text") == ["mine"])
        }
    }

    @Test("A store that is destroyed and made anew is a store, or nothing, to any reader at that time")
    func lookedAtMeanwhile() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            try make("0", at: url)
            let exchanging = DispatchGroup()
            let isDone = Locked(false)
            Thread.detachNewThread(in: exchanging) {
                defer { isDone.withLock { $0 = true } }
                #expect(throws: Never.self) {
                    for number in 1...60 {
                        try SQLiteStoreFiles(url).empty(timeout: 60)
                        try make("\(number)", at: url)
                    }
                }
            }
            var looks = 0
            while !isDone.withLock({ $0 }) {
                #expect(throws: Never.self) { _ = try SQLiteStoreSummary(at: url, timeout: 60) }
                looks += 1
            }
            exchanging.wait()
            #expect(looks > 0)
        }
    }
}
