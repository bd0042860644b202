import TestSupport
import Testing

/// Runs each test once for every kind of store: `Library()` then opens one of that kind. What fails says with which.
struct OnKindsOfStores: SuiteTrait, TestTrait, TestScoping {
    let kinds: [StoreKind]

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        for kind in kinds {
            let naming = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append("with a store of the kind \(kind)")
                return issue
            }
            try await naming.provideScope(for: test, testCase: testCase) {
                try await StoreKind.$current.withValue(kind) { try await function() }
            }
        }
    }
}

extension Trait where Self == OnKindsOfStores {
    /// On the two kinds with tables, one atomic and one incremental kind.
    static var onEveryKindOfStore: OnKindsOfStores {
        OnKindsOfStores(kinds: [.sqlite, .inMemory, .atomic, .incremental])
    }

    /// On some kinds.
    static func onStores(_ kinds: StoreKind...) -> OnKindsOfStores { OnKindsOfStores(kinds: kinds) }
}
