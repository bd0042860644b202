import Foundation

/// A value that is loaded when it is first needed, kept while there is enough memory, and loaded again later.
///
/// Use it for a value that is too large to stay in memory with its object: an image, a sound, a parsed document. All
/// callers that request it during a loading get its result. A failure is not kept: the next request loads again.
///
/// ```swift
/// let image = cache.value(named: photo.key, fetch: { try await download(photo.url) }, decode: Image.init)
/// show(image.ifLoaded ?? placeholder)
/// show(try await image.value)
/// ```
///
/// Use all members from any thread.
// @unchecked Sendable: all mutable state is guarded by `lock`.
public final class DeferredValue<Value: Sendable>: @unchecked Sendable {
    private let load: @Sendable () async throws -> (Value, cost: Int)
    private let lock = NSLock()
    private var kept: Value?
    private var loading: Task<Value, any Error>?
    /// The number of drops of the value. A loading that began before a drop does not keep its result.
    private var generation = 0
    /// The pool. It records each use, and drops the values that were not used for longest. It holds values weakly.
    private let pool: DeferredValuePool

    /// Makes a value by itself, without a cost limit.
    ///
    /// - Parameters:
    ///   - pressure: Reports when memory is short; the value is then dropped. With nil only a call of ``drop()`` drops
    ///     it.
    ///   - load: Makes the value. It runs away from the caller's actor, once for all callers that wait.
    public convenience init(
        pressure: MemoryPressure? = .system, _ load: @escaping @Sendable () async throws -> Value
    ) {
        self.init(pool: DeferredValuePool(costLimit: .max, pressure: pressure)) { (try await load(), 0) }
    }

    /// Makes a value whose cost counts against the limit of a pool.
    init(pool: DeferredValuePool, load: @escaping @Sendable () async throws -> (Value, cost: Int)) {
        self.pool = pool
        self.load = load
    }

    deinit {
        pool.forget(key(generation))
    }

    private func key(_ generation: Int) -> DeferredValuePool.Key {
        DeferredValuePool.Key(value: ObjectIdentifier(self), generation: generation)
    }

    /// The value if it is in memory; otherwise nil. It loads nothing.
    public var ifLoaded: Value? {
        let (value, generation) = lock.withLock { (kept, self.generation) }
        if value != nil {
            pool.touch(key(generation))
        }
        return value
    }

    /// The value. It is loaded if necessary.
    ///
    /// - Throws: The loader's error, to all callers that wait. Or `CancellationError` to a waiting task that is
    ///   cancelled; the loading continues for the other tasks.
    public var value: Value {
        get async throws {
            try Task.checkCancellation()
            let task = lock.withLock { () -> Task<Value, any Error> in
                if let kept {
                    return Task { kept }
                }
                if let loading {
                    return loading
                }
                let generation = generation
                let task = Task.detached { [self] in
                    let outcome: Result<(Value, cost: Int), any Error>
                    do {
                        outcome = .success(try await load())
                    } catch {
                        outcome = .failure(error)
                    }
                    return try finish(outcome, generation: generation)
                }
                loading = task
                return task
            }
            let value = try await waited(for: task)
            pool.touch(key(lock.withLock { generation }))
            return value
        }
    }

    /// Drops the value. The next caller loads it again. Callers that have it keep it.
    public func drop() {
        drop(nil)
    }

    /// Drops the value of one loading, or the present one.
    private func drop(_ wanted: Int?) {
        let (before, dropped) = lock.withLock { () -> (Int?, Value?) in
            guard wanted == nil || wanted == generation else { return (nil, nil) }
            defer {
                kept = nil
                loading = nil
                generation += 1
            }
            return (generation, kept)
        }
        // Released outside the lock, because its deinitialiser may be code of the program.
        withExtendedLifetime(dropped) {}
        if let before { pool.forget(key(before)) }
    }

    private func finish(_ outcome: Result<(Value, cost: Int), any Error>, generation: Int) throws -> Value {
        let isCurrent = lock.withLock { () -> Bool in
            guard generation == self.generation else { return false }
            loading = nil
            kept = try? outcome.get().0
            return true
        }
        let (value, cost) = try outcome.get()
        if isCurrent {
            pool.add(key(generation), cost: cost) { [weak self] in self?.drop(generation) }
            // If the value was dropped a moment ago, the pool had no entry to remove then.
            if lock.withLock({ generation != self.generation }) { pool.forget(key(generation)) }
        }
        return value
    }

    /// Waits for a task that continues if the waiting task is cancelled.
    private func waited(for task: Task<Value, any Error>) async throws -> Value {
        let awaited = AwaitedResult<Value>()
        Task { awaited.resume(with: await task.result) }
        return try await awaited.wait()
    }
}
