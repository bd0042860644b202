import Foundation

/// Turns events of a database into remote-change notifications of a store: a connection of this process or of another
/// one has committed.
///
/// Events within a few milliseconds become one notification. If history is kept, only a new transaction counts.
///
/// SQLite writes a commit to the file, which is the event. It makes the commit visible to other connections afterwards,
/// in shared memory, for which there is no event: between the two it may wait for the disk. So one check after an event
/// is not enough. Checks follow each other at growing intervals until some seconds have passed since the last event.
// @unchecked Sendable: mutable state is used on `queue` only, except `isCancelled`, which `lock` guards.
package final class CommitNotices: @unchecked Sendable {
    /// The milliseconds for which events are collected before a check.
    private static let pause = 10
    /// The longest pause between two checks, in milliseconds.
    private static let longestPause = 5_000

    /// The queue on which events arrive and checks run.
    package let queue = DispatchQueue(label: "CommitNotices", qos: .utility)
    /// Notifications are posted on a queue of their own, because an observer may remove the store.
    private let delivery = DispatchQueue(label: "CommitNotices.delivery", qos: .utility)
    private let lock = NSLock()
    private var cancelled = false
    /// The milliseconds before the next scheduled check; nil if none is scheduled.
    private var awaitedPause: Int?
    /// The number of the scheduled check, by which an event replaces it with an earlier one.
    private var lookNumber = 0
    private let newest: (() throws -> Int64?)?
    private var lastTransaction: Int64 = 0
    private let post: @Sendable (_ transaction: Int64?) -> Void
    /// Returns after an event whether there is a new commit; nil if each event is a commit.
    private var question: (() -> Bool)?

    /// - Parameters:
    ///   - newest: returns the number of the newest transaction of the history; nil if no history is kept. Called on
    ///     `queue`.
    ///   - post: called after commits, with that number if history is kept.
    package init(newest: (() throws -> Int64?)?, post: @escaping @Sendable (_ transaction: Int64?) -> Void) {
        self.newest = newest
        self.post = post
    }

    /// Records the newest transaction, so that later ones count as new. Called before the first event.
    package func begin(asking question: (() -> Bool)? = nil) throws {
        self.question = question
        lastTransaction = try newest?() ?? 0
    }

    package var isCancelled: Bool { lock.withLock { cancelled } }

    package var keepsHistory: Bool { newest != nil }

    /// The newest transaction of which a notification was posted; used on `queue`.
    package var lastToldTransaction: Int64 { lastTransaction }

    /// Stops all notifications.
    package func cancel() { lock.withLock { cancelled = true } }

    /// Reports that something may have been committed. Called on `queue`.
    package func event() {
        if awaitedPause != Self.pause { poll(after: Self.pause) }
    }

    private func poll(after pause: Int) {
        awaitedPause = pause
        lookNumber += 1
        let number = lookNumber
        queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [weak self] in
            guard let self, self.lookNumber == number, !self.isCancelled else { return }
            self.awaitedPause = nil
            self.poll()
            let next = pause * 2
            if self.question != nil, next <= Self.longestPause { self.poll(after: next) }
        }
    }

    private func poll() {
        if let question, !question() { return }
        var number: Int64?
        if let newest {
            // If the number cannot be read now, the next check reads it.
            guard let last = try? newest(), last > lastTransaction else { return }
            lastTransaction = last
            number = last
        }
        let transaction = number
        delivery.async { [weak self] in
            guard let self, !self.isCancelled else { return }
            self.post(transaction)
        }
    }
}
