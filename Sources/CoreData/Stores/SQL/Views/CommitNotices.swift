import Foundation

/// A watch over the commits of a store's database.
package protocol CommitWatch: AnyObject, Sendable {
    /// Ends the watching; nothing is posted afterwards.
    func cancel()
}

/// Turns events of a database into remote-change notifications of a store: somebody has committed something, in this
/// process or in another one.
///
/// Events within a few milliseconds are one notification. If history is kept, only a new transaction counts.
///
/// SQLite writes a commit to the file, which is the event. It shows the commit to others afterwards in shared memory,
/// of which no event tells: between the two it may wait for the disk. So one look after an event is not enough. Looks
/// follow each other in growing distances until some seconds have passed since the last event.
// @unchecked Sendable: mutable state is used on `queue` only, except `isCancelled`, which `lock` guards.
package final class CommitNotices: @unchecked Sendable {
    /// The milliseconds for which events are gathered before they are looked at.
    private static let pause = 10
    /// The last look comes so many milliseconds after the one before it.
    private static let longestPause = 5_000

    /// The queue on which events come in and are looked at.
    package let queue = DispatchQueue(label: "CommitNotices", qos: .utility)
    /// Notifications go out on a queue of their own: an observer may remove the store.
    private let delivery = DispatchQueue(label: "CommitNotices.delivery", qos: .utility)
    private let lock = NSLock()
    private var cancelled = false
    /// The number of milliseconds that lie before the look that is awaited; nil where none is.
    private var awaitedPause: Int?
    /// The number of the look that is awaited: an event calls for an earlier one.
    private var lookNumber = 0
    private let newest: (() throws -> Int64?)?
    private var lastTransaction: Int64 = 0
    private let post: @Sendable (_ transaction: Int64?) -> Void
    /// Tells after events whether there is something new; nil if each event means that.
    private var question: (() -> Bool)?

    /// - Parameters:
    ///   - newest: gives the number of the newest transaction of the history; nil where none is kept. Asked on `queue`.
    ///   - post: called after commits, with that number where history is kept.
    package init(newest: (() throws -> Int64?)?, post: @escaping @Sendable (_ transaction: Int64?) -> Void) {
        self.newest = newest
        self.post = post
    }

    /// Notes the newest transaction: later ones are new. Called before the first event.
    package func begin(asking question: (() -> Bool)? = nil) throws {
        self.question = question
        lastTransaction = try newest?() ?? 0
    }

    package var isCancelled: Bool { lock.withLock { cancelled } }

    package var keepsHistory: Bool { newest != nil }

    /// The newest transaction that was notified; used on `queue`.
    package var lastToldTransaction: Int64 { lastTransaction }

    /// Nothing is posted any more.
    package func cancel() { lock.withLock { cancelled = true } }

    /// Something may have been committed. Called on `queue`.
    package func event() {
        if awaitedPause != Self.pause { look(after: Self.pause) }
    }

    private func look(after pause: Int) {
        awaitedPause = pause
        lookNumber += 1
        let number = lookNumber
        queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [weak self] in
            guard let self, self.lookNumber == number, !self.isCancelled else { return }
            self.awaitedPause = nil
            self.look()
            let next = pause * 2
            if self.question != nil, next <= Self.longestPause { self.look(after: next) }
        }
    }

    private func look() {
        if let question, !question() { return }
        var number: Int64?
        if let newest {
            // If it cannot be read now, it is looked at again.
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
