import Foundation
import TestSupport
import Testing

/// Runs each test once for each of some kinds of stores: `Library()` then opens one of that kind. A failure names its
/// kind.
///
/// A store in a PostgreSQL database takes ten times as long as the remaining kinds together, and a store in memory
/// has the engine of SQLite's. In one run only some of the tests have them, other tests from commit to commit, and
/// all with `bin/test --long`.
///
/// A test that has the trait itself runs on its own kinds, whatever the trait of its suite has.
struct OnKindsOfStores: SuiteTrait, TestTrait, TestScoping {
    let kinds: [StoreKind]
    /// The kinds on which a test runs only in one of so many runs.
    var turns: [StoreKind: Int] = [:]

    /// The kinds of one test in this run.
    private func kinds(of test: Test) -> [StoreKind] {
        kinds.filter { kind in
            let runs = turns[kind] ?? 1
            return Sample.isWhole || Sample.slice(Array(0..<runs), oneIn: runs, "\(kind) \(test.name)") == [0]
        }
    }

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let said = test.traits.compactMap { $0 as? OnKindsOfStores }
        if let last = said.last, last.kinds != kinds { return try await function() }
        for kind in kinds(of: test) {
            let naming = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append("with a store of the kind \(kind)")
                return issue
            }
            try await naming.provideScope(for: test, testCase: testCase) {
                // An error of one kind must not keep the remaining kinds from running.
                do {
                    try await StoreKind.$current.withValue(kind) { try await function() }
                } catch {
                    Issue.record(error)
                }
            }
        }
    }
}

extension SplitMix {
    /// A generator for one seed on one kind of store: each kind plays sequences of its own.
    static func onCurrentKind(_ seed: Int) -> SplitMix {
        SplitMix(state: StoreKind.current.rawValue.utf8.reduce(UInt64(seed)) { $0 &* 31 &+ UInt64($1) })
    }
}

extension Trait where Self == OnKindsOfStores {
    /// On an SQLite store, one atomic and one incremental kind. In one of three runs also on a store in memory, which
    /// has the engine of SQLite's. In one of eight runs on a PostgreSQL database.
    static var onEveryKindOfStore: OnKindsOfStores {
        if let asked = StoreKind.asked { return OnKindsOfStores(kinds: [asked]) }
        var (kinds, turns) = ([StoreKind.sqlite, .inMemory, .atomic, .incremental], [StoreKind.inMemory: 3])
        #if PostgreSQL
        kinds += StoreKind.ofPostgreSQL
        for kind in StoreKind.ofPostgreSQL { turns[kind] = 8 }
        #endif
        return OnKindsOfStores(kinds: kinds, turns: turns)
    }

    /// Runs on the kinds whose databases several coordinators can have open; in one of three runs on a PostgreSQL
    /// database.
    static var onEveryDatabase: OnKindsOfStores {
        if let asked = StoreKind.asked, asked.isDatabase { return OnKindsOfStores(kinds: [asked]) }
        var (kinds, turns) = ([StoreKind.sqlite], [StoreKind: Int]())
        #if PostgreSQL
        kinds += StoreKind.ofPostgreSQL
        if StoreKind.asked == nil { for kind in StoreKind.ofPostgreSQL { turns[kind] = 3 } }
        #endif
        return OnKindsOfStores(kinds: kinds, turns: turns)
    }

    /// On some kinds.
    static func onStores(_ kinds: StoreKind...) -> OnKindsOfStores { OnKindsOfStores(kinds: kinds) }
}
