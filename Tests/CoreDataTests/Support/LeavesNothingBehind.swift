import TestSupport
import Testing

/// Looks after every test of a suite whether contexts, coordinators, stores or objects that it made are still there.
struct LeavesNothingBehind: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let live = LiveInstances()
        try await LiveInstances.$current.withValue(live) { try await function() }
        // What was handed to a queue goes with its last block.
        let deadline = ContinuousClock.now + .seconds(10)
        while !live.living.isEmpty, ContinuousClock.now < deadline { await Task.yield() }
        #expect(live.living.isEmpty, "\(live.living.count) of \(live.noted) instances are still there")
    }
}

extension Trait where Self == LeavesNothingBehind {
    /// Nothing that the test made through `Library` is there after it.
    static var leavesNothingBehind: LeavesNothingBehind { LeavesNothingBehind() }
}
