#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// Compares random fetches of a PostgreSQL store with those of a SQLite store, and with an evaluation object by
/// object.
///
/// `OPENCOREDATA_PREDICATE_SEED` plays one seed alone, or those from one to another (`5-9`); `bin/test --long`
/// plays 100,000.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PredicateDifferenceTests {
    private static let perLibrary = 1_000

    private static var seeds: [Int] {
        let asked = ProcessInfo.processInfo.environment["OPENCOREDATA_PREDICATE_SEED"] ?? ""
        let bounds = asked.split(separator: "-").compactMap { Int($0) }
        guard let first = bounds.first, let last = bounds.last else { return Sample.seeds(500, long: 100_000) }
        return Array(first...last)
    }

    @Test("A predicate finds the same objects in PostgreSQL, in SQLite and in memory")
    func predicates() throws {
        var differences: [String] = []
        var (played, compared) = (0, 0)
        var content = -1
        var libraries: (server: PredicateLibrary, file: PredicateLibrary)?
        for seed in Self.seeds where differences.count < 20 {
            if seed / Self.perLibrary != content {
                content = seed / Self.perLibrary
                let favourites = PredicateGenerator.favourites(ofContent: content)
                func library(_ kind: StoreKind) throws -> PredicateLibrary {
                    try PredicateLibrary(kind, seed: UInt64(content + 1_000_000), favourites: favourites)
                }
                libraries = (try library(.postgreSQL), try library(.sqlite))
            }
            guard let (server, file) = libraries else { continue }
            var generator = PredicateGenerator(
                seed: UInt64(seed), favourites: PredicateGenerator.favourites(ofContent: content))
            let generated = generator.make()
            played += 1
            let found = Result { try server.context.performAndWait { try server.found(generated) } }
            let inFile = Result { try file.context.performAndWait { try file.found(generated) } }
            // A predicate that a SQLite store refuses may be refused.
            guard case .success(let expected) = inFile else { continue }
            guard case .success(let numbers) = found else {
                differences.append("seed \(seed), \(generated): \(found)")
                continue
            }
            if generated.mixesKinds || generated.looksInside && generated.computes { continue }
            compared += 1
            let judged = server.context.performAndWait { server.judged(generated) }
            if numbers != judged, !generated.looksInside || numbers != expected {
                differences.append(
                    "seed \(seed), \(generated): \(numbers), in SQLite \(expected), in memory \(judged)")
            }
        }
        #expect(compared * 10 >= played * 7 || played < 100, "\(compared) of \(played)")
        #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
    }
}
#endif
