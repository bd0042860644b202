import Dispatch
import Foundation

/// Notices ^C, and a request to end, instead of ending at once.
package final class Interrupt: @unchecked Sendable {  // the sources are never changed
    private let sources: [any DispatchSourceSignal]
    private let state = InterruptState()

    package init() {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "interrupt"))
        }
        for source in sources {
            source.setEventHandler { [state] in state.set() }
            source.resume()
        }
    }

    /// Whether ^C came.
    package var came: Bool { state.came }

    /// Calls a block when ^C comes, on a queue of its own; at once if it has come.
    package func notify(_ block: @escaping @Sendable () -> Void) { state.notify(block) }
}

private final class InterruptState: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var hasCome = false
    private var blocks: [@Sendable () -> Void] = []

    var came: Bool { lock.withLock { hasCome } }

    func set() {
        let waiting = lock.withLock {
            hasCome = true
            return blocks
        }
        for block in waiting { block() }
    }

    func notify(_ block: @escaping @Sendable () -> Void) {
        let isLate = lock.withLock {
            blocks.append(block)
            return hasCome
        }
        if isLate { block() }
    }
}
