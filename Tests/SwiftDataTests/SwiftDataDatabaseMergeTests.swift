#if PostgreSQL
import CoreData
import Foundation
import SwiftData
import TestSupport
import Testing

/// Contexts over a database see what other containers have committed to it, as other processes would.
@Suite(
    "Commits to databases that contexts of SwiftData see",
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct SwiftDataDatabaseMergeTests {
    private func open(_ database: TestDatabase) throws -> ModelContainer {
        try ModelContainer(for: Trip.self, BusinessTrip.self, configurations: ModelConfiguration(url: database.url))
    }

    /// Commits, and waits until the database has announced that to a container.
    private func commit(_ context: ModelContext, announcedTo other: ModelContext) async throws {
        let coordinator = other.managedObjectContext.persistentStoreCoordinator
        let (events, continuation) = AsyncStream<Void>.makeStream()
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
        ) { _ in continuation.yield() }
        defer { NotificationCenter.default.removeObserver(observer) }
        try context.save()
        for await _ in events { break }
    }

    @Test("A fetch shows the committed values of models that the context has, and an observer their results")
    func otherContainer() async throws {
        let database = try TestDatabase()
        let context = ModelContext(try open(database))
        let trip = Trip(name: "North")
        trip.distance = 1
        context.insert(trip)
        try context.save()
        // Opened now, so that only the following commits are announced to it.
        let other = ModelContext(try open(database))
        let theirs = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
        #expect(theirs.distance == 1)
        trip.distance = 2
        try await commit(context, announcedTo: other)
        #expect(try other.fetch(FetchDescriptor<Trip>()).first === theirs && theirs.distance == 2)

        let observer = try ResultsObserver(sortBy: [SortDescriptor(\Trip.distance)], modelContext: other)
        #expect(observer.results.map(\.distance) == [2])
        trip.distance = 3
        context.insert(Trip(name: "South"))
        try await commit(context, announcedTo: other)
        #expect(observer.results.map(\.name).sorted() == ["North", "South"] && theirs.distance == 3)
    }
}
#endif
