import Foundation
import SwiftData

/// A trip with its stops.
@Model public final class Trip {
    #Index<Trip>([\.start])

    @Attribute(.unique) public private(set) var id: UUID = UUID()
    public var name: String
    public var start: Date
    public var kind: Kind = Kind.hike
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) public var stops: [Stop] = []

    /// Creates a trip that is in no context yet.
    public init(name: String, start: Date, kind: Kind = .hike, towns: [String] = []) {
        self.name = name
        self.start = start
        self.kind = kind
        stops = towns.map { Stop(town: $0) }
    }

    public enum Kind: String, Codable, CaseIterable, Sendable { case hike, sail, train }
}

/// A town on the way.
@Model public final class Stop {
    public var town: String
    public var trip: Trip?

    init(town: String) { self.town = town }
}

extension Trip {
    /// The towns in their order.
    public var towns: [String] { stops.map(\.town) }

    /// The trips in order of time whose name or one of whose towns has a text in it; all for an empty text.
    public static func matching(_ text: String = "") -> FetchDescriptor<Trip> {
        var descriptor = FetchDescriptor<Trip>(
            predicate: #Predicate { trip in
                text.isEmpty || trip.name.localizedStandardContains(text)
                    || trip.stops.contains { $0.town.localizedStandardContains(text) }
            },
            sortBy: [SortDescriptor(\.start), SortDescriptor(\.name)])
        // Both programs read all towns.
        descriptor.relationshipKeyPathsForPrefetching = [\.stops]
        return descriptor
    }

    /// The trip of an identifier, which is one at most.
    public static func identified(by id: UUID) -> FetchDescriptor<Trip> {
        FetchDescriptor(predicate: #Predicate { $0.id == id })
    }
}
