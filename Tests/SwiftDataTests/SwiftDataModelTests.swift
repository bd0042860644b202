import CoreData
import Foundation
import SwiftData
import TestSupport
import Testing

/// Models, before and after their insertion, in one context and in several.
@Suite("Models of SwiftData")
struct SwiftDataModelTests {
    private func container() throws -> ModelContainer {
        try ModelContainer(
            for: Trip.self, BusinessTrip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    /// A container over a file, and another one over the same file.
    private func withFile(_ body: (() throws -> ModelContainer) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("trips.store")
            try body {
                try ModelContainer(for: Trip.self, BusinessTrip.self, configurations: ModelConfiguration(url: url))
            }
        }
    }

    @Test("Values of every kind come back from the file")
    func values() throws {
        try withFile { open in
            let home = Address(street: "Long Lane", number: 7, mood: .wild, notes: ["a", "b"])
            do {
                let context = ModelContext(try open())
                let trip = Trip(name: "North")
                trip.start = Date(timeIntervalSinceReferenceDate: 12.5)
                trip.distance = 900
                trip.mood = .wild
                trip.season = .autumn
                trip.weather = .rain(millimetres: 3)
                trip.home = home
                trip.renamed = Renamed(first: 5, second: "five")
                trip.tags = ["x", "y"]
                trip.counts = ["k": 2]
                trip.homepage = URL(string: "https://example.org/n")
                trip.price = Decimal(string: "12.34") ?? 0
                context.insert(trip)
                try context.save()
            }
            let context = ModelContext(try open())
            let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
            #expect(trip.name == "North")
            #expect(trip.start == Date(timeIntervalSinceReferenceDate: 12.5))
            #expect(trip.distance == 900)
            #expect(trip.mood == .wild)
            #expect(trip.season == .autumn)
            #expect(trip.weather == .rain(millimetres: 3))
            #expect(trip.home == home)
            #expect(trip.renamed == Renamed(first: 5, second: "five"))
            #expect(trip.tags == ["x", "y"])
            #expect(trip.counts == ["k": 2])
            #expect(trip.homepage == URL(string: "https://example.org/n"))
            #expect(trip.price == Decimal(string: "12.34"))
            trip.home = nil
            trip.season = nil
            trip.weather = .dry
            try context.save()
            let again = try #require(try ModelContext(try open()).fetch(FetchDescriptor<Trip>()).first)
            #expect(again.home == nil)
            #expect(again.season == nil)
            #expect(again.weather == .dry)
        }
    }

    @Test("A new model has the initial values of its properties, and none of another model")
    func initialValues() {
        let trip = Trip(name: "A")
        #expect(trip.mood == .calm)
        #expect(trip.weather == .dry)
        #expect(trip.tags.isEmpty)
        #expect(trip.home == nil)
        #expect(trip.renamed == Renamed(first: 1, second: "x"))
        trip.seen = 3
        #expect(Trip(name: "B").seen == 0)
    }

    @Test("Inverses hold before the insertion, and inserting one model inserts the others")
    func graph() throws {
        let trip = Trip(name: "A")
        let stop = Stop(place: "P", trip: trip)
        #expect(trip.stops.first === stop)
        trip.stops.append(Stop(place: "Q"))
        #expect(trip.stops.allSatisfy { $0.trip === trip })
        let context = ModelContext(try container())
        context.insert(stop)
        #expect(trip.modelContext === context)
        #expect(context.insertedModelsArray.count == 3)
        let later = Stop(place: "R")
        later.trip = trip
        #expect(later.modelContext === context)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 3)
        #expect(Set(trip.stops.map(\.place)) == ["P", "Q", "R"])
    }

    @Test("One model stands for a row, keeps its transient values while it has changes, and is freed after")
    func identity() throws {
        let context = ModelContext(try container())
        weak var freed: Trip?
        do {
            let trip = Trip(name: "A")
            trip.seen = 9
            context.insert(trip)
            freed = trip
        }
        #expect(freed?.seen == 9)
        try context.save()
        #expect(freed == nil)
        let first = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
        let second = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
        #expect(first === second)
        #expect(first.seen == 0)
        #expect((context.model(for: first.persistentModelID) as? Trip) === first)
        let registered: Trip? = context.registeredModel(for: first.persistentModelID)
        #expect(registered === first)
    }

    @Test("A subclass has the properties of both classes, whichever is fetched")
    func inheritance() throws {
        try withFile { open in
            do {
                let context = ModelContext(try open())
                let trip = BusinessTrip(name: "Fair", customer: "Ann")
                trip.stops = [Stop(place: "P")]
                trip.hotel = Address(street: "S", number: nil, mood: .calm, notes: [])
                context.insert(trip)
                context.insert(Trip(name: "Sea"))
                #expect(trip.name == "Fair" && trip.customer == "Ann" && trip.mood == .calm)
                try context.save()
            }
            let context = ModelContext(try open())
            let all = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
            #expect(all.map(\.name) == ["Fair", "Sea"])
            let business = try #require(all.first as? BusinessTrip)
            #expect(business.customer == "Ann")
            #expect(business.hotel?.street == "S")
            #expect(business.stops.first?.trip === business)
            #expect(
                try context.fetchCount(FetchDescriptor<BusinessTrip>(predicate: #Predicate { $0.customer == "Ann" }))
                    == 1)
        }
    }

    @Test("Deleting obeys the rules, rolling back takes changes back")
    func deleting() throws {
        let context = ModelContext(try container())
        let trip = Trip(name: "A")
        trip.stops = [Stop(place: "P"), Stop(place: "Q")]
        context.insert(trip)
        try context.save()
        trip.name = "B"
        context.delete(trip)
        #expect(trip.isDeleted)
        context.rollback()
        #expect(!context.hasChanges)
        #expect(trip.name == "A" && !trip.isDeleted)
        context.delete(trip)
        try context.save()
        #expect(trip.modelContext == nil)
        #expect(trip.name == "A")
        #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
    }

    @Test("Predicates and orders over enumerations, structures, models and identifiers")
    func predicates() throws {
        let context = ModelContext(try container())
        let (calm, wild) = (Trip(name: "calm"), Trip(name: "wild"))
        wild.mood = .wild
        wild.home = Address(street: "Lane", number: 3, mood: .calm, notes: [])
        calm.home = Address(street: "Road", number: 4, mood: .calm, notes: [])
        calm.stops = [Stop(place: "P")]
        context.insert(calm)
        context.insert(wild)
        try context.save()
        func names(_ predicate: Predicate<Trip>) throws -> [String] {
            try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])).map(\.name)
        }
        let mood = Mood.wild
        #expect(try names(#Predicate { $0.mood == mood }) == ["wild"])
        #expect(try names(#Predicate { $0.mood.rawValue == "calm" }) == ["calm"])
        #expect(try names(#Predicate { $0.home?.street == "Lane" }) == ["wild"])
        #expect(try names(#Predicate { $0.stops.contains { $0.place == "P" } }) == ["calm"])
        #expect(try names(#Predicate { !$0.stops.isEmpty && $0.name.contains("al") }) == ["calm"])
        let id = wild.persistentModelID
        #expect(try names(#Predicate { $0.persistentModelID == id }) == ["wild"])
        let ids = [id]
        let moods = [Mood.calm]
        #expect(try names(#Predicate { moods.contains($0.mood) }) == ["calm"])
        let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(id))
        #expect(try names(#Predicate { $0.persistentModelID == decoded }) == ["wild"])
        #expect(try names(#Predicate { ids.contains($0.persistentModelID) }) == ["wild"])
        let stops = try context.fetch(FetchDescriptor<Stop>(predicate: #Predicate { $0.trip?.name == "calm" }))
        #expect(stops.map(\.place) == ["P"])
        let byStreet = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.home?.street, order: .reverse)])
        #expect(try context.fetch(byStreet).map(\.name) == ["calm", "wild"])
    }

    @Test("Batches, limits, counts and identifiers")
    func batches() throws {
        let context = ModelContext(try container())
        for number in 0..<25 { context.insert(Trip(name: "T\(number)")) }
        #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
            try context.fetch(FetchDescriptor<Trip>(), batchSize: 10)
        }
        try context.save()
        var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
        let all = try context.fetch(descriptor, batchSize: 10)
        #expect(all.count == 25)
        #expect(all.prefix(3).map(\.name) == ["T0", "T1", "T2"])
        #expect(all.last?.name == "T24")
        descriptor.fetchLimit = 2
        descriptor.fetchOffset = 3
        #expect(try context.fetch(descriptor).map(\.name) == ["T3", "T4"])
        #expect(
            try context.fetchIdentifiers(descriptor).map { (context.model(for: $0) as? Trip)?.name } == ["T3", "T4"])
        var names: [String] = []
        try context.enumerate(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]), batchSize: 10) {
            names.append($0.name)
        }
        #expect(names.count == 25)
        #expect(throws: SwiftDataError.self) {
            try context.enumerate(FetchDescriptor<Trip>(), batchSize: 10) { $0.distance = 1 }
        }
        context.rollback()
        try context.delete(model: Trip.self, where: #Predicate { $0.name.starts(with: "T1") })
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 14)
        try context.transaction { context.insert(Trip(name: "last")) }
        #expect(!context.hasChanges)
        try context.container.erase()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
    }

    @Test("Stores that cannot be opened are errors with a reason")
    func unopened() throws {
        try withTemporaryFolder { folder in
            let text = folder.appendingPathComponent("text.store")
            try Data("no database, whatever its name says, and long enough to be read".utf8).write(to: text)
            for url in [text, folder] {
                let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
                    try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url))
                }
                #expect(error?.underlyingError != nil)
                #expect(error?.reason?.isEmpty == false)
            }
            let twice = ModelConfiguration("a", url: folder.appendingPathComponent("b"))
            #expect(throws: SwiftDataError.duplicateConfiguration) {
                try ModelContainer(for: Trip.self, configurations: twice, twice)
            }
        }
    }

    @Test("A new model with unique values that are taken changes the old one")
    func upsert() throws {
        let context = ModelContext(try container())
        context.insert(Trip(name: "A"))
        try context.save()
        let second = Trip(name: "A")
        second.distance = 5
        context.insert(second)
        try context.save()
        let all = try context.fetch(FetchDescriptor<Trip>())
        #expect(all.count == 1)
        #expect(all.first?.distance == 5)
    }

    @Test("Another context's save is seen by the next fetch, and by models that are in use")
    func siblings() throws {
        let container = try container()
        let (one, two) = (ModelContext(container), ModelContext(container))
        one.insert(Trip(name: "A"))
        try one.save()
        let mine = try #require(try one.fetch(FetchDescriptor<Trip>()).first)
        let theirs = try #require(try two.fetch(FetchDescriptor<Trip>()).first)
        #expect(mine == theirs && mine !== theirs)
        theirs.distance = 5
        try two.save()
        _ = try one.fetch(FetchDescriptor<Trip>())
        #expect(mine.distance == 5)
        theirs.distance = 6
        try two.managedObjectContext.save()
        _ = try one.fetch(FetchDescriptor<Trip>())
        #expect(mine.distance == 6)
    }

    @Test("An identifier has Apple's form as JSON, and equals the one that was encoded")
    func identifiers() throws {
        try withFile { open in
            let container = try open()
            let context = ModelContext(container)
            let trip = Trip(name: "A")
            context.insert(trip)
            try context.save()
            let id = trip.persistentModelID
            let data = try JSONEncoder().encode(id)
            let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])
            #expect(json["implementation"]?["primaryKey"] as? String == "p1")
            #expect(json["implementation"]?["entityName"] as? String == "Trip")
            let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
            #expect(decoded == id)
            #expect(Set([decoded]).contains(id))
            let other = ModelContext(container)
            #expect((other.model(for: decoded) as? Trip)?.name == "A")
            #expect(id.description.contains("x-coredata://\(id.storeIdentifier ?? "")/Trip/p1"))
        }
    }

    @Test("An actor of models works off the calling thread")
    func actors() async throws {
        let container = try container()
        let writer = Writer(modelContainer: container)
        let id = try await writer.add("A")
        #expect(await writer.name(of: id) == "A")
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
    }

    @Test("A program's changes are seen by a tracking of Observation in the main context")
    @MainActor func observation() throws {
        let context = try container().mainContext
        let trip = Trip(name: "A")
        context.insert(trip)
        try context.save()
        let fired = Fired()
        withObservationTracking {
            _ = trip.name
        } onChange: {
            fired.count += 1
        }
        trip.distance = 3
        #expect(fired.count == 0)
        trip.name = "B"
        #expect(fired.count == 1)
    }
}

/// Counts calls on one thread.
private final class Fired: @unchecked Sendable {
    var count = 0
}

@ModelActor
actor Writer {
    func add(_ name: String) throws -> PersistentIdentifier {
        let trip = Trip(name: name)
        modelContext.insert(trip)
        try modelContext.save()
        return trip.persistentModelID
    }

    func name(of id: PersistentIdentifier) -> String? { self[id, as: Trip.self]?.name }
}
