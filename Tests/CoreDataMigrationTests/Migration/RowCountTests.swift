import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Counting rows of a migration into a copy", .leavesNothingBehind)
struct RowCountTests {
    private func counts(_ url: URL, _ model: NSManagedObjectModel) throws -> [String: Int] {
        try EntityCounts(of: SQLiteStoreFiles(url), model, following: FollowedWork(progress: nil)).rows
    }

    @Test("the counted rows are those of the destination, also with a policy")
    func counted() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 400)
            let manager = fixture.manager()
            try fixture.migrate(fixture.mapping(policies: ["Book": CountedPolicy.self]), manager)
            let found = try counts(fixture.destination, fixture.newerModel)
            #expect(found == ["Author": 2, "Book": 399, "Chapter": 800, "Shelf": 7, "Tag": 3])
            #expect(manager.madeRows == found)
        }
    }

    @Test("a migration into a copy by a policy that makes and removes objects passes its verification")
    func verified() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 400)
            try fixture.migrateInPlace(fixture.mapping(policies: ["Book": CountedPolicy.self]))
            #expect(try counts(fixture.source, fixture.newerModel)["Book"] == 399)
        }
    }

    private func copyStage(_ name: String, _ model: NSManagedObjectModel, _ rows: [String: Int])
        -> CopyingMigration.CopyStage
    {
        CopyingMigration.CopyStage(name: name, weight: 1, model: model) { from, into, progress in
            try FollowedWork(progress: progress).copy(from, to: into)
            return rows
        }
    }

    @Test("a copy stage that has lost rows is an error with the name of the entity, wherever it is", arguments: [0, 1])
    func lost(place: Int) throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 4)
            let before = try fixture.content()
            let rows = ["Author": 2, "Book": 4, "Chapter": 8, "Tag": 3]
            let copying = CopyingMigration(
                MigrationRequest(
                    at: fixture.source, to: fixture.olderModel, options: [NSPersistentStoreTimeoutOption: 1]))
            let metadata = try SQLiteStoreMetadata.metadata(at: fixture.source)
            var copyStages = [copyStage("a", fixture.olderModel, rows), copyStage("b", fixture.olderModel, rows)]
            copyStages[place] = copyStage("c", fixture.olderModel, rows.merging(["Book": 5]) { $1 })
            let error = try #require(throws: NSError.self) {
                _ = try copying.replaceStore(of: metadata, by: copyStages)
            }
            #expect(error.code == NSMigrationError)
            #expect(error.userInfo["entity"] as? String == "Book")
            #expect(error.localizedDescription.contains("4 rows where 5"), "\(error.localizedDescription)")
            #expect(try fixture.content() == before)
            #expect(try fixture.files() == ["Old.sqlite"])
        }
    }

    @Test("rows follow their entities through the versions of an inferred migration")
    func inferred() throws {
        try withTemporaryFolder { folder in
            let versions = [
                "entity A\n  x string\nentity B : A\n  y string\nentity C\n  z string",
                "entity A\n  x string\nentity D : A was B\n  y string\nentity E\n  w string",
                "entity A\n  x string\nentity F : A was D\n  y string",
            ].map { ModelText.model($0) }
            let url = folder.appendingPathComponent("A.sqlite")
            try withStore(url, versions[0]) { context in
                for number in 0..<9 {
                    MappedMigrationFixture.make(number < 4 ? "A" : number < 7 ? "B" : "C", [:], context)
                }
                try context.save()
            }
            let counts = try EntityCounts(of: SQLiteStoreFiles(url), following: FollowedWork(progress: nil))
            #expect(counts.rows == ["A": 4, "B": 3, "C": 2])
            #expect(try counts.after(through: [versions[1]], configuration: nil) == ["A": 4, "D": 3, "E": 0])
            #expect(try counts.after(through: Array(versions[1...]), configuration: nil) == ["A": 4, "F": 3])
        }
    }
}

/// Makes and removes objects in every way that there is.
final class CountedPolicy: NSEntityMigrationPolicy {
    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        let context = manager.destinationContext
        // In another context, in a batch, and by the context of the migration.
        if let coordinator = context.persistentStoreCoordinator {
            let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            other.persistentStoreCoordinator = coordinator
            try other.performAndWait {
                for number in 0..<5 { MappedMigrationFixture.make("Shelf", ["label": "own \(number)"], other) }
                try other.save()
                for shelf in try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf")).prefix(2) {
                    other.delete(shelf)
                }
                try other.save()
            }
        }
        let batch = (0..<7).map { ["label": "batch \($0)"] }
        try context.execute(NSBatchInsertRequest(entityName: "Shelf", objects: batch))
        let some = NSFetchRequest<any NSFetchRequestResult>(entityName: "Shelf")
        some.predicate = NSPredicate(format: "label IN {'batch 1', 'batch 2', 'own 4'}")
        try context.execute(NSBatchDeleteRequest(fetchRequest: some))
        let first = NSFetchRequest<NSManagedObject>(entityName: "Book")
        first.predicate = NSPredicate(format: "heading == 'book 0'")
        for book in try context.fetch(first) { context.delete(book) }
    }
}
