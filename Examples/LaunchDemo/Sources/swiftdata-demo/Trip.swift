import Foundation
import SwiftData

// The classes of a program that began on a Mac. They know nothing of the system on which they run.

@Model final class Trip {
    var name: String
    var start: Date
    var isBooked: Bool = false
    var kind: Kind = Kind.hike
    var base: Place?
    var tags: [String] = []
    var guide: Guide?
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

    init(name: String, start: Date) {
        self.name = name
        self.start = start
    }

    /// No column has this value.
    var isLong: Bool { stops.count > 2 }
}

@Model final class Stop {
    var town: String
    var trip: Trip?

    init(town: String) { self.town = town }
}

@Model final class Guide {
    var name: String
    var chief: Guide?
    @Relationship(inverse: \Guide.chief) var team: [Guide] = []
    @Relationship(inverse: \Trip.guide) var trips: [Trip] = []

    init(name: String) { self.name = name }
}

enum Kind: String, Codable { case hike, sail, train }

struct Place: Codable {
    var town: String
    var beds: Int
}
