#if PostgreSQL
import CoreData
import Foundation
import SwiftData
import TestSupport
import Testing

/// Models in a database of PostgreSQL, which a configuration names by its address.
@Suite(
    "SwiftData over PostgreSQL",
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct SwiftDataPostgreSQLTests {
    private func open(_ database: TestDatabase) throws -> ModelContainer {
        try ModelContainer(
            for: Trip.self, BusinessTrip.self, configurations: ModelConfiguration(url: database.url))
    }

    @Test("Values of every kind, predicates, orders, an upsert, a change and a deletion")
    func works() throws {
        let database = try TestDatabase()
        let home = Address(street: "Long Lane", number: 7, mood: .wild, notes: ["a", "b"])
        do {
            let context = ModelContext(try open(database))
            let trip = Trip(name: "North")
            trip.distance = 900
            trip.mood = .wild
            trip.season = .autumn
            trip.weather = .rain(millimetres: 3)
            trip.home = home
            trip.tags = ["x", "y"]
            trip.counts = ["k": 2]
            trip.homepage = URL(string: "https://example.org/n")
            trip.price = Decimal(string: "12.34") ?? 0
            trip.stops = [Stop(place: "P"), Stop(place: "Q")]
            context.insert(trip)
            context.insert(BusinessTrip(name: "Fair", customer: "Ann"))
            try context.save()
        }
        let context = ModelContext(try open(database))
        let trip = try #require(
            try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.home?.street == "Long Lane" })).first)
        #expect(trip.name == "North" && trip.distance == 900 && trip.mood == .wild && trip.season == .autumn)
        #expect(trip.weather == .rain(millimetres: 3) && trip.home == home)
        #expect(trip.tags == ["x", "y"] && trip.counts == ["k": 2] && trip.price == Decimal(string: "12.34"))
        #expect(trip.homepage?.absoluteString == "https://example.org/n")
        #expect(Set(trip.stops.map(\.place)) == ["P", "Q"])
        let wild = Mood.wild
        #expect(try context.fetchCount(FetchDescriptor<Trip>(predicate: #Predicate { $0.mood == wild })) == 1)
        let names = FetchDescriptor<Trip>(
            predicate: #Predicate { $0.name.contains("a") || !$0.stops.isEmpty },
            sortBy: [SortDescriptor(\.name, order: .reverse)])
        #expect(try context.fetch(names).map(\.name) == ["North", "Fair"])
        try trip.validateStoredValues()

        let same = Trip(name: "North")
        same.distance = 5
        context.insert(same)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 2)
        let saved = try #require(
            try ModelContext(open(database)).fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "North" }))
                .first)
        #expect(saved.distance == 5)

        let fair = try #require(try context.fetch(FetchDescriptor<BusinessTrip>()).first)
        fair.customer = "Bob"
        fair.season = .spring
        try context.save()
        #expect(try ModelContext(open(database)).fetch(FetchDescriptor<BusinessTrip>()).map(\.customer) == ["Bob"])
        context.delete(fair)
        try context.save()
        #expect(try ModelContext(open(database)).fetchCount(FetchDescriptor<BusinessTrip>()) == 0)
    }

    @Test("Two containers see what the other one has saved, and changes of different properties are united")
    func twoContainers() throws {
        let database = try TestDatabase()
        let (one, two) = (ModelContext(try open(database)), ModelContext(try open(database)))
        one.insert(Trip(name: "A"))
        try one.save()
        let theirs = try #require(try two.fetch(FetchDescriptor<Trip>()).first)
        theirs.distance = 3
        theirs.stops = [Stop(place: "P")]
        try two.save()
        #expect(try one.fetchCount(FetchDescriptor<Stop>(predicate: #Predicate { $0.trip?.distance == 3 })) == 1)
        let mine = try #require(try one.fetch(FetchDescriptor<Trip>()).first)
        mine.season = .winter
        theirs.mood = .wild
        try one.save()
        try two.save()
        let all = try ModelContext(open(database)).fetch(FetchDescriptor<Trip>())
        #expect(all.count == 1)
        #expect(all.first?.season == .winter && all.first?.mood == .wild && all.first?.distance == 3)
    }

    @Test("An opening in the background keeps history from its first moment on, as the container does")
    func opening() async throws {
        let database = try TestDatabase()
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [address = database.url.absoluteString as String] in
            let url = try #require(URL(string: address))
            for _ in 0..<2 {
                let opening = ModelContainer.opening(for: Trip.self, configurations: ModelConfiguration(url: url))
                let context = ModelContext(try await opening.container)
                context.insert(Trip(name: "\(UUID())"))
                try context.save()
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(!text.contains("CoreData: "), "\(text)")
    }

    @Test("An address without a server is an error of the container with its reason")
    func noServer() throws {
        let url = try #require(URL(string: "postgresql://127.0.0.1:1/nothing?connect_timeout=5"))
        let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
            try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url))
        }
        #expect(error?.underlyingError != nil)
        #expect(error?.reason?.contains("127.0.0.1") == true, "\(error?.reason ?? "")")
    }
}
#endif
