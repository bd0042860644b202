import Foundation

/// ^C, as something that work looks at: it ends at a place where nothing is half done.
enum Interruption {
    private final class State: @unchecked Sendable {  // all under `lock`
        private let lock = NSLock()
        private var isRequested = false
        private var followed: [Progress] = []
        private var source: (any DispatchSourceSignal)?

        func watch(_ progress: Progress?) {
            lock.withLock {
                if let progress { followed.append(progress) }
                if source != nil { return }
                signal(SIGINT, SIG_IGN)
                let watcher = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
                watcher.setEventHandler { self.request() }
                watcher.resume()
                source = watcher
            }
        }

        private func request() {
            let progresses = lock.withLock {
                isRequested = true
                return followed
            }
            for progress in progresses { progress.cancel() }
        }

        var wasRequested: Bool { lock.withLock { isRequested } }
    }

    private static let state = State()

    /// From now on ^C is noted, and cancels the progress.
    static func watch(_ progress: Progress? = nil) { state.watch(progress) }

    /// Throws where ^C was pressed.
    static func check() throws {
        if state.wasRequested { throw ToolError(.cancelled, "cancelled; nothing that was there has changed") }
    }
}
