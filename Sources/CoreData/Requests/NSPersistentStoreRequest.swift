import Foundation

/// What a request asks for.
public enum NSPersistentStoreRequestType: UInt, Sendable {
    /// Objects, ids, dictionaries or a count: `NSFetchRequest`.
    case fetchRequestType = 1
    /// Saving the changes of a context: `NSSaveChangesRequest`.
    case saveRequestType = 2
    /// Inserting rows without objects.
    case batchInsertRequestType = 5
    /// Updating rows without objects.
    case batchUpdateRequestType = 6
    /// Deleting rows without objects.
    case batchDeleteRequestType = 7
    /// Reading or deleting persistent history: `NSPersistentHistoryChangeRequest`.
    case persistentHistoryRequestType = 8
}

/// Something that a context asks of a coordinator, and a coordinator of its stores.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    /// Creates a request; only its subclasses can be executed.
    public override init() {
        super.init()
    }

    /// What the request asks for. A subclass has to answer; the base class asks for a fetch.
    open var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// The stores the request concerns; nil for all of the coordinator's.
    open var affectedStores: [NSPersistentStore]?

    /// What a fetch request of any result type says; `nil` for other requests.
    var fetchParameters: FetchParameters? { nil }

    /// Executes the request for a context, on its queue. The base class cannot be executed.
    func result(in context: any RequestExecutor) throws -> NSPersistentStoreResult {
        throw NSError.coreData(
            NSPersistentStoreUnsupportedRequestTypeError,
            reason: "Unknown command type \(type(of: self)): a context cannot execute it")
    }

    /// What `NSPersistentStoreCoordinator.execute(_:with:)` returns for the request. One that a program made up goes to
    /// the stores that programs wrote: an array of what each of them answers.
    func output(in context: any RequestExecutor) throws -> Any {
        guard Self.isMadeUp(type(of: self)), let answers = try context.answers(ofObjectStoresTo: self) else {
            return try result(in: context)
        }
        return answers
    }

    /// Whether a class of requests is a program's own.
    private static func isMadeUp(_ kind: NSPersistentStoreRequest.Type) -> Bool {
        !_typeName(kind, qualified: true).hasPrefix("CoreData.")
    }

    /// A request that can be changed without changing this one.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreRequest()
        copy.affectedStores = affectedStores
        return copy
    }

    open override func copy() -> Any { copy(with: nil) }
}
