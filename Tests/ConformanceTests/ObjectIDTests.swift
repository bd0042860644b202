import CoreData
import Foundation
import Testing

/// Objects stay with their context; ids go everywhere.
struct ObjectIDTests {
    /// A part of a program that owns a context, in the words of Swift's concurrency.
    private actor TripKeeper {
        private let context: NSManagedObjectContext

        init(container: NSPersistentContainer) {
            context = container.newBackgroundContext()
        }

        func add(_ title: String) async throws -> NSManagedObjectID {
            try await context.perform { [context] in
                let trip = context.insertTrip(title)
                try context.save()
                return trip.objectID
            }
        }

        func rename(_ id: NSManagedObjectID, to title: String) async throws {
            try await context.perform { [context] in
                guard let trip = try context.existingObject(with: id) as? Trip else { return }
                trip.title = title
                try context.save()
            }
        }

        func remove(_ id: NSManagedObjectID) async throws {
            try await context.perform { [context] in
                context.delete(context.object(with: id))
                try context.save()
            }
        }
    }

    @Test @MainActor func idsBetweenContexts() async throws {
        let container = Journal.inMemoryContainer()
        let keeper = TripKeeper(container: container)
        let id = try await keeper.add("North")
        #expect(!id.isTemporaryID && id.entity.name == "Trip")
        let trip = try #require(container.viewContext.existingObject(with: id) as? Trip)
        #expect(trip.title == "North" && trip.objectID == id)
        try await keeper.rename(id, to: "South")
        container.viewContext.refresh(trip, mergeChanges: false)
        #expect(trip.title == "South")
        try await keeper.remove(id)
        container.viewContext.reset()
        #expect(throws: (any Error).self) { try container.viewContext.existingObject(with: id) }
    }

    @Test @MainActor func addressesThatCanBeKept() async throws {
        let url = Journal.temporaryStoreURL()
        defer { Journal.remove(url) }
        let address: URL
        do {
            let container = try Journal.container(at: url)
            let trip = container.viewContext.insertTrip("North")
            #expect(trip.objectID.isTemporaryID)
            try container.viewContext.obtainPermanentIDs(for: [trip])
            #expect(!trip.objectID.isTemporaryID)
            try container.viewContext.save()
            address = trip.objectID.uriRepresentation()
            #expect(address.scheme == "x-coredata")
        }
        let container = try Journal.container(at: url)
        let id = try #require(container.persistentStoreCoordinator.managedObjectID(forURIRepresentation: address))
        #expect((container.viewContext.object(with: id) as? Trip)?.title == "North")
    }

    @Test @MainActor func oneObjectPerContextAndID() throws {
        let container = Journal.inMemoryContainer()
        let trip = container.viewContext.insertTrip("North")
        try container.viewContext.save()
        #expect(container.viewContext.object(with: trip.objectID) === trip)
        #expect(container.viewContext.registeredObject(for: trip.objectID) === trip)
        let other = container.newBackgroundContext()
        let id = trip.objectID
        other.performAndWait {
            #expect(other.registeredObject(for: id) == nil)
            #expect(other.object(with: id) !== trip)
            #expect(other.object(with: id).isFault)
        }
    }

    @Test func resultsOfBlocks() async throws {
        let container = Journal.inMemoryContainer()
        let context = container.newBackgroundContext()
        let number = await context.perform { 42 }
        #expect(number == 42)
        let text: String = context.performAndWait { "waited" }
        #expect(text == "waited")
        await #expect(throws: CocoaError.self) {
            try await context.perform {
                let trip = context.insertTrip("")
                defer { context.delete(trip) }
                try context.save()
            }
        }
        let count = try await context.perform(schedule: .immediate) {
            try context.count(for: Trip.fetchRequest())
        }
        #expect(count == 0)
    }

    @Test func manyTasksAtOnce() async throws {
        let url = Journal.temporaryStoreURL()
        defer { Journal.remove(url) }
        let container = try Journal.container(at: url)
        try await withThrowingTaskGroup(of: NSManagedObjectID.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await container.performBackgroundTask { context in
                        let trip = context.insertTrip("Trip \(number)")
                        try context.save()
                        return trip.objectID
                    }
                }
            }
            var ids: Set<NSManagedObjectID> = []
            for try await id in group { ids.insert(id) }
            #expect(ids.count == 20)
        }
        let context = container.newBackgroundContext()
        #expect(try await context.perform { try context.count(for: Trip.fetchRequest()) } == 20)
    }
}
