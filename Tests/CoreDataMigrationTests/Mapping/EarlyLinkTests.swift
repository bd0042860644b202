import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Relationships that are set while objects are made must come out as if the second pass had set them.
@Suite("Relationships that a migration sets early", .leavesNothingBehind)
struct EarlyLinkTests {
    @Test("The overrides of the hook for relationships are found by policy")
    func overrides() {
        #expect(!PolicyOverrides.createRelationships(NSEntityMigrationPolicy.self))
        #expect(!PolicyOverrides.createRelationships(DoublingPolicy.self))
        #expect(!PolicyOverrides.createRelationships(EagerPolicy.self))
        #expect(PolicyOverrides.createRelationships(RecordingPolicy.self))
        #expect(PolicyOverrides.createRelationships(LatePolicy.self))
    }

    @Test(
        "The second pass sets links as the mapping model says, also those that a policy has set before",
        arguments: ["Eager", "Orphaning"], [6, 400])
    func overwritten(_ policy: String, _ count: Int) throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: count)
            let type: AnyClass = policy == "Eager" ? EagerPolicy.self : OrphaningPolicy.self
            try fixture.migrate(fixture.mapping(policies: ["Book": type]))
            #expect(try fixture.books() == MappedMigrationFixture.expectedBooks(count))
            #expect(try booksOfAuthors(fixture) == [count / 2, count / 2])
        }
    }

    @Test("values that a policy sets in the second pass stay")
    func late() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 100)
            try fixture.migrate(fixture.mapping(policies: ["Book": LatePolicy.self]))
            #expect(try booksOfAuthors(fixture) == [0, 100])
        }
    }

    @Test("a to-one relationship to objects of an earlier mapping is set when its object is saved")
    func setWhenSaved() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 10)
            let manager = fixture.manager()
            let log = HookLog()
            manager.userInfo = ["log": log]
            try fixture.migrate(fixture.mapping(policies: ["Book": SeeingPolicy.self]), manager)
            #expect(log.lines == ["10 with an author"])
        }
    }

    @Test("an object without a source is taken out of relationships that the mapping model sets")
    func added() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 10)
            let book = try #require(fixture.newerModel.entitiesByName["Book"]?.relationshipsByName["author"])
            book.isOptional = true
            let manager = NSMigrationManager(sourceModel: fixture.olderModel, destinationModel: fixture.newerModel)
            let log = HookLog()
            manager.userInfo = ["log": log]
            try fixture.migrate(fixture.mapping(policies: ["Book": AddingPolicy.self]), manager)
            #expect(log.lines == ["added to 2"])
            try withStore(fixture.destination, fixture.newerModel) { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                let all = try context.count(for: request)
                request.predicate = NSPredicate(format: "author == nil")
                let withoutAuthor = try context.count(for: request)
                #expect(all == 11)
                #expect(withoutAuthor == 1)
            }
        }
    }

    @Test("an author with many books, whose policy sets them itself, keeps all of them")
    func manyMembers() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 1_000)
            try fixture.migrate(
                fixture.mapping(policies: ["Author": RecordingPolicy.self, "Book": RecordingPolicy.self]))
            #expect(try booksOfAuthors(fixture) == [500, 500])
        }
    }

    /// How many books the authors have, in the order of their names.
    private func booksOfAuthors(_ fixture: MappedMigrationFixture) throws -> [Int] {
        try withStore(fixture.destination, ModelText.model(MappedMigrationFixture.newer)) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            return try context.fetch(request).map { ($0.value(forKey: "books") as? NSSet)?.count ?? 0 }
        }
    }
}
