import Foundation
import SwiftData
import TestSupport
import Testing

// A model of numbers whose calculations differ between SQL and Swift, and of texts that are composed in several ways.

@Model final class Reading {
    var place: String
    var width: Float
    var level: Double
    var small: Int8
    var price: Decimal
    var series: Int
    var link = URL(string: "b", relativeTo: URL(string: "http://a.example"))
    var isHidden: Bool { false }
    var parent: Reading?
    @Relationship(inverse: \Reading.parent) var parts: [Reading] = []

    init(_ number: Int) {
        place = ["Ulm", "e\u{301}mile", "émile", "Köln"][number % 4]
        width = Float(number) * 0.1
        level = Double(number) * 0.1
        small = Int8(number * 10)
        price = Decimal(number) / 10
        series = number
    }
}

/// Predicates whose evaluation by Foundation alone would stop the process, or differ from what a store finds.
@Suite("Predicates of SwiftData that calculate, unwrap and nest")
struct SwiftDataCheckedPredicateTests {
    /// Readings with the numbers 0 to 9, saved.
    private func withReadings(_ body: (ModelContext) throws -> Void) throws {
        let container = try ModelContainer(
            for: Reading.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        var last: Reading?
        for number in 0..<10 {
            let reading = Reading(number)
            context.insert(reading)
            if number % 3 != 0 { reading.parent = last }
            last = reading
        }
        try context.save()
        try body(context)
    }

    private func found(_ predicate: Predicate<Reading>, in context: ModelContext) throws -> [Int] {
        try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.series)])).map(\.series)
    }

    /// Checks a predicate against plain Swift.
    private func check(
        _ predicate: Predicate<Reading>, in context: ModelContext, line: Int = #line, _ judge: (Reading) -> Bool
    ) throws {
        let expected = try context.fetch(FetchDescriptor<Reading>(sortBy: [SortDescriptor(\.series)])).filter(judge)
        let found = try found(predicate, in: context)
        #expect(found == expected.map(\.series), "line \(line)")
    }

    @Test("Comparisons with optionals stand beside functions that Foundation's macro does not know")
    func macros() throws {
        let inner: Predicate<Vehicle> = #Predicate { $0.count == 2 && $0.name.hasPrefix("z") }
        let all: Predicate<Vehicle> = #Predicate { inner.evaluate($0) && $0.isSold != true && $0.code == Int("7")! }
        let several = #Predicate<Vehicle, Pilot> { $0.count == $1.age && $1.name.hasPrefix($0.name) }
        let sum = #Expression<Vehicle, Bool> { $0.count == -1 }
        let vehicle = Vehicle(7)
        #expect(try all.evaluate(vehicle))
        #expect(try several.evaluate(vehicle, Pilot("zoe", age: 2)))
        #expect(try !sum.evaluate(vehicle))
    }

    @Test("Calculations with Float and Decimal, and divisions by zero, have the results of Swift")
    func calculations() throws {
        let price = Decimal(string: "0.3") ?? 0
        try withReadings { context in
            try check(#Predicate { $0.width + 0.1 >= 0.3 }, in: context) { $0.width + 0.1 >= 0.3 }
            try check(#Predicate { $0.price * 3 == price }, in: context) { $0.price * 3 == price }
            try check(#Predicate { 1 / $0.level > 5 }, in: context) { 1 / $0.level > 5 }
            try check(#Predicate { !(1 / $0.level > 5) }, in: context) { !(1 / $0.level > 5) }
            try check(#Predicate { $0.level / 0 > 5 }, in: context) { $0.level / 0 > 5 }
            let division = FetchDescriptor<Reading>(predicate: #Predicate { $0.level / 2 > 0.2 })
            #expect(try context.explanation(of: division).conditions.map(\.decider) == [.store])
        }
    }

    @Test("A condition without a value does not hold, whoever decides it, and an overflow is an error")
    func missingValues() throws {
        try withReadings { context in
            try check(#Predicate { 8 / $0.series == 2 }, in: context) { (3...4).contains($0.series) }
            try check(#Predicate { $0.isHidden || 8 / $0.series == 2 }, in: context) { (3...4).contains($0.series) }
            try check(#Predicate { $0.isHidden || 9 % $0.series == 1 }, in: context) { [2, 4, 8].contains($0.series) }
            try check(#Predicate { $0.isHidden || ($0.series...6).contains(5) }, in: context) { $0.series <= 5 }
            try check(#Predicate { $0.isHidden || ($0.series..<6).contains(5) }, in: context) { $0.series <= 5 }
            let (four, six) = (4, 6)
            try check(#Predicate { (six...four).contains($0.series) }, in: context) { _ in false }
            try check(#Predicate { !(four..<six).contains($0.series) }, in: context) { !(4..<6).contains($0.series) }
            let overflow: [Predicate<Reading>] = [
                #Predicate { $0.isHidden || $0.small + $0.small > 3 },
                #Predicate { $0.isHidden || $0.small * $0.small > 101 },
                #Predicate { $0.isHidden || -$0.small - 100 > 3 },
            ]
            for predicate in overflow {
                #expect(throws: SwiftDataError.unsupportedPredicate) { try found(predicate, in: context) }
            }
        }
    }

    @Test("A store calculates integers with 64 bits, compares addresses as a whole, and finds no empty text")
    func ofStores() throws {
        try withReadings { context in
            try check(#Predicate { $0.small + $0.small > 100 }, in: context) { $0.series > 5 }
            let whole = URL(string: "http://a.example/b")
            try check(#Predicate { $0.link == whole }, in: context) { _ in true }
            let empty = ""
            try check(#Predicate { $0.place.contains(empty) }, in: context) { _ in false }
            try check(#Predicate { $0.isHidden || $0.place.contains(empty) }, in: context) { _ in true }
        }
    }

    /// The conditions that a program has set.
    private struct Filter {
        var place: String?
        var spot: Spot?

        var predicate: Predicate<Reading> {
            #Predicate { (place == nil || $0.place == place!) && (spot == nil || $0.place == spot!.town) }
        }
    }

    @Test("A captured value is unwrapped by force only where the predicate needs it")
    func captured() throws {
        try withReadings { context in
            let filters = [
                Filter(), Filter(place: "Ulm"), Filter(spot: Spot(town: "Ulm", grade: .mid)),
            ]
            let counts = try filters.map { try found($0.predicate, in: context).count }
            #expect(counts == [10, 3, 3])
        }
    }

    @Test("An element that a captured list does not have is missed only where the predicate needs it")
    func elements() throws {
        try withReadings { context in
            for list in [[], ["Ulm"]] {
                try check(#Predicate { list.isEmpty || $0.place == list[0] }, in: context) {
                    list.isEmpty || $0.place == list[0]
                }
                try check(#Predicate { $0.place == list[0] }, in: context) { $0.place == list.first }
                try check(#Predicate { $0.isHidden || $0.place == list[0] }, in: context) { $0.place == list.first }
            }
            let towns = ["a": "Ulm", "b": "Köln"]
            try check(#Predicate { $0.place == towns["b", default: ""] || $0.place == towns["a"]! }, in: context) {
                ["Ulm", "Köln"].contains($0.place)
            }
        }
    }

    @Test("Members of a filtered relationship are tested further")
    func filtered() throws {
        try withReadings { context in
            try check(#Predicate { $0.parts.filter { $0.series > 3 }.contains { $0.level < 0.6 } }, in: context) {
                $0.parts.contains { $0.series > 3 && $0.level < 0.6 }
            }
            try check(#Predicate { $0.parts.filter { $0.series > 3 }.allSatisfy { $0.level < 0.6 } }, in: context) {
                $0.parts.allSatisfy { $0.series <= 3 || $0.level < 0.6 }
            }
            try check(#Predicate { $0.parts.filter { $0.series > 3 }.filter { $0.level < 0.6 }.isEmpty }, in: context) {
                !$0.parts.contains { $0.series > 3 && $0.level < 0.6 }
            }
        }
    }

    @Test("A store compares and counts the Unicode scalars of texts, and the program their characters")
    func composedTexts() throws {
        try withReadings { context in
            let byStore = try found(#Predicate { $0.place == "émile" }, in: context)
            let byProgram = try found(#Predicate { $0.isHidden || $0.place == "émile" }, in: context)
            let countsOfStore = try found(#Predicate { $0.place.count == 5 }, in: context)
            let countsOfProgram = try found(#Predicate { $0.isHidden || $0.place.count == 5 }, in: context)
            #expect([byStore, countsOfStore] == [[2, 6], [2, 6]])
            #expect([byProgram, countsOfProgram] == [[1, 2, 5, 6, 9], [1, 2, 5, 6, 9]])
        }
    }

    @Test("A fetch with a regular expression that never ends stops when its task is cancelled")
    func endlessPattern() async throws {
        let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        let container = try ModelContainer(for: Reading.self, configurations: configuration)
        let context = ModelContext(container)
        let reading = Reading(1)
        reading.place = String(repeating: "a", count: 60_000) + "!"
        context.insert(reading)
        try context.save()
        let endless = FetchDescriptor(predicate: #Predicate<Reading> { $0.place.contains(/^(a+)+$/) })
        let works: [@Sendable (ModelContext) throws -> Void] = [
            { _ = try $0.fetch(endless) }, { _ = try $0.fetchCount(endless) }, { _ = try $0.fetchIdentifiers(endless) },
            { _ = try $0.fetch(endless, batchSize: 10) }, { try $0.enumerate(endless) { _ in } },
            { try $0.delete(model: Reading.self, where: endless.predicate) },
        ]
        for work in works {
            let task = Task.detached { try work(ModelContext(container)) }
            task.cancel()
            let error = await #expect(throws: CocoaError.self) { try await task.value }
            #expect(error?.code == .userCancelled)
        }
        let short = FetchDescriptor(predicate: #Predicate<Reading> { $0.place.contains(/a!$/) })
        #expect(try context.fetchCount(short) == 1)
    }
}
