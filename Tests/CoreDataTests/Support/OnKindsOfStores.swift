import Foundation
import TestSupport
import Testing

/// Runs each test once for each of some kinds of stores: `Library()` then opens one of that kind. A failure names its
/// kind.
///
/// Of the kinds that take turns, a test plays every second one, the remaining ones at the next commit, and all with
/// `bin/test --long`. Half of the tests begin with the first kind, half with the second.
///
/// A test that has the trait itself runs on its own kinds, whatever the trait of its suite has.
struct OnKindsOfStores: SuiteTrait, TestTrait, TestScoping {
    let kinds: [StoreKind]
    /// Kinds that take turns.
    var inTurn: [StoreKind] = []

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let said = test.traits.compactMap { $0 as? OnKindsOfStores }
        if let last = said.last, last.kinds != kinds || last.inTurn != inTurn { return try await function() }
        for kind in kinds + Sample.slice(inTurn, oneIn: 2, test.name) {
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
    /// On SQLite and, in turn, on a store in memory, an atomic one, an incremental one and a PostgreSQL database.
    static var onEveryKindOfStore: OnKindsOfStores {
        if let asked = StoreKind.asked { return OnKindsOfStores(kinds: [asked]) }
        var kinds = [StoreKind.inMemory, .atomic, .incremental]
        #if PostgreSQL
        kinds += StoreKind.ofPostgreSQL
        #endif
        return OnKindsOfStores(kinds: [.sqlite], inTurn: kinds)
    }

    /// Runs on the kinds whose databases several coordinators can have open.
    static var onEveryDatabase: OnKindsOfStores {
        var kinds = [StoreKind.sqlite]
        #if PostgreSQL
        kinds += StoreKind.ofPostgreSQL
        #endif
        if let asked = StoreKind.asked, asked.isDatabase { kinds = [asked] }
        return OnKindsOfStores(kinds: kinds)
    }

    /// On some kinds.
    static func onStores(_ kinds: StoreKind...) -> OnKindsOfStores { OnKindsOfStores(kinds: kinds) }
}
