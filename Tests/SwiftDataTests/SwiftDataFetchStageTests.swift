import CoreData
import Foundation
import SwiftData
import TestSupport
import Testing

/// Fetches of which the program evaluates a part.
@Suite("Fetches of SwiftData in two stages")
struct SwiftDataFetchStageTests {
    private func withFleet(_ state: Fleet.State = .saved, _ body: (Fleet) throws -> Void) throws {
        try withTemporaryFolder { try body(try Fleet(state, in: $0)) }
    }

    @Test("Offset and limit count the models for which all conditions hold")
    func limits() throws {
        try withFleet { fleet in
            var descriptor = FetchDescriptor<Vehicle>(
                predicate: #Predicate { $0.tags.contains("all") && $0.code > 1 }, sortBy: [SortDescriptor(\.code)])
            #expect(try fleet.context.fetch(descriptor).map(\.code) == [2, 4, 5, 7, 8, 10, 11])
            descriptor.fetchOffset = 1
            descriptor.fetchLimit = 3
            #expect(try fleet.context.fetch(descriptor).map(\.code) == [4, 5, 7])
            #expect(try fleet.context.fetchCount(descriptor) == 3)
            let ids = try fleet.context.fetchIdentifiers(descriptor)
            #expect(ids.compactMap { (fleet.context.model(for: $0) as? Vehicle)?.code } == [4, 5, 7])
            #expect(try fleet.context.fetch(descriptor, batchSize: 2).map(\.code) == [4, 5, 7])
            #expect(try fleet.context.fetchIdentifiers(descriptor, batchSize: 2).map { $0 } == ids)
            var codes: [Int] = []
            try fleet.context.enumerate(descriptor, batchSize: 2) { codes.append($0.code) }
            #expect(codes == [4, 5, 7])
        }
    }

    @Test("An order that the store does not have is that of the program, before offset and limit")
    func sortingByProgram() throws {
        try withFleet { fleet in
            var descriptor = FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.title, order: .reverse)])
            descriptor.predicate = #Predicate { $0.code < 4 }
            descriptor.fetchLimit = 3
            let found = try fleet.context.fetch(descriptor)
            #expect(found.map(\.code) == [3, 2, 1])
            #expect(try fleet.context.explanation(of: descriptor).sorter == .program)
        }
    }

    @Test("A deletion with a condition that the program evaluates removes the models for which it holds")
    func deleting() throws {
        try withFleet { fleet in
            try fleet.context.delete(model: Vehicle.self, where: #Predicate { $0.tags.isEmpty })
            try fleet.context.save()
            #expect(try fleet.context.fetch(FetchDescriptor<Vehicle>()).allSatisfy { !$0.tags.isEmpty })
            #expect(try fleet.context.fetchCount(FetchDescriptor<Vehicle>()) == 8)
        }
    }

    @Test("An explanation says which conditions the store decides, and for which part there is no SQL")
    func explanation() throws {
        try withFleet { fleet in
            let descriptor = FetchDescriptor<Vehicle>(
                predicate: #Predicate { $0.code > 3 && $0.tags.contains("t1") && $0.note == nil })
            let explanation = try fleet.context.explanation(of: descriptor)
            #expect(explanation.conditions.map(\.decider) == [.store, .program, .store])
            #expect(explanation.conditions[1].untranslatedPart == "KeyPath")
            #expect(explanation.conditions[0].text == "code > 3")
            #expect(explanation.sorter == .store)
            #expect(explanation.statements.count == 1)
            #expect(explanation.description.contains("\nprogram: SequenceContains("))
        }
    }

    @Test("Properties of a superclass are found by key paths of the subclass, in the store")
    func subclasses() throws {
        try withFleet { fleet in
            let predicate: Predicate<Van> = #Predicate { $0.code > 10 && $0.seats > 2 && $0.driver?.name == "Cleo" }
            let descriptor = FetchDescriptor(
                predicate: predicate, sortBy: [SortDescriptor(\.name), SortDescriptor(\.seats)])
            #expect(try fleet.context.fetch(descriptor).map(\.code) == [11])
            let explanation = try fleet.context.explanation(of: descriptor)
            #expect(explanation.conditions.allSatisfy { $0.decider == .store })
            #expect(explanation.sorter == .store)
        }
    }

    @Test("A fetch without unsaved changes asks the store alone, although models are changed")
    func withoutPendingChanges() throws {
        try withFleet { fleet in
            let driver = try #require(try fleet.vehicles().lazy.compactMap(\.driver).first { $0.name == "Ann" })
            driver.name = "Zora"
            var descriptor = FetchDescriptor<Vehicle>(predicate: #Predicate { $0.driver?.name == "Ann" })
            #expect(try fleet.context.fetch(descriptor).isEmpty)
            #expect(try fleet.context.explanation(of: descriptor).conditions[0].decider == .program)
            descriptor.includePendingChanges = false
            #expect(try fleet.context.fetchCount(descriptor) == 3)
            #expect(try fleet.context.explanation(of: descriptor).conditions[0].decider == .store)
        }
    }

    // MARK: Bad input

    @Test("A predicate whose parts are nested too deeply throws an error, and many conditions do not")
    func levels() throws {
        try withFleet { fleet in
            var nested: Predicate<Vehicle> = #Predicate { $0.code == 3 }
            for _ in 0..<5_000 {
                let inner = nested
                nested = #Predicate { inner.evaluate($0) || $0.code == 4 }
            }
            #expect(throws: SwiftDataError.unsupportedPredicate) { try fleet.found(nested) }
            #expect(throws: SwiftDataError.unsupportedPredicate) {
                try fleet.found(Predicate { Self.negated($0, 5_000) })
            }
            let found = try fleet.found(Predicate { Self.negated($0, 401) })
            #expect(found.isEmpty)
        }
    }

    /// A condition behind a number of negations.
    private static func negated(
        _ vehicle: PredicateExpressions.Variable<Vehicle>, _ count: Int
    ) -> any StandardPredicateExpression<Bool> {
        func negation(_ part: some StandardPredicateExpression<Bool>) -> any StandardPredicateExpression<Bool> {
            PredicateExpressions.build_Negation(part)
        }
        var part: any StandardPredicateExpression<Bool> = PredicateExpressions.build_Arg(true)
        for _ in 0..<count { part = negation(part) }
        return part
    }

    @Test("Many conditions joined by AND are one level")
    func manyConditions() throws {
        func both(
            _ one: some StandardPredicateExpression<Bool>, _ other: some StandardPredicateExpression<Bool>
        ) -> any StandardPredicateExpression<Bool> { PredicateExpressions.build_Conjunction(lhs: one, rhs: other) }
        try withFleet { fleet in
            let predicate = Predicate<Vehicle> { vehicle in
                var all: any StandardPredicateExpression<Bool> = PredicateExpressions.build_Arg(true)
                for number in 0..<600 {
                    let code = PredicateExpressions.build_KeyPath(root: vehicle, keyPath: \.code)
                    all = both(
                        all,
                        PredicateExpressions.build_NotEqual(lhs: code, rhs: PredicateExpressions.build_Arg(number + 2)))
                }
                return all
            }
            let found = try fleet.found(predicate)
            #expect(found == [0, 1])
        }
    }

    @Test("Comparisons joined by AND find the same models in a fetch and a count, however many there are")
    func comparisons() throws {
        func both(
            _ one: some StandardPredicateExpression<Bool>, _ other: some StandardPredicateExpression<Bool>
        ) -> any StandardPredicateExpression<Bool> { PredicateExpressions.build_Conjunction(lhs: one, rhs: other) }
        for state in [Fleet.State.saved, .changed, .unsaved] {
            try withFleet(state) { fleet in
                for number in 1...10 {
                    let predicate = Predicate<Vehicle> { vehicle in
                        // A path into a structure is no property of the model itself.
                        var all: any StandardPredicateExpression<Bool> = PredicateExpressions.build_NotEqual(
                            lhs: PredicateExpressions.build_KeyPath(
                                root: PredicateExpressions.build_KeyPath(root: vehicle, keyPath: \.spot),
                                keyPath: \.town),
                            rhs: PredicateExpressions.build_Arg("nowhere"))
                        if number > 1 {
                            all = PredicateExpressions.build_Comparison(
                                lhs: PredicateExpressions.build_KeyPath(root: vehicle, keyPath: \.code),
                                rhs: PredicateExpressions.build_Arg(9), op: .lessThanOrEqual)
                        }
                        for least in 1..<number {
                            all = both(
                                all,
                                PredicateExpressions.build_Comparison(
                                    lhs: PredicateExpressions.build_KeyPath(root: vehicle, keyPath: \.code),
                                    rhs: PredicateExpressions.build_Arg(least - 3), op: .greaterThan))
                        }
                        return all
                    }
                    let found = try fleet.vehicles().filter { try predicate.evaluate($0) }.map(\.code).sorted()
                    #expect(!found.isEmpty)
                    var descriptor = FetchDescriptor<Vehicle>(predicate: predicate)
                    #expect(try fleet.context.fetch(descriptor).map(\.code).sorted() == found)
                    #expect(try fleet.context.fetchCount(descriptor) == found.count)
                    descriptor.fetchOffset = 1
                    descriptor.fetchLimit = 2
                    #expect(try fleet.context.fetch(descriptor).count == min(2, found.count - 1))
                    #expect(try fleet.context.fetchCount(descriptor) == min(2, found.count - 1))
                }
            }
        }
    }

    @Test("A predicate over a class of no schema of the container throws an error that names both classes")
    func otherSchema() throws {
        try withFleet { fleet in
            let descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "x" })
            #expect(throws: SwiftDataError.unknownSchema) { try fleet.context.fetch(descriptor) }
        }
    }

    @Test("A deleted model's identifier finds nothing, and no model without one")
    func deletedModel() throws {
        try withFleet { fleet in
            let driver = try #require(try fleet.vehicles().lazy.compactMap(\.driver).first)
            let id = driver.persistentModelID
            fleet.context.delete(driver)
            try fleet.context.save()
            #expect(try fleet.found(#Predicate { $0.driver?.persistentModelID == id }).isEmpty)
            let unsaved = Pilot("New").persistentModelID
            #expect(try fleet.found(#Predicate { $0.driver?.persistentModelID == unsaved }).isEmpty)
        }
    }

    @Test("A missing value that is unwrapped by force does not hold")
    func forcedUnwrapping() throws {
        try withFleet { fleet in
            let stored = try fleet.found(#Predicate { $0.count! > 3 })
            #expect(stored == [9])
            let evaluated = try fleet.found(#Predicate { $0.title.isEmpty || $0.count! > 3 })
            #expect(evaluated == [9])
        }
    }

    @Test("A predicate that evaluates other ones has the conditions of all of them")
    func evaluation() throws {
        try withFleet { fleet in
            let new: Predicate<Vehicle> = #Predicate { $0.isNew }
            let young: Predicate<Pilot> = #Predicate { ($0.age ?? 90) < 40 }
            let sum: Expression<Vehicle, Int> = #Expression { $0.code + 1 }
            let predicate: Predicate<Vehicle> = #Predicate { vehicle in
                !new.evaluate(vehicle) && sum.evaluate(vehicle) > 3
                    && (vehicle.driver.flatMap { young.evaluate($0) } ?? false)
            }
            let descriptor = FetchDescriptor(predicate: predicate)
            #expect(try fleet.context.fetch(descriptor).map(\.code).sorted() == [5, 9])
            let explanation = try fleet.context.explanation(of: descriptor)
            #expect(explanation.conditions.map(\.decider) == [.store, .store, .store], "\(explanation)")
        }
    }
}
