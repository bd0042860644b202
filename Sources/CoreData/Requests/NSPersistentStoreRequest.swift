import Foundation

/// The kinds of request that a coordinator passes to its stores.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorerequesttype)
public enum NSPersistentStoreRequestType: UInt, Sendable {
    /// Reads objects, ids, dictionaries or a count: ``NSFetchRequest``.
    case fetchRequestType = 1
    /// Saves the changes of a context: ``NSSaveChangesRequest``.
    case saveRequestType = 2
    /// Inserts rows without objects: ``NSBatchInsertRequest``.
    case batchInsertRequestType = 5
    /// Updates rows without objects: ``NSBatchUpdateRequest``.
    case batchUpdateRequestType = 6
    /// Deletes rows without objects: ``NSBatchDeleteRequest``.
    case batchDeleteRequestType = 7
    /// Reads or deletes persistent history: ``NSPersistentHistoryChangeRequest``.
    case persistentHistoryRequestType = 8
}

/// A request that a context makes of its coordinator, and a coordinator of its stores.
///
/// The base class cannot be executed. A program may derive requests of its own from it.
/// ``NSPersistentStoreCoordinator/execute(_:with:)`` passes those to the stores that the program wrote, and returns an
/// array of their answers.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorerequest)
open class NSPersistentStoreRequest: NSObject, NSCopying {
    /// Creates a request. Only its subclasses can be executed.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorerequest)
    public override init() {
        super.init()
    }

    /// The kind of the request. A subclass overrides this property; the base class returns that of a fetch.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorerequest/requesttype)
    open var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// The stores that execute the request; nil, the value unless set, means all stores of the coordinator.
    ///
    /// An empty array means none: nothing is found, changed or deleted, and a batch insertion is an error.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorerequest/affectedstores)
    @exclusivity(unchecked) open var affectedStores: [NSPersistentStore]? {
        willSet { requireMutable() }
    }

    /// Stops the process if the request may not be changed any more.
    func requireMutable() {}

    /// The parameters of a fetch request of any result type; nil for other requests.
    var fetchParameters: FetchParameters? { nil }

    /// Executes the request for a context, on its queue. The base class cannot be executed.
    func result(in context: any RequestExecutor) throws -> NSPersistentStoreResult {
        throw NSError.coreData(
            NSPersistentStoreUnsupportedRequestTypeError,
            reason: "Unknown command type \(type(of: self)): a context cannot execute it")
    }

    /// The value that `NSPersistentStoreCoordinator.execute(_:with:)` returns for the request.
    ///
    /// Requests of a program's own classes go to the stores that programs wrote. The value is an array of their
    /// answers.
    func output(in context: any RequestExecutor) throws -> Any {
        guard Self.isMadeUp(type(of: self)), let answers = try context.answers(ofObjectStoresTo: self) else {
            return try result(in: context)
        }
        return answers
    }

    /// Whether a program declared a class of requests.
    private static func isMadeUp(_ kind: NSPersistentStoreRequest.Type) -> Bool {
        !_typeName(kind, qualified: true).hasPrefix("CoreData.")
    }

    /// A request that can be changed without changing this one.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreRequest()
        copy.affectedStores = affectedStores
        return copy
    }

    /// A request that can be changed without changing this one.
    open override func copy() -> Any { copy(with: nil) }
}
