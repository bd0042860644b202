import CoreData
import Foundation
import Synchronization

/// Notices that two threads use one context at once, in debug builds, and stops the process.
struct ContextUsage: ~Copyable {
    #if DEBUG
    private struct Use: @unchecked Sendable {  // compares threads only
        let thread: pthread_t
        let operation: StaticString
        var depth = 1
    }

    private let use = Locked<Use?>(nil)

    /// Notes that an operation begins.
    func begin(_ operation: StaticString) {
        let thread = pthread_self()
        let other: StaticString? = use.withLock { use in
            guard let running = use else {
                use = Use(thread: thread, operation: operation)
                return nil
            }
            if pthread_equal(running.thread, thread) == 0 { return running.operation }
            use?.depth += 1
            return nil
        }
        guard let other else { return }
        fatalError(
            """
            A ModelContext is used by two threads at once: \(operation) begins while \(other) runs on another thread. \
            Give each thread a context of its own, or use a ModelActor
            """)
    }

    /// Notes that the operation ends.
    func end() {
        use.withLock { use in
            use?.depth -= 1
            if use?.depth == 0 { use = nil }
        }
    }
    #else
    @inline(__always) func begin(_ operation: StaticString) {}
    @inline(__always) func end() {}
    #endif
}

extension ModelContext {
    /// Runs an operation of the context.
    @inline(__always)
    func using<Result>(_ operation: StaticString = #function, _ body: () throws -> Result) rethrows -> Result {
        usage.begin(operation)
        defer { usage.end() }
        return try body()
    }

    /// Merges what other contexts and other processes have committed.
    func mergeCommits(isBrief: Bool = false) {
        if !waiting.isEmpty { joinWaiting() }
        if !unfinished.isEmpty { removeUnfinished() }
        parts.remoteCommits?.look(isBrief: isBrief)
        managed.mergeWaitingChanges()
    }
}
