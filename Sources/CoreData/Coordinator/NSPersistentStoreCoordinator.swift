import Foundation

/// The one door to the stores of a model: contexts fetch and save through it.
///
/// May be used from any thread. The model becomes immutable with the first coordinator that uses it.
///
/// - Topics: adding and removing stores (`+Stores`), files of stores as a unit (`+Files`), rows for contexts (`+Rows`).
// @unchecked Sendable: the list of stores is guarded by `lock`.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
    /// The model whose objects the stores hold.
    public let managedObjectModel: NSManagedObjectModel
    let modelLayout: ModelLayout

    let lock = NSRecursiveLock()
    var attached: [AttachedStore] = []
    /// Never reused: ids of a removed store stay recognisable.
    var nextStoreNumber = 0
    private var storedName: String?
    /// Contexts that want to hear of saves.
    var subscribers: [NSManagedObjectContext.WeakContext] = []
    /// Held while a context writes and says so to the others.
    let saveLock = NSLock()
    private let queue = DispatchQueue(label: "NSPersistentStoreCoordinator")

    struct AttachedStore {
        let number: Int
        let store: NSPersistentStore
        let rows: any RowStore
    }

    /// Makes a coordinator without stores. Stops the process when the model contradicts itself; ask
    /// `NSPersistentContainer` or check the model's file first where the model is a user's input.
    public init(managedObjectModel model: NSManagedObjectModel) {
        model.resolveReferences()
        do {
            try model.validate()
        } catch {
            preconditionFailure("The model cannot be used: \(error.localizedDescription)")
        }
        managedObjectModel = model
        modelLayout = model.layout
        super.init()
    }

    /// A name for messages.
    open var name: String? {
        get { lock.withLock { storedName } }
        set { lock.withLock { storedName = newValue } }
    }

    /// The stores, in the order they were added.
    open var persistentStores: [NSPersistentStore] { lock.withLock { attached.map(\.store) } }

    // MARK: Queue

    /// Runs the block on the coordinator's queue later and returns at once.
    public final func perform(_ block: @escaping @Sendable () -> Void) {
        queue.async(execute: block)
    }

    /// Runs the block while nothing else runs on the coordinator's queue, and returns its result.
    public final func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        try queue.sync(execute: block)
    }

    /// Runs the block on the coordinator's queue, suspending the caller meanwhile.
    public final func perform<T, Failure: Error>(
        _ block: sending @escaping () throws(Failure) -> T
    ) async throws(Failure) -> T {
        let job = Transfer(block)
        let outcome: Transfer<Result<T, Failure>> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(Failure) {
                    continuation.resume(returning: Transfer(.success(try job.value())))
                } catch {
                    continuation.resume(returning: Transfer(.failure(error)))
                }
            }
        }
        return try outcome.value.get()
    }

    // MARK: Object ids

    /// The id of an object by its URI; nil when the URI is not one of an object in the coordinator's stores.
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        guard url.scheme == "x-coredata", let identifier = url.host else { return nil }
        let parts = url.pathComponents.filter { $0 != "/" }
        guard parts.count == 2, parts[1].first == "p", let primaryKey = Int64(parts[1].dropFirst()), primaryKey > 0,
            primaryKey <= ObjectKey.primaryKeyMask, let layout = modelLayout.layout(named: parts[0])
        else { return nil }
        let match = lock.withLock {
            attached.first { $0.store.identifier.caseInsensitiveCompare(identifier) == .orderedSame }
        }
        guard let match else { return nil }
        let key = ObjectKey.key(storeNumber: match.number, primaryKey: primaryKey)
        return NSManagedObjectID(
            objectKey: ObjectKey(layoutIndex: layout.index, key: key), layout: layout, modelLayout: modelLayout,
            store: match.store)
    }

    /// The id of an object by its URI as text.
    open func managedObjectID(for string: String) -> NSManagedObjectID? {
        URL(string: string).flatMap { managedObjectID(forURIRepresentation: $0) }
    }
}
