import Foundation

/// What follows results gives as an asynchronous sequence: the present value at once, then one value for each change.
///
/// Changes that come while the reader is at work on a value become one value. The sequence ends when its task is
/// cancelled, and with an error when the results can no longer be followed: when a fetch fails, or a store is removed,
/// migrated or lost. Each iteration follows the results by itself, and begins with the call of `next()`.
///
/// Iterate in a task that does not hold the context's queue. The context has to have a queue.
///
/// OpenCoreData only.
public struct FetchedResultsSequence<Value>: AsyncSequence, Sendable {
    /// A value of the results.
    public typealias Element = Value
    /// Errors of Core Data.
    public typealias Failure = any Error

    let makeSource: @Sendable () -> any FetchedResultsSource<Value>

    init(_ makeSource: @escaping @Sendable () -> any FetchedResultsSource<Value>) {
        self.makeSource = makeSource
    }

    /// Makes what gives the values one after the other.
    public func makeAsyncIterator() -> Iterator { Iterator(makeSource()) }

    /// Gives the values of a sequence.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: any FetchedResultsSource<Value>
        private var events: AsyncStream<Void>.Iterator
        private var hasFailed = false

        fileprivate init(_ source: any FetchedResultsSource<Value>) {
            self.source = source
            events = source.wake.events.makeAsyncIterator()
        }

        /// Returns the next value: waits until the results have changed.
        ///
        /// - Parameter actor: The isolation of the caller.
        /// - Returns: The value; nil if the task is cancelled.
        /// - Throws: The error because of which the results cannot be followed.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Value? {
            while !hasFailed, await events.next(isolation: actor) != nil {
                let source = source
                do {
                    if let value = try await source.context.perform({ try source.value() }) { return value }
                } catch {
                    hasFailed = true
                    throw error
                }
            }
            return nil
        }

        /// Returns the next value: waits until the results have changed.
        ///
        /// - Returns: The value; nil if the task is cancelled.
        /// - Throws: The error because of which the results cannot be followed.
        public mutating func next() async throws -> Value? { try await next(isolation: nil) }
    }
}

/// What follows results, and gives their value when it is asked.
protocol FetchedResultsSource<Value>: AnyObject, Sendable {
    associatedtype Value

    var context: NSManagedObjectContext { get }
    var wake: FetchedResultsWake { get }

    /// The value now; nil if nothing has changed since the last one. Called on the context's queue.
    func value() throws -> Value?
    /// Ends the following. Called on the context's queue.
    func stop()
}

/// The events that wake the reader of a sequence: the beginning, and changes. Several of them become one.
final class FetchedResultsWake: Sendable {
    let events: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
    }

    func wakeReader() { continuation.yield() }

    /// Calls a body when the reader's task was cancelled, or the reader is gone.
    func onEnd(_ body: @escaping @Sendable () -> Void) { continuation.onTermination = { _ in body() } }
}
