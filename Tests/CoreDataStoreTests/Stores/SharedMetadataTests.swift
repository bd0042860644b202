import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Several programs' entries in the metadata of one store.
@Suite(.onEveryDatabase)
struct SharedMetadataTests {
    private func save(_ library: Library) throws {
        let context = library.context()
        try context.performAndWait {
            context.make("Tag", ["name": "a"])
            try context.save()
        }
    }

    @Test("A save of metadata overwrites only the entries that its program has changed")
    func entries() throws {
        let library = try Library()
        library.store.metadata["both"] = 0
        library.store.metadata["gone"] = true
        try save(library)
        let (first, second) = (try library.beside(), try library.beside())
        let identifier = UUID().uuidString
        first.store.metadata["first"] = [1, 2]
        first.store.metadata["both"] = 1
        first.store.metadata["gone"] = nil
        first.store.metadata[NSStoreUUIDKey] = identifier
        try save(first)
        second.store.metadata["second"] = "b"
        second.store.metadata["both"] = 2
        try save(second)
        let metadata = try #require(try library.beside().store.metadata)
        #expect(metadata["first"] as? [Int] == [1, 2])
        #expect(metadata["second"] as? String == "b")
        #expect(metadata["both"] as? Int == 2)
        #expect(metadata["gone"] == nil)
        #expect(metadata[NSStoreUUIDKey] as? String == identifier)
        // The entries of the other store object are read now, and are the base of later changes.
        second.store.metadata["first"] = nil
        try save(second)
        #expect(try library.beside().store.metadata["first"] == nil)
    }
}
