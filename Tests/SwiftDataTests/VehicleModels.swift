import Foundation
import SwiftData

// The models of the tests of predicates: a property of each kind that a predicate may name.

enum Grade: String, Codable, CaseIterable {
    case low, mid, high

    var label: String { rawValue == "low" ? "least" : rawValue }
}

/// Its order is not that of its raw values.
enum Rank: Int, Codable, Comparable {
    case major = 1
    case captain = 2
    case private_ = 0

    private var place: Int { self == .private_ ? 0 : self == .captain ? 1 : 2 }
    static func < (one: Rank, other: Rank) -> Bool { one.place < other.place }
}

enum Sky: Codable { case clear, cloudy, dark }

enum Load: Codable, Equatable {
    case empty
    case weight(Int)
}

struct Spot: Codable, Equatable {
    var town: String
    var zip: Int?
    var grade: Grade
    var line: String { "\(zip ?? 0) \(town)" }
}

/// A list in a structure is kept as JSON.
struct Route: Codable, Equatable {
    var name: String
    var points: [Int]
}

@Model class Vehicle {
    var name: String
    var code: Int
    var weight: Double
    var note: String?
    var count: Int?
    var isNew: Bool
    var isSold: Bool?
    var built: Date
    var key: UUID
    var price: Decimal
    var grade: Grade
    var spare: Grade?
    var rank: Rank
    var sky: Sky
    var night: Sky?
    var load: Load
    var spot: Spot
    var home: Spot?
    var route: Route
    var tags: [String]
    var driver: Pilot?
    @Relationship(deleteRule: .cascade, inverse: \Halt.vehicle) var halts: [Halt] = []

    var title: String { "\(name) \(code)" }
    var driverID: PersistentIdentifier? { driver?.persistentModelID }

    init(_ number: Int) {
        name = ["Ann", "bob", "Cäsar", "Dora", "ann", "Émile", "", "zoe", "Bob 10", "Bob 9"][number % 10]
        code = number
        weight = Double(number) * 1.5
        note = number % 3 == 0 ? nil : "note \(number)"
        count = number % 4 == 0 ? nil : number % 5
        isNew = number % 2 == 0
        isSold = number % 3 == 1 ? nil : number % 3 == 0
        built = Date(timeIntervalSinceReferenceDate: Double(number) * 86_400)
        key = Self.key(number)
        price = Decimal(number) / 4
        grade = Grade.allCases[number % 3]
        spare = number % 2 == 0 ? nil : Grade.allCases[(number / 2) % 3]
        rank = [Rank.major, .captain, .private_][number % 3]
        sky = [Sky.clear, .cloudy, .dark][number % 3]
        night = number % 4 == 1 ? nil : [Sky.clear, .cloudy, .dark][(number / 3) % 3]
        load = number % 4 == 0 ? .empty : .weight(number % 4)
        spot = Spot(town: ["Ulm", "Bonn", "Köln"][number % 3], zip: number % 2 == 0 ? nil : number, grade: .mid)
        home = number % 5 == 0 ? nil : Spot(town: "Home \(number % 2)", zip: number % 3, grade: .high)
        route = Route(name: "R\(number % 2)", points: [number, number + 1])
        tags = number % 3 == 0 ? [] : ["t\(number % 2)", "all"]
    }

    static func key(_ number: Int) -> UUID { UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, UInt8(number))) }
}

@Model final class Van: Vehicle {
    var seats: Int

    init(_ number: Int, seats: Int) {
        self.seats = seats
        super.init(number)
    }
}

@Model final class Pilot {
    var name: String
    var age: Int?
    var boss: Pilot?
    @Relationship(inverse: \Vehicle.driver) var vehicles: [Vehicle] = []

    init(_ name: String, age: Int? = nil, boss: Pilot? = nil) {
        self.name = name
        self.age = age
        self.boss = boss
    }
}

@Model final class Halt {
    var place: String
    var number: Int
    var vehicle: Vehicle?

    init(_ place: String, _ number: Int) {
        self.place = place
        self.number = number
    }
}
