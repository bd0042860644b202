import Foundation
import Synchronization

extension NotificationCenter {
    /// The notifications of one name, for `for await`. The sequence ends with the task that waits for it.
    ///
    /// Observing begins when the sequence is created, not with its first iteration. Notifications that are posted
    /// between the two are kept for the iteration.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/notificationcenter/notifications)
    public final class Notifications: AsyncSequence, Sendable {
        /// The elements are notifications.
        public typealias Element = Notification
        /// The sequence throws no errors.
        public typealias Failure = Never

        private let stream: AsyncStream<UncheckedSendable<Notification>>

        fileprivate init(_ center: NotificationCenter, name: Notification.Name, object: AnyObject?) {
            let (stream, continuation) = AsyncStream.makeStream(of: UncheckedSendable<Notification>.self)
            let observer = UncheckedSendable(
                center.addObserver(forName: name, object: object, queue: nil) {
                    continuation.yield(UncheckedSendable($0))
                })
            let sender = UncheckedSendable(center)
            continuation.onTermination = { _ in sender.value.removeObserver(observer.value) }
            self.stream = stream
        }

        /// Creates an iterator over the notifications. All iterators of a sequence share its notifications.
        public func makeAsyncIterator() -> Iterator {
            Iterator(base: stream.makeAsyncIterator())
        }

        /// An iterator over notifications, in the order of their posting.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var base: AsyncStream<UncheckedSendable<Notification>>.Iterator

            /// The next notification; nil once the task is cancelled.
            public mutating func next() async -> Notification? {
                await base.next()?.value
            }

            /// The next notification, for the caller's actor; nil once the task is cancelled.
            ///
            /// - Parameter actor: The actor of the caller.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
                await base.next(isolation: actor)?.value
            }
        }
    }

    /// Returns the notifications of a name as a sequence.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - object: The sender; nil stands for any sender.
    /// - Returns: A sequence that observes from now on.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/notificationcenter/notifications(named:object:))
    public func notifications(named name: Notification.Name, object: (AnyObject & Sendable)? = nil) -> Notifications {
        Notifications(self, name: name, object: object)
    }
}
