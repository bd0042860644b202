import Foundation

/// A collection of fetched objects that keeps their keys, and makes the objects a batch at a time.
///
/// OpenCoreData only. ``NSManagedObjectContext/fetch(_:batchSize:)`` makes one, for results that are too large to be
/// held in memory. The order and the `count` stay as they were at the time of the fetch. Objects that match later are
/// not in the collection. An object that does not match any more keeps its place. The values are those that the store
/// has when a batch is read, with the unsaved changes of the context.
///
/// The collection holds the objects of the latest batch only; each iterator holds those of its own batch. The next
/// batch replaces them, and objects without another holder are released, together with their rows. The context holds
/// objects with unsaved changes. An object that is read again is the same instance as long as the program holds it;
/// otherwise it is a new instance. So a loop may call `save()` and `reset()` between the objects:
///
/// ```swift
/// for (number, book) in try context.fetch(request, batchSize: 500).enumerated() {
///     book.price *= 2
///     if number % 10_000 == 9_999 {
///         try context.save()
///         context.reset()
///     }
/// }
/// ```
///
/// A deleted object keeps its place, too. An object without a row is a fault; `shouldDeleteInaccessibleFaults` of the
/// context decides how it reads: as a deleted object without values, unless set otherwise. A new object in the result
/// is followed when it gets its permanent id. After `rollback()` or `reset()` it has no row.
///
/// If a batch cannot be read, its objects are faults. Reading such a fault stops the process;
/// ``NSManagedObjectContext/fulfillFaults(of:relationshipKeyPaths:)`` throws instead. Use the collection on the
/// context's queue. The collection holds its context.
public struct FetchedObjects<Object: NSManagedObject>: RandomAccessCollection {
    private let latest: FetchedWindow

    init(_ batches: FetchedBatches, in context: NSManagedObjectContext) {
        latest = FetchedWindow(batches, context)
    }

    /// The position of the first object: 0.
    public var startIndex: Int { 0 }

    /// The number of objects.
    public var endIndex: Int { latest.count }

    /// The object at a position, read together with its batch.
    ///
    /// Stops the process if the collection has no such position, or if the object is not of the class `Object`.
    ///
    /// - Parameter position: A number from 0 to `count` - 1.
    public subscript(position: Int) -> Object { Self.typed(latest.object(at: position)) }

    /// Creates an iterator with a batch of its own, so that several iterators can be used at once.
    public func makeIterator() -> Iterator { Iterator(window: latest.another()) }

    /// An iterator over fetched objects. Use it on the context's queue.
    public struct Iterator: IteratorProtocol {
        private let window: FetchedWindow
        private var position = 0

        fileprivate init(window: FetchedWindow) { self.window = window }

        /// The next object; nil after the last one.
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
    /// OpenCoreData only. The fetch reads keys alone, and keeps about four bytes of each row. It reads all rows first
    /// in two cases: several stores sort together, or a store in memory has to test a predicate object by object.
    /// Overrides of `fetch(_:)` are not called. An object of another class than `Object` stops the process when it is
    /// read.
    ///
    /// - Parameters:
    ///   - request: The objects and their order. Unsaved changes count unless ``NSFetchRequest/includesPendingChanges``
    ///     is false. Prefetching, faults and property values apply to each batch. ``NSFetchRequest/fetchBatchSize``
    ///     does not count. ``NSFetchRequest/resultType`` has to be that of objects; another one stops the process.
    ///   - batchSize: The number of objects that are made and read together; at least 1.
    /// - Returns: The objects, for this context's queue.
    /// - Throws: An `NSError` if the entity is unknown, the predicate has no translation, or the store cannot be read.
    ///
    /// Call it on the context's queue.
    public final func fetch<Object: NSManagedObject>(
        _ request: NSFetchRequest<Object>, batchSize: Int
    ) throws -> FetchedObjects<Object> {
        checkConfinement()
        require(batchSize > 0, "A batch has one object or more, not \(batchSize)")
        require(
            request.resultType == .managedObjectResultType,
            "A request whose objects are made batch by batch has to be one for objects")
        let plan = try plan(for: request).with { parameters, store in
            parameters.fetchBatchSize = batchSize
            store.isLarge = true
        }
        binding(at: plan.store.layout.index).findMissingClass(besides: Object.self)
        return FetchedObjects(keep(try keys(plan), plan), in: self)
    }
}
