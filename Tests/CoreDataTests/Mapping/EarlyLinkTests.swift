import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Relationships that are set while objects are made must come out as if the second pass had set them.
@Suite("Relationships that a migration sets early", .leavesNothingBehind)
struct EarlyLinkTests {
    @Test("which policies override the hook for relationships is known")
    func overrides() {
        #expect(!PolicyOverrides.createRelationships(NSEntityMigrationPolicy.self))
        #expect(!PolicyOverrides.createRelationships(DoublingPolicy.self))
        #expect(!PolicyOverrides.createRelationships(EagerPolicy.self))
        #expect(PolicyOverrides.createRelationships(RecordingPolicy.self))
        #expect(PolicyOverrides.createRelationships(LatePolicy.self))
    }

    @Test(
        "what a policy sets before the second pass, that pass sets as the mapping model says",
        arguments: ["Eager", "Orphaning"], [6, 1_500])
    func overwritten(_ policy: String, _ count: Int) throws {
        try withTemporaryFolder { folder in
            let bench = try MappedMigrationBench(folder, books: count)
            let type: AnyClass = policy == "Eager" ? EagerPolicy.self : OrphaningPolicy.self
            try bench.migrate(bench.mapping(policies: ["Book": type]))
            #expect(try bench.books() == MappedMigrationBench.expectedBooks(count))
            #expect(try booksOfAuthors(bench) == [count / 2, count / 2])
        }
    }

    @Test("what a policy sets in the second pass stays")
    func late() throws {
        try withTemporaryFolder { folder in
            let bench = try MappedMigrationBench(folder, books: 100)
            try bench.migrate(bench.mapping(policies: ["Book": LatePolicy.self]))
            #expect(try booksOfAuthors(bench) == [0, 100])
        }
    }

    @Test("an object without a source is taken out of relationships that the mapping model sets")
    func added() throws {
        try withTemporaryFolder { folder in
            let bench = try MappedMigrationBench(folder, books: 10)
            let book = try #require(bench.newerModel.entitiesByName["Book"]?.relationshipsByName["author"])
            book.isOptional = true
            let manager = NSMigrationManager(sourceModel: bench.olderModel, destinationModel: bench.newerModel)
            let log = HookLog()
            manager.userInfo = ["log": log]
            try bench.migrate(bench.mapping(policies: ["Book": AddingPolicy.self]), manager)
            #expect(log.lines == ["added to 2"])
            try withStore(bench.destination, bench.newerModel) { context in
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
            let bench = try MappedMigrationBench(folder, books: 5_000)
            try bench.migrate(bench.mapping(policies: ["Author": RecordingPolicy.self, "Book": RecordingPolicy.self]))
            #expect(try booksOfAuthors(bench) == [2_500, 2_500])
        }
    }

    /// How many books the authors have, in the order of their names.
    private func booksOfAuthors(_ bench: MappedMigrationBench) throws -> [Int] {
        try withStore(bench.destination, ModelText.model(MappedMigrationBench.newer)) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            return try context.fetch(request).map { ($0.value(forKey: "books") as? NSSet)?.count ?? 0 }
        }
    }
}
