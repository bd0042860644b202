import Foundation
import Testing

/// Runs the tests of a suite on threads of their own. They wait for servers and processes most of the time, and would
/// hold the few threads on which all other tests run.
struct WaitingTests: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
    }
}

extension Trait where Self == WaitingTests {
    /// Has the tests of a suite run on threads for those that wait.
    static var waiting: Self { Self() }
}

/// Two threads: as many tests may wait beside those that compute.
private final class WaitingThreads: TaskExecutor, @unchecked Sendable {  // jobs are used under the condition's lock
    static let shared = WaitingThreads()

    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []

    private init() {
        for _ in 0..<2 {
            let thread = Thread { [self] in
                while true {
                    condition.lock()
                    while jobs.isEmpty { condition.wait() }
                    let job = jobs.removeFirst()
                    condition.unlock()
                    job.runSynchronously(on: asUnownedTaskExecutor())
                }
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }
}
