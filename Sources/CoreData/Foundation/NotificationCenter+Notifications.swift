import Foundation
import Synchronization

extension NotificationCenter {
    /// The notifications of one name as they come, for `for await`; ends with the task that waits for it.
    ///
    /// Observing begins when the sequence is made, not with its first iteration: what is posted between waits.
    public final class Notifications: AsyncSequence, Sendable {
        public typealias Element = Notification
        public typealias Failure = Never

        private let stream: AsyncStream<Transfer<Notification>>

        fileprivate init(_ center: NotificationCenter, name: Notification.Name, object: AnyObject?) {
            let (stream, continuation) = AsyncStream.makeStream(of: Transfer<Notification>.self)
            let observer = Transfer(
                center.addObserver(forName: name, object: object, queue: nil) { continuation.yield(Transfer($0)) })
            let sender = Transfer(center)
            continuation.onTermination = { _ in sender.value.removeObserver(observer.value) }
            self.stream = stream
        }

        public func makeAsyncIterator() -> Iterator {
            Iterator(base: stream.makeAsyncIterator())
        }

        /// Hands out one notification after the other.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var base: AsyncStream<Transfer<Notification>>.Iterator

            /// The next notification; nil once the task is cancelled.
            public mutating func next() async -> Notification? {
                await base.next()?.value
            }

            /// The next notification, handed to the caller's actor; nil once the task is cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
                await base.next(isolation: actor)?.value
            }
        }
    }

    /// The notifications of a name, from one sender (nil: from any), as they are posted.
    public func notifications(named name: Notification.Name, object: (AnyObject & Sendable)? = nil) -> Notifications {
        Notifications(self, name: name, object: object)
    }
}
