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
    /// While a store is opened that takes another's place: that one's number.
    var inheritedStoreNumber: Int?
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
        /// The same, where the store is one that a program wrote.
        var objects: (any ObjectStore)?
    }

    #if DEBUG
        let liveEntry = LiveAccount.Entry(.coordinator)
    #endif

    /// Makes a coordinator without stores. Stops the process when the model contradicts itself; ask
    /// `NSPersistentContainer` or check the model's file first where the model is a user's input.
    public init(managedObjectModel model: NSManagedObjectModel) {
        model.resolveReferences()
        do {
            try model.validate()
        } catch {
            fatalError("The model cannot be used: \(error.localizedDescription)")
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
        // Taken apart as text: a name in a program's own store may hold an escaped slash.
        let parts = url.absoluteString.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "x-coredata:", parts[1].isEmpty, parts[4].first == "p",
            let entity = parts[3].removingPercentEncoding, let layout = modelLayout.layout(named: entity)
        else { return nil }
        let identifier = parts[2].removingPercentEncoding ?? String(parts[2])
        let match = lock.withLock {
            attached.first { $0.store.identifier.caseInsensitiveCompare(identifier) == .orderedSame }
        }
        guard let match, let primaryKey = primaryKey(parts[4].dropFirst(), layout, match.store) else { return nil }
        let key = ObjectKey.key(storeNumber: match.number, primaryKey: primaryKey)
        return NSManagedObjectID(
            objectKey: ObjectKey(layoutIndex: layout.index, key: key), layout: layout, modelLayout: modelLayout,
            store: match.store)
    }

    private func primaryKey(_ text: Substring, _ layout: EntityLayout, _ store: NSPersistentStore) -> Int64? {
        if let references = store.references {
            return text.removingPercentEncoding.map { references.primaryKey(ofText: $0, entity: layout.name) }
        }
        return Int64(text).flatMap { $0 > 0 && $0 <= ObjectKey.primaryKeyMask ? $0 : nil }
    }

    /// The id of an object by its URI as text.
    open func managedObjectID(for string: String) -> NSManagedObjectID? {
        URL(string: string).flatMap { managedObjectID(forURIRepresentation: $0) }
    }
}
