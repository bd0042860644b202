import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// The use of a store depends only on the opener.
@Suite("Uses of stores", .leavesNothingBehind)
struct StoreUseTests {
    private static let text = """
        entity Author
          name string
          books many Book.author
        entity Book
          title string
          author one Author.books
        """

    @Test("A save makes sure that the rows it refers to are there, also where rows are counted")
    func references() throws {
        let stack = try TextStack(Self.text)
        let store = try #require(stack.coordinator.persistentStores.first as? SQLiteStore)
        let (mine, theirs) = (stack.context(), stack.context())
        let id = try theirs.performAndWait {
            let author = theirs.make("Author")
            try theirs.save()
            return author.objectID
        }
        // The counting of a store's rows has nothing to do with the use that it is opened for.
        store.rowCounters = RowCounters(store.layout)
        try mine.performAndWait {
            let author = try mine.existingObject(with: id)
            try theirs.performAndWait {
                theirs.delete(theirs.object(with: id))
                try theirs.save()
            }
            mine.make("Book", ["author": author])
            #expect(throws: NSError.self) { try mine.save() }
        }
        #expect(try stack.raw().integer("SELECT count(*) FROM ZBOOK WHERE ZAUTHOR IS NOT NULL") == 0)
        #expect(store.use == .work)
    }

    @Test("the destination of a migration is not asked for the rows it refers to: it is checked at the end")
    func destination() {
        #expect(!StoreUse.migrationDestination(isSole: true).checksReferences)
        #expect(!StoreUse.migrationDestination(isSole: false).checksReferences)
        #expect(StoreUse.migrationSource(isLocked: true).checksReferences)
        #expect(StoreUse.migrationSource(isLocked: true).isImmutable)
        #expect(!StoreUse.migrationSource(isLocked: false).isImmutable)
        #expect(StoreUse.work.cachesRows && StoreUse.migrationDestination(isSole: false).cachesRows)
        #expect(!StoreUse.work.holdsTransaction && StoreUse.migrationDestination(isSole: true).holdsTransaction)
    }

    @Test("No option of a program leaves its saves uncommitted", arguments: [NSSQLiteStoreType, NSXMLStoreType])
    func options(_ type: String) throws {
        let folder = try TemporaryFolder()
        let options: [String: Any] = [
            "OpenCoreDataEndOfMigration": true, "OpenCoreDataImmutable": true,
            NSSQLitePragmasOption: ["journal_mode": "TRUNCATE", "locking_mode": "EXCLUSIVE"],
        ]
        let stack = try TextStack(Self.text, in: folder, type: type, options: options)
        let context = stack.context()
        try context.performAndWait {
            context.make("Author", ["name": "kept"])
            try context.save()
        }
        // Another file, because this one is locked.
        let copy = folder.url.appendingPathComponent("Copy.sqlite")
        try FileManager.default.copyItem(at: stack.storeURL, to: copy)
        try withStore(copy, ModelText.model(Self.text), type: type) { context in
            let names = try context.all("Author").map { $0.value(forKey: "name") as? String }
            #expect(names == ["kept"])
        }
    }
}
