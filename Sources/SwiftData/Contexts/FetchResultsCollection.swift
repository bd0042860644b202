import CoreData
import Foundation

/// The results of a fetch, which are made batch by batch as they are used.
///
/// It belongs to its context, and one thread at a time may use it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/fetchresultscollection)
public struct FetchResultsCollection<Element>: RandomAccessCollection {
    /// The number of results.
    private let number: Int
    private let element: (Int) -> Element

    init(count: Int, element: @escaping (Int) -> Element) {
        number = count
        self.element = element
    }

    /// The place of the first result.
    public var startIndex: Int { 0 }
    /// The place behind the last result.
    public var endIndex: Int { number }
    /// The result at a place.
    public subscript(position: Int) -> Element { element(position) }
}

@available(*, unavailable)
extension FetchResultsCollection: Sendable {}

extension ModelContext {
    /// Returns models that are read batch by batch.
    ///
    /// - Parameters:
    ///   - descriptor: The condition and the order, without unsaved changes.
    ///   - batchSize: The number of models that are read at once.
    /// - Returns: The models.
    /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` if the context has changes that the descriptor
    ///   includes; otherwise as ``fetch(_:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/fetch(_:batchsize:))
    public func fetch<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, batchSize: Int
    ) throws -> FetchResultsCollection<T> {
        if descriptor.includePendingChanges, hasChanges {
            throw SwiftDataError.includePendingChangesWithBatchSize.because(
                "the context has unsaved changes; set includePendingChanges to false")
        }
        return try models(descriptor, inBatchesOf: batchSize)
    }

    /// The models of a fetch, of which each batch is read when it is used.
    private func models<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, inBatchesOf batchSize: Int
    ) throws -> FetchResultsCollection<T> {
        if let fetch = try customFetch(descriptor) {
            let models = try fetch.models()
            return FetchResultsCollection(count: models.count) { models[$0] }
        }
        let fetch = try modelFetch(descriptor)
        return try fetch.endsWithTask {
            if !fetch.isOfStore, let objects = try objectsByStoredValues(fetch) {
                return FetchResultsCollection(count: objects.count) { ModelFetch<T>.model(objects[$0]) }
            }
            let objects = try ModelFetch<T>.objects(try request(fetch), in: managed, batchSize: batchSize)
            if fetch.isOfStore {
                return FetchResultsCollection(count: objects.count) { ModelFetch<T>.model(objects[$0]) }
            }
            let places = try fetch.places(in: objects)
            return FetchResultsCollection(count: places.count) { ModelFetch<T>.model(objects[places[$0]]) }
        }
    }

    /// Returns the identifiers of models, as a collection.
    ///
    /// - Parameters:
    ///   - descriptor: The condition and the order.
    ///   - batchSize: Without effect: an identifier needs no reading.
    /// - Returns: The identifiers.
    /// - Throws: As ``fetch(_:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/fetchidentifiers(_:batchsize:))
    public func fetchIdentifiers<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, batchSize: Int
    ) throws -> FetchResultsCollection<PersistentIdentifier> {
        let identifiers = try fetchIdentifiers(descriptor)
        return FetchResultsCollection(count: identifiers.count) { identifiers[$0] }
    }

    /// Calls a block with each model, batch by batch. The models of a batch are released before the next one is read.
    ///
    /// - Parameters:
    ///   - fetch: The condition and the order.
    ///   - batchSize: The number of models that are read at once.
    ///   - allowEscapingMutations: Whether the block may leave changes in the context that are not saved.
    ///   - block: The block.
    /// - Throws: The error of the block, and those of ``fetch(_:)``. `SwiftDataError.modelValidationFailure` if the
    ///   block leaves changes in a context that had none, and that is not allowed.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/enumerate(_:batchsize:allowescapingmutations:block:))
    public func enumerate<T: PersistentModel>(
        _ fetch: FetchDescriptor<T>, batchSize: Int = 5_000, allowEscapingMutations: Bool = false,
        block: (T) throws -> Void
    ) throws {
        let hadChanges = hasChanges
        let models = try models(fetch, inBatchesOf: batchSize)
        for position in models.indices {
            try block(models[position])
            let isEndOfBatch = (position + 1) % Swift.max(1, batchSize) == 0 || position + 1 == models.count
            if isEndOfBatch, !allowEscapingMutations, !hadChanges, hasChanges {
                throw SwiftDataError.modelValidationFailure.because(
                    "enumerate has changed models; save them in the block, or allow escaping mutations")
            }
        }
    }
}
