import CoreData
import Foundation
import TestSupport
import Testing

/// Random requests compared with sets of Swift values, over saved, changed, unsaved and deleted objects.
///
/// A run executes some requests, which differ from commit to commit; `bin/test --long` executes 20,000.
/// `OPENCOREDATA_REQUEST_SEED` executes one request alone, or those from one to another (`5-9`), and
/// `OPENCOREDATA_KIND` one kind of store.
@Suite("Random requests beside sets of values")
struct RequestDifferenceTests {
    /// So many requests one after the other have one graph.
    private static let perGraph = 50

    private static var seeds: [Int] {
        let asked = ProcessInfo.processInfo.environment["OPENCOREDATA_REQUEST_SEED"] ?? ""
        let bounds = asked.split(separator: "-").compactMap { Int($0) }
        guard let first = bounds.first, let last = bounds.last else { return Sample.seeds(300, long: 20_000) }
        return Array(first...last)
    }

    private static func kinds(_ graph: Int) -> [StoreKind] {
        StoreKind.asked.map { [$0] } ?? [.sqlite, .inMemory, [.xml, .binary, .atomic][graph % 3]]
    }

    @Test("A request finds the objects and dictionaries that sets of values have, in each kind of store and in a child")
    func sameAsSets() throws {
        try compare(Self.seeds, Self.kinds)
    }

    #if PostgreSQL
    @Test(
        "A request to a PostgreSQL database finds what sets of values have",
        .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
    func sameInPostgreSQL() throws {
        try compare(Sample.seeds(100, long: 20_000)) { _ in [.postgreSQL] }
    }
    #endif

    private func compare(_ seeds: [Int], _ kinds: (Int) -> [StoreKind]) throws {
        var failures: [String] = []
        var known = -1
        var graph = QuestionGraph(saved: [])
        var fixtures: [QuestionFixture] = []
        for (count, seed) in seeds.enumerated() where failures.count < 3 {
            if seed / Self.perGraph != known {
                known = seed / Self.perGraph
                graph = Self.graph(known)
                fixtures = try kinds(known).map { try QuestionFixture(graph, $0) }
            }
            for fixture in fixtures {
                var generator = QuestionGenerator(random: SplitMix(state: UInt64(seed) &* 7_919))
                let place = generator.pick(QuestionPlace.allCases)
                generator.newBooks = fixture.newBooks(place)
                let question = generator.question(isClean: place == .clean)
                guard fixture.decides(question, place) else { continue }
                let (found, expected) = (fixture.found(question, place), fixture.expected(question, place))
                if found == expected { continue }
                let trial = QuestionTrial(graph: graph, question: question, place: place, kind: fixture.kind)
                let shrunk = trial.shrunk()
                failures.append(
                    """
                    request \(count + 1), OPENCOREDATA_REQUEST_SEED=\(seed): \
                    \(shrunk.failure() ?? "found \(found), and not \(expected)")
                    \(shrunk.source)
                    """)
                break
            }
        }
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n\n"))")
    }

    private static func graph(_ number: Int) -> QuestionGraph {
        var generator = QuestionGenerator(random: SplitMix(state: UInt64(number) &* 104_729 &+ 1))
        var graph = QuestionGraph(saved: generator.filling())
        var world = ModelWorld()
        for move in graph.saved { _ = world.play(move) }
        graph.changed = generator.changes(of: world, newFrom: 61)
        for move in graph.changed { _ = world.play(move) }
        graph.changedInChild = generator.changes(of: world, newFrom: 81)
        return graph
    }
}
