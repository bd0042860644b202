import Foundation

extension Thread {
    /// Runs a body on a thread of its own that a group waits for. A queue may give fewer threads than there are bodies.
    public static func detachNewThread(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        detachNewThread {
            body()
            group.leave()
        }
    }
}
