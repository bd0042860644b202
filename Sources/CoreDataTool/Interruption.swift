import Dispatch
import Foundation

/// ^C, or a request to end, as something that work looks at: it ends at a place where nothing is half done.
enum Interruption {
    private final class State: @unchecked Sendable {  // all under `lock`
        private let lock = NSLock()
        private var isRequested = false
        private var blocks: [@Sendable () -> Void] = []
        private var sources: [any DispatchSourceSignal] = []

        func watch(_ block: (@Sendable () -> Void)?) {
            let isLate = lock.withLock {
                if let block { blocks.append(block) }
                if sources.isEmpty {
                    sources = [SIGINT, SIGTERM].map { number in
                        signal(number, SIG_IGN)
                        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                        source.setEventHandler { self.request() }
                        source.resume()
                        return source
                    }
                }
                return isRequested
            }
            if isLate { block?() }
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

    /// From now on ^C is noted, and calls the block, on a queue of its own; at once if ^C has come.
    static func watch(_ block: (@Sendable () -> Void)? = nil) { state.watch(block) }

    /// Whether ^C was pressed.
    static var wasRequested: Bool { state.wasRequested }

    /// Throws where ^C was pressed.
    static func check() throws {
        if wasRequested { throw ToolError(.cancelled, "cancelled; nothing that was there has changed") }
    }
}
