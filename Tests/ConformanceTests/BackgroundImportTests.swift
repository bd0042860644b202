import CoreData
import Foundation
import Testing

/// Bringing data in without the main context.
struct BackgroundImportTests {
    private struct TripRecord: Codable, Sendable {
        var title: String
        var places: [String]
    }

    private let json = Data(
        """
        [{"title": "North", "places": ["Oslo", "Bergen"]}, {"title": "South", "places": ["Rome"]},
         {"title": "North", "places": ["Narvik"]}]
        """.utf8)

    @Test func taskOfTheContainer() async throws {
        let container = Journal.inMemoryContainer()
        let records = try JSONDecoder().decode([TripRecord].self, from: json)
        try await container.performBackgroundTask { context in
            for record in records {
                let trip = Trip(context: context)
                trip.title = record.title
                for place in record.places {
                    let stop = Stop(context: context)
                    stop.place = place
                    stop.trip = trip
                }
            }
            try context.save()
        }
        let titles = try await MainActor.run {
            let request = Trip.fetchRequest()
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            return try container.viewContext.fetch(request).map { "\($0.title) \($0.orderedStops.count)" }
        }
        #expect(titles.sorted() == ["North 1", "North 2", "South 1"])
    }

    @Test func taskWithACallback() async {
        let container = Journal.inMemoryContainer()
        let count = await withCheckedContinuation { continuation in
            container.performBackgroundTask { context in
                context.insertTrip("North", "Oslo")
                let count = try? context.count(for: Trip.fetchRequest())
                continuation.resume(returning: count)
            }
        }
        #expect(count == 1)
    }

    /// An import that updates what is there and inserts what is not.
    @Test func findOrCreate() async throws {
        let container = Journal.inMemoryContainer()
        let context = container.newBackgroundContext()
        try await context.perform {
            context.insertTrip("North", "Oslo")
            try context.save()
        }
        let records = try JSONDecoder().decode([TripRecord].self, from: json)
        try await context.perform {
            let request: NSFetchRequest<Trip> = Trip.fetchRequest()
            request.predicate = NSPredicate(format: "title IN %@", records.map(\.title))
            var known = Dictionary(uniqueKeysWithValues: try context.fetch(request).map { ($0.title, $0) })
            for record in records {
                let trip = known[record.title] ?? context.insertTrip(record.title)
                known[record.title] = trip
                for place in record.places where !trip.orderedStops.contains(where: { $0.place == place }) {
                    let stop = Stop(context: context)
                    stop.place = place
                    trip.addToStops(stop)
                }
            }
            try context.save()
        }
        let summary = try await context.perform {
            let request = Trip.fetchRequest()
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            return try context.fetch(request).map { "\($0.title): \($0.orderedStops.compactMap(\.place))" }
        }
        #expect(summary == [#"North: ["Oslo", "Bergen", "Narvik"]"#, #"South: ["Rome"]"#])
    }

    /// Saving in batches and forgetting what was saved keeps an import small.
    @Test func batches() async throws {
        let url = Journal.temporaryStoreURL()
        defer { Journal.remove(url) }
        let container = try Journal.container(at: url)
        let context = container.newBackgroundContext()
        try await context.perform {
            for start in stride(from: 0, to: 1000, by: 250) {
                for number in start..<start + 250 {
                    context.insertTrip("Trip \(number)")
                }
                try context.save()
                context.reset()
                #expect(context.registeredObjects.isEmpty)
            }
        }
        let count = try await container.viewContext.perform {
            try container.viewContext.count(for: Trip.fetchRequest())
        }
        #expect(count == 1000)
    }

    /// A second context sees the first one's saves once it fetches.
    @Test @MainActor func theMainContextFetchesWhatWasImported() async throws {
        let container = Journal.inMemoryContainer()
        let context = container.viewContext
        #expect(try context.count(for: Trip.fetchRequest()) == 0)
        let imported = try await container.performBackgroundTask { context in
            let trip = context.insertTrip("North", "Oslo")
            try context.save()
            return trip.objectID
        }
        let trip = try #require(context.object(with: imported) as? Trip)
        #expect(trip.title == "North")
        #expect(try context.fetch(Trip.fetchRequest()).first === trip)
    }
}
