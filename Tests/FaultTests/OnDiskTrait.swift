import TestSupport
import Testing

/// Has the temporary folders of tests lie on a disk, for suites whose subject is the disk.
struct OnDiskTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await TemporaryPlace.$isOnDisk.withValue(true) { try await function() }
    }
}

extension Trait where Self == OnDiskTrait {
    /// Temporary folders lie on a disk.
    static var onDisk: Self { Self() }
}
