import Foundation

/// Runs a block by a function that takes blocks without a result, and returns the block's result.
///
/// `rescue` throws the block's error once more. A function that rethrows may throw only errors of its caller's blocks,
/// and the compiler recognises such an error only if a parameter throws it.
func returning<T>(
    _ block: () throws -> T, rescue: (any Error) throws -> Never, by run: (() -> Void) -> Void
) rethrows -> T {
    var outcome: Result<T, any Error>?
    // `run` takes a non-escaping block, which may not capture another non-escaping block.
    withoutActuallyEscaping(block) { block in
        run { outcome = Result { try block() } }
    }
    switch outcome {
    case .success(let value): return value
    case .failure(let error): try rescue(error)
    // The override in a program's subclass has not run the block, so there is no result to return.
    case nil: fatalError("performAndWait(_:) was overridden and did not run its block.")
    }
}

/// Runs a block on another queue and returns its result. The caller is suspended until then.
///
/// `start` makes that queue run `work` once, and call `resume` after it.
nonisolated(nonsending) func awaiting<T>(
    _ block: @escaping () throws -> T, rescue: (any Error) throws -> Never,
    start: (_ work: @escaping @Sendable () -> Void, _ resume: @escaping @Sendable () -> Void) -> Void
) async rethrows -> T {
    let job = BlockOutcome(block)
    await withCheckedContinuation { continuation in
        start({ job.run() }, { continuation.resume() })
    }
    switch job.result {
    case .success(let value): return value
    case .failure(let error): try rescue(error)
    // The code that resumes the caller has run the block before.
    case nil: fatalError("The block was not run.")
    }
}

/// A block that is handed to another queue, with the result that comes back.
// @unchecked Sendable: the caller waits while the other queue uses it.
private final class BlockOutcome<T>: @unchecked Sendable {
    private var block: (() throws -> T)?
    private(set) var result: Result<T, any Error>?

    init(_ block: @escaping () throws -> T) { self.block = block }

    /// Runs the block and releases it, because the captured values must not outlive the caller's wait.
    func run() {
        guard let block else { return }
        self.block = nil
        result = Result { try block() }
    }
}
