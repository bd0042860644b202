import CoreData
import Testing

/// Checks after every test of a suite that no contexts, coordinators, stores, controllers or objects that were made in
/// it are left.
struct LeavesNothingBehind: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let account = LiveAccount()
        try await LiveAccount.$current.withValue(account) { try await function() }
        // Objects that were handed to a queue go with its last block.
        let deadline = ContinuousClock.now + .seconds(10)
        while !account.present.isEmpty, ContinuousClock.now < deadline { await Task.yield() }
        #expect(account.present.isEmpty, "of \(account.total) that were made")
    }
}

extension Trait where Self == LeavesNothingBehind {
    /// Nothing that the test made is there after it.
    static var leavesNothingBehind: LeavesNothingBehind { LeavesNothingBehind() }
}
