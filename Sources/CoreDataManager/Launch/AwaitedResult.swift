import Foundation

/// Resumes one waiter once, with a result or because of a cancellation, whichever comes first. The waiter may begin to
/// wait before or after either.
// @unchecked Sendable: all mutable state is guarded by `lock`.
final class AwaitedResult<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var continuation: CheckedContinuation<Value, any Error>?
    private var early: Result<Value, any Error>?
    private var isResumed = false

    /// Waits for the result, or throws `CancellationError` as soon as the waiting task is cancelled. Only one task may
    /// wait.
    func wait() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { set($0) }
        } onCancel: {
            resume(with: .failure(CancellationError()))
        }
    }

    private func set(_ continuation: CheckedContinuation<Value, any Error>) {
        let result = lock.withLock { () -> Result<Value, any Error>? in
            if early == nil {
                self.continuation = continuation
            }
            return early
        }
        if let result {
            continuation.resume(with: result)
        }
    }

    func resume(with result: Result<Value, any Error>) {
        let waiting = lock.withLock { () -> CheckedContinuation<Value, any Error>? in
            guard !isResumed else { return nil }
            isResumed = true
            if continuation == nil {
                early = result
            }
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(with: result)
    }
}
