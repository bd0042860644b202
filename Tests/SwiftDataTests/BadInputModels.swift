import Foundation
import SwiftData

// Classes for stores with values that do not fit, and classes that no store can keep.

enum Gauge: String, Codable { case narrow, broad }

enum Cargo: Codable, Equatable {
    case nothing
    case coal(tonnes: Int)
}

struct Builder: Codable, Equatable {
    var name: String
    var year: Int?
    var towns: [String]
}

/// A class in which every property has a default, or is optional.
@Model final class Wagon {
    var number: Int = 7
    var label: String = "none"
    var built: Date = Date(timeIntervalSinceReferenceDate: 1)
    var gauge: Gauge = Gauge.narrow
    var formerGauge: Gauge?
    var cargo: Cargo = Cargo.nothing
    var builder: Builder = Builder(name: "?", year: nil, towns: [])
    var owner: Builder?
    var marks: [String] = ["plain"]
    var weights: [String: [Int]] = [:]
    var axles: UInt8 = 2

    init() {}
}

/// A class in which no property has a default.
@Model final class Engine {
    var title: String
    var gauge: Gauge
    var cargo: Cargo
    var builder: Builder
    var marks: [String]
    var weights: [String: [Int]]
    var driver: Driver

    init(driver: Driver) {
        title = "A"
        gauge = .broad
        cargo = .coal(tonnes: 3)
        builder = Builder(name: "B", year: 1900, towns: ["T"])
        marks = ["m"]
        weights = ["w": [1]]
        self.driver = driver
    }
}

@Model final class Driver {
    var name: String

    init(name: String) { self.name = name }
}

// MARK: Classes that no store can keep

enum Faulty {
    final class Plain {}

    enum Letter: Character { case a = "a" }

    struct Nested: Codable {
        var inner = Inner()
    }

    struct Inner: Codable {
        var plain = Plain()

        init() {}
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {}
    }

    @Model final class ToPlain {
        var plain: Plain?
        init() {}
    }

    @Model final class ToManyPlain {
        var plains: [Plain] = []
        init() {}
    }

    @Model final class WithLetter {
        var letter: Letter = Letter.a
        init() {}
    }

    @Model final class WithNested {
        var nested: Nested?
        init() {}
    }

    @Model final class WithInverse {
        @Relationship(inverse: \Driver.name) var driver: Driver?
        init() {}
    }

    @Model final class WithDescription {
        var description: String = ""
        init() {}
    }

    @Model final class UniqueMany {
        @Relationship(.unique) var drivers: [Driver] = []
        init() {}
    }
}

/// The class `Driver` of another module or type.
enum Elsewhere {
    @Model final class Driver {
        var name: String = ""
        init() {}
    }
}
