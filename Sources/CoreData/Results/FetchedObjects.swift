import Foundation

/// What a fetch found, for results larger than a program wants to hold: a collection that keeps keys, and makes objects
/// of them a batch at a time.
///
/// Made by `fetch(_:batchSize:)` of a context. Its order and its `count` stay what they were when it was fetched:
/// objects that come to match later are not in it, and one that does not match any more keeps its place. The values are
/// those that the store has when a batch is read, under the unsaved changes of the context.
///
/// The collection holds the objects of the batch that was asked for last, each iterator those of its own. When the next
/// batch is asked for, it lets go of them, and what nobody else holds is gone, together with its row; an object with
/// unsaved changes the context holds. An object that is asked for again is the same one as long as somebody holds it,
/// and made anew otherwise. So a loop may `save()` and `reset()` as it goes: what follows is made anew.
///
///     for (number, book) in try context.fetch(request, batchSize: 500).enumerated() {
///         book.price *= 2
///         if number % 10_000 == 9_999 {
///             try context.save()
///             context.reset()
///         }
///     }
///
/// What the context or others delete keeps its place, too: an object whose row is gone is a fault without a row. The
/// context says what becomes of such (`shouldDeleteInaccessibleFaults`: a deleted object without values). A new object
/// that was found is followed when it gets its permanent id; after `rollback()` or `reset()` it has no row.
///
/// A batch that cannot be read gives faults; reading one stops the process, as any fault does that cannot be read, and
/// `fulfillFaults(of:relationshipKeyPaths:)` throws. To be used on the context's queue. The collection holds its
/// context.
public struct FetchedObjects<Object: NSManagedObject>: RandomAccessCollection {
    private let latest: FetchedWindow

    init(_ batches: FetchedBatches, in context: NSManagedObjectContext) {
        latest = FetchedWindow(batches, context)
    }

    /// The place of the first object: 0.
    public var startIndex: Int { 0 }

    /// How many objects there are.
    public var endIndex: Int { latest.count }

    /// The object at a place, with those of its batch. Stops the process when the collection has no such place.
    public subscript(position: Int) -> Object { Self.typed(latest.object(at: position)) }

    /// Iterates by a batch of its own, so that several may be under way at once.
    public func makeIterator() -> Iterator { Iterator(window: latest.another()) }

    /// Gives the objects one after the other. To be used on the context's queue.
    public struct Iterator: IteratorProtocol {
        private let window: FetchedWindow
        private var position = 0

        fileprivate init(window: FetchedWindow) { self.window = window }

        /// The next object; nil behind the last one.
        public mutating func next() -> Object? {
            if position == window.count { return nil }
            defer { position += 1 }
            return FetchedObjects.typed(window.object(at: position))
        }
    }

    private static func typed(_ object: NSManagedObject) -> Object {
        if let object = object as? Object { return object }
        fatalError("The request for '\(object.entity.name ?? "")' yields \(type(of: object)), not \(Object.self)")
    }
}

// Managed objects belong to their context's queue.
@available(*, unavailable)
extension FetchedObjects: Sendable {}

@available(*, unavailable)
extension FetchedObjects.Iterator: Sendable {}

extension NSManagedObjectContext {
    /// Executes a fetch, and returns its objects as a collection that makes them a batch at a time and keeps none.
    ///
    /// Reads keys alone: some four bytes of each row are kept. Several stores of one coordinator that sort are read
    /// whole first, and so are the objects of stores in memory that decide a predicate object by object. To be called
    /// on the context's queue; overrides of `fetch(_:)` are not asked. An object of another class than `Object` stops
    /// the process when it is asked for, as in `fetch(_:)`.
    ///
    /// - Parameters:
    ///   - request: Which objects, in which order; unsaved changes count unless its `includesPendingChanges` is false.
    ///     What it says of prefetching, faults and property values is done with each batch. Its `fetchBatchSize` does
    ///     not count, and its `resultType` has to be that of objects.
    ///   - batchSize: How many objects are made and read together; at least 1.
    /// - Returns: The objects, for this context's queue.
    /// - Throws: An `NSError` when the entity is unknown, the predicate has no translation, or the store cannot be
    ///   read.
    public final func fetch<Object: NSManagedObject>(
        _ request: NSFetchRequest<Object>, batchSize: Int
    ) throws -> FetchedObjects<Object> {
        checkConfinement()
        require(batchSize > 0, "A batch has one object or more, not \(batchSize)")
        require(
            request.resultType == .managedObjectResultType,
            "A request whose objects are made batch by batch has to be one for objects")
        var plan = try plan(for: request)
        plan.parameters.fetchBatchSize = batchSize
        plan.store.isLarge = true
        home(at: plan.store.layout.index).findMissingClass(besides: Object.self)
        return FetchedObjects(keep(try keys(plan), plan), in: self)
    }
}
