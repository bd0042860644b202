import Dispatch
import Foundation

/// A flag for ^C, or a request to end the process. Work checks it, and ends at a place where no change is half done.
enum Interruption {
    private final class State: @unchecked Sendable {  // all under `lock`
        private let lock = NSLock()
        private var isRequested = false
        private var blocks: [@Sendable () -> Void] = []
        private var isWatching = false

        func watch(_ block: (@Sendable () -> Void)?) {
            let isLate = lock.withLock {
                if let block { blocks.append(block) }
                if !isWatching {
                    isWatching = true
                    begin()
                }
                return isRequested
            }
            if isLate { block?() }
        }

        /// Installs a handler that writes to a pipe, which a thread reads. A dispatch source receives a signal only if
        /// all threads have blocked it, and threads of libraries do not.
        private func begin() {
            guard pipe(Interruption.ends) == 0 else { return }
            let reader = Thread { [self] in
                // The parent process may have blocked them.
                var numbers = sigset_t()
                sigemptyset(&numbers)
                for number in [SIGINT, SIGTERM] { sigaddset(&numbers, number) }
                pthread_sigmask(SIG_UNBLOCK, &numbers, nil)
                var byte: UInt8 = 0
                while true {
                    let count = read(Interruption.ends[0], &byte, 1)
                    if count == 1 { request() } else if errno != EINTR { return }
                }
            }
            reader.name = "signals"
            reader.start()
            for number in [SIGINT, SIGTERM] {
                signal(number) { _ in
                    let before = errno
                    var byte: UInt8 = 0
                    _ = write(Interruption.ends[1], &byte, 1)
                    errno = before
                }
            }
        }

        private func request() {
            let waiting = lock.withLock {
                isRequested = true
                return blocks
            }
            for block in waiting { block() }
        }

        var wasRequested: Bool { lock.withLock { isRequested } }
    }

    private static let state = State()
    /// The pipe from the signals' handler to the thread. It is memory of its own, as a handler may run at any moment.
    private nonisolated(unsafe) static let ends = UnsafeMutablePointer<Int32>.allocate(capacity: 2)

    /// Begins to record ^C, and calls the block on a queue of its own; at once if ^C has been pressed.
    static func watch(_ block: (@Sendable () -> Void)? = nil) { state.watch(block) }

    /// Whether ^C was pressed.
    static var wasRequested: Bool { state.wasRequested }

    /// Throws if ^C was pressed.
    static func check() throws {
        if wasRequested { throw ToolError(.cancelled, "cancelled; nothing that was there has changed") }
    }
}
