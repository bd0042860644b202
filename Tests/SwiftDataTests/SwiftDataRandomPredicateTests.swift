import Foundation
import SwiftData
import TestSupport
import Testing

/// Random combinations of the table's predicates, against a judge that knows sets alone.
///
/// `bin/test --long` plays 2,000 seeds.
@Suite("Random predicates of SwiftData")
struct SwiftDataRandomPredicateTests {
    /// A predicate, and the numbers of the models for which it holds.
    private struct Judged {
        let predicate: Predicate<Vehicle>
        let codes: Set<Int>

        func and(_ other: Judged) -> Judged {
            let (one, two) = (predicate, other.predicate)
            return Judged(
                predicate: #Predicate { one.evaluate($0) && two.evaluate($0) },
                codes: codes.intersection(other.codes))
        }

        func or(_ other: Judged) -> Judged {
            let (one, two) = (predicate, other.predicate)
            return Judged(
                predicate: #Predicate { one.evaluate($0) || two.evaluate($0) }, codes: codes.union(other.codes))
        }

        func not(among all: Set<Int>) -> Judged {
            let one = predicate
            return Judged(predicate: #Predicate { !one.evaluate($0) }, codes: all.subtracting(codes))
        }
    }

    /// A fleet, with the predicates of the table and what they find by the judge.
    private final class Field {
        let fleet: Fleet
        let all: Set<Int>
        let atoms: [Judged]

        init(_ state: Fleet.State, in folder: URL) throws {
            fleet = try Fleet(state, in: folder)
            let vehicles = try fleet.vehicles()
            all = Set(vehicles.map(\.code))
            atoms = PredicateCases.all(fleet.ids).map { one in
                Judged(predicate: one.predicate, codes: Set(vehicles.filter { one.judge($0) }.map(\.code)))
            }
        }

        func random(_ depth: Int, _ generator: inout some RandomNumberGenerator) -> Judged {
            guard depth > 0 else { return atoms[Int.random(in: atoms.indices, using: &generator)] }
            switch Int.random(in: 0..<5, using: &generator) {
            case 0, 1: return random(depth - 1, &generator).and(random(depth - 1, &generator))
            case 2, 3: return random(depth - 1, &generator).or(random(depth - 1, &generator))
            default: return random(depth - 1, &generator).not(among: all)
            }
        }
    }

    @Test("A random predicate finds what the judge says, of saved, changed and new models")
    func agreement() throws {
        try withTemporaryFolder { folder in
            let fields = try Fleet.State.allCases.map { try Field($0, in: folder) }
            for seed in Sample.seeds(30, long: 2_000) {
                var generator = SplitMix(state: UInt64(seed))
                for field in fields {
                    let judged = field.random(Int.random(in: 1...4, using: &generator), &generator)
                    let expected = judged.codes.sorted()
                    #expect(try field.fleet.found(judged.predicate) == expected, "seed \(seed): \(judged.predicate)")
                    var descriptor = FetchDescriptor(predicate: judged.predicate, sortBy: [SortDescriptor(\.code)])
                    let offset = Int.random(in: 0..<4, using: &generator)
                    descriptor.fetchOffset = offset
                    descriptor.fetchLimit = 3
                    let window = Array(expected.dropFirst(offset).prefix(3))
                    #expect(try field.fleet.context.fetch(descriptor).map(\.code) == window, "seed \(seed)")
                }
            }
        }
    }
}
