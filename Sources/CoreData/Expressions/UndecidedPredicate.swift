import Foundation

/// The reason why the predicate of a request cannot be decided.
///
/// `evaluate(with:)` cannot throw, so it stops the process if a part of a predicate has no value. A request can throw:
/// while it evaluates a predicate, the first reason is kept here, and becomes the request's error.
enum UndecidedPredicate {
    /// The state of a thread: whether a request evaluates predicates on it, and the first reason.
    private struct State {
        var isAsked = false
        var reason: String?
    }

    private static let threadKey: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            guard let state = pointer?.assumingMemoryBound(to: State.self) else { return }
            state.deinitialize(count: 1)
            state.deallocate()
        }
        return key
    }()

    private static var state: UnsafeMutablePointer<State> {
        if let pointer = pthread_getspecific(threadKey) { return pointer.assumingMemoryBound(to: State.self) }
        let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
        state.initialize(to: State())
        pthread_setspecific(threadKey, state)
        return state
    }

    /// Keeps the reason for the request that the thread executes. Stops the process if it executes none.
    static func note(_ reason: @autoclosure () -> String) {
        let state = state
        guard state.pointee.isAsked else { fatalError(reason()) }
        if state.pointee.reason == nil { state.pointee.reason = reason() }
    }

    /// Keeps the reason, and returns nil in place of a value.
    static func noValue(_ reason: @autoclosure () -> String) -> Any? {
        note(reason())
        return nil
    }

    /// Runs the program's own code, whose predicates do not belong to the request.
    static func outside<Result>(_ body: () throws -> Result) rethrows -> Result {
        let state = state
        let outer = state.pointee
        state.pointee = State()
        defer { state.pointee = outer }
        return try body()
    }

    /// Runs a body that evaluates predicates, and throws error 134060 if one of them could not be decided.
    ///
    /// Every fetch does this several times. The method makes no closure of its own, so it copies nothing that the body
    /// captures.
    @inline(__always)
    static func throwing<Result>(_ body: () throws -> Result) throws -> Result {
        let state = state
        let outer = state.pointee
        state.pointee = State(isAsked: true)
        let result: Result
        do {
            result = try body()
        } catch {
            let reason = state.pointee.reason
            state.pointee = outer
            // Other errors may only be consequences: a rule that is not decided counts as broken.
            if let reason { throw undecided(reason) }
            throw error
        }
        let reason = state.pointee.reason
        state.pointee = outer
        if let reason { throw undecided(reason) }
        return result
    }

    private static func undecided(_ reason: String) -> NSError { .coreData(NSCoreDataError, reason: reason) }
}
