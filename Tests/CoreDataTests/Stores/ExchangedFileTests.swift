import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("A store whose file somebody exchanges", .leavesNothingBehind)
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
            // Nobody has read yet: the pool has no connection.
            #expect(fixture.store.connections.readers.openConnectionCount == 0)
            #expect(rename(other.path, url.path) == 0)
            let error = #expect(throws: NSError.self) { try fixture.strings("Note", "text") }
            #expect(error?.localizedDescription.contains("a.sqlite") == true)
        }
    }
}
