import Foundation
import SwiftData

// A small schema with one of each kind of property.

enum Mood: String, Codable { case calm, wild }

enum Season: Codable { case spring, summer, autumn, winter }

enum Weather: Codable, Equatable {
    case dry
    case rain(millimetres: Int)
}

struct Address: Codable, Equatable {
    var street: String
    var number: Int?
    var mood: Mood
    var notes: [String]
}

/// Its keys for coding do not count: the fields' names do.
struct Renamed: Codable, Equatable {
    var first: Int
    var second: String

    enum CodingKeys: String, CodingKey { case first = "a", second = "b" }
}

@Model class Trip {
    #Index<Trip>([\.name], [\.name, \.start])
    #Unique<Trip>([\.name, \.start])

    var name: String
    var start: Date = Date(timeIntervalSinceReferenceDate: 0)
    var distance: Int32?
    var mood: Mood = Mood.calm
    var season: Season?
    var weather: Weather = Weather.dry
    var home: Address?
    var renamed: Renamed = Renamed(first: 1, second: "x")
    var tags: [String] = []
    var counts: [String: Int] = [:]
    var homepage: URL?
    @Attribute(originalName: "cost") var price: Decimal = Decimal(0)
    @Attribute(.ephemeral) var isOpen: Bool = false
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
    @Transient var seen = 0

    init(name: String) { self.name = name }
}

@Model final class BusinessTrip: Trip {
    var customer: String
    var hotel: Address?

    init(name: String, customer: String) {
        self.customer = customer
        super.init(name: name)
    }
}

@Model final class Stop {
    var place: String
    var trip: Trip?

    init(place: String, trip: Trip? = nil) {
        self.place = place
        self.trip = trip
    }
}
