import Foundation

/// Runs a block by something that takes blocks without result, and returns what the block returns.
///
/// `rescue` throws the block's error once more: a function that rethrows may throw the error of a block of its
/// caller's, and the compiler sees that only of a block that it is given.
func returning<T>(
    _ block: () throws -> T, rescue: (any Error) throws -> Never, by run: (() -> Void) -> Void
) rethrows -> T {
    var outcome: Result<T, any Error>?
    // `run` takes a block that does not escape and may not be given one that holds another such.
    withoutActuallyEscaping(block) { block in
        run { outcome = Result { try block() } }
    }
    switch outcome {
    case .success(let value): return value
    case .failure(let error): try rescue(error)
    // A subclass of the program's has not run the block: there is no result that could be returned.
    case nil: fatalError("performAndWait(_:) was overridden and did not run its block.")
    }
}

/// Runs a block on another queue and returns what it returns, suspending the caller meanwhile.
///
/// `start` has `work` run there, once, and `resume` called after it.
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
    // The resuming code has run the block before.
    case nil: fatalError("The block was not run.")
    }
}

/// A block on its way to another queue, and its result on the way back.
// @unchecked Sendable: the caller waits while the other queue has it.
private final class BlockOutcome<T>: @unchecked Sendable {
    private var block: (() throws -> T)?
    private(set) var result: Result<T, any Error>?

    init(_ block: @escaping () throws -> T) { self.block = block }

    /// Runs the block and releases it: the values that it captured must not outlive the caller's waiting.
    func run() {
        guard let block else { return }
        self.block = nil
        result = Result { try block() }
    }
}
