import Foundation
import TestSupport
import Testing

/// Runs each test once for every kind of store: `Library()` then opens one of that kind. A failure names its kind.
///
/// A test that has the trait itself runs on its own kinds, whatever the trait of its suite has.
struct OnKindsOfStores: SuiteTrait, TestTrait, TestScoping {
    let kinds: [StoreKind]

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let said = test.traits.compactMap { $0 as? OnKindsOfStores }
        if let last = said.last, last.kinds != kinds { return try await function() }
        for kind in kinds {
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

extension Trait where Self == OnKindsOfStores {
    /// On the two kinds with tables, one atomic and one incremental kind.
    static var onEveryKindOfStore: OnKindsOfStores {
        var kinds = [StoreKind.sqlite, .inMemory, .atomic, .incremental]
        #if PostgreSQL
        kinds += StoreKind.ofPostgreSQL
        #endif
        return OnKindsOfStores(kinds: StoreKind.asked.map { [$0] } ?? kinds)
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
