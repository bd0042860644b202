import Foundation

/// The base class of stores that a program writes and that are read and saved as a whole: a file of a format of its
/// own.
///
/// A subclass overrides `load()`, `save()`, `newReferenceObject(for:)`, `newCacheNode(for:)`,
/// `updateCacheNode(_:from:)` and `type`, keeps `metadata` in its file, overrides the class's
/// `metadataForPersistentStore(with:)` and `setMetadata(_:forPersistentStoreAt:)` to reach it there, and is made known
/// by `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`. Fetches are answered from its nodes. Its
/// methods are called one at a time.
open class NSAtomicStore: NSPersistentStore, CustomStore, @unchecked Sendable {  // state is guarded by `stateLock`
    let storeNumber: Int
    private let stateLock = NSLock()
    /// By layout index, then by key.
    private var nodes: [Int: [Int64: NSAtomicStoreCacheNode]] = [:]

    /// Called by the coordinator that the store is added to; an overrider calls `super`. There may be no file yet, or
    /// an empty one: that is a new store.
    public override init(
        persistentStoreCoordinator coordinator: NSPersistentStoreCoordinator?, configurationName: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        let host: (any StoreHost)? = coordinator
        storeNumber = host?.numberOfNextStore ?? 0
        super.init(
            persistentStoreCoordinator: coordinator, configurationName: configurationName, at: url, options: options)
        super.metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: identifier as Any]
    }

    /// How many records a file has, where the class can tell.
    class func recordCount(at url: URL) throws -> Int? { nil }

    /// Makes the file of a new store, where the class makes one before the first save.
    func makeFile() throws {}

    override final var isWholeFile: Bool { true }

    /// Saves the store, unless it lives in memory. A device, a pipe or a socket in the place of its file is refused:
    /// most stores put a new file in the place of the old one.
    override final func saveFile() throws {
        if let url {
            guard StorePlace(url) == .file else { return }
            // A store of a program's own may be a folder.
            if FileKind(at: url, followsLinks: true) != .folder {
                try FileKind.require(.file, at: url, followsLinks: true)
            }
        }
        try save()
    }

    // MARK: To override

    /// Reads the file and makes the nodes of its records known by `addCacheNodes(_:)`. Nothing is to be read from a
    /// file that is not there or empty.
    open func load() throws { abstract("load()") }

    /// Writes all nodes and the metadata to the file. When it throws, the nodes are as they were before the save.
    open func save() throws { abstract("save()") }

    /// A node for a new object, with the object's values.
    ///
    /// The object has its permanent id. Nodes of other new objects may not be there yet; when all are, each new node is
    /// handed to `updateCacheNode(_:from:)` too.
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        abstract("newCacheNode(for:)")
    }

    /// Brings a node to an object's values; the nodes of related objects are found by `cacheNode(for:)`.
    open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        abstract("updateCacheNode(_:from:)")
    }

    /// What names the record of a new object among those of its entity: a string, a number, a UUID. It stays the same
    /// as long as the record lives.
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any { abstract("newReferenceObject(for:)") }

    /// The nodes of deleted objects are about to be forgotten.
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

    /// Reads the metadata of the file, if there is one and the class tells them, into `metadata`.
    open override func loadMetadata() throws {
        guard let url, url.isFileURL, FileKind.size(at: url) > 0 else { return }
        do {
            metadata = try Swift.type(of: self).metadataForPersistentStore(with: url)
        } catch let error as NSError where error.code == NSPersistentStoreOperationError {
            // The class does not tell its metadata from outside; `load()` may set them.
        }
    }

    // MARK: Nodes

    /// All nodes.
    open func cacheNodes() -> Set<NSAtomicStoreCacheNode> {
        stateLock.withLock { Set(nodes.values.flatMap(\.values)) }
    }

    /// Makes nodes known; called while the store loads.
    open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        stateLock.withLock {
            for node in cacheNodes {
                let key = node.objectID.objectKey
                nodes[key.layoutIndex, default: [:]][key.key] = node
            }
        }
    }

    /// The node of a record.
    open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
        node(for: objectID.objectKey)
    }

    /// The id of the record that a reference names among those of an entity.
    open func objectID(for entity: NSEntityDescription, withReferenceObject data: Any) -> NSManagedObjectID {
        makeObjectID(entity, data)
    }

    /// What names the record of an id.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { reference(of: objectID) }

    final func node(for key: ObjectKey) -> NSAtomicStoreCacheNode? {
        stateLock.withLock { nodes[key.layoutIndex]?[key.key] }
    }

    /// The nodes of some entities, in the order in which they came.
    final func nodes(of layouts: Range<Int>) -> [NSAtomicStoreCacheNode] {
        let found = stateLock.withLock { layouts.flatMap { Array(nodes[$0] ?? [:]) } }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }

    final func forget(_ removed: Set<NSAtomicStoreCacheNode>) {
        stateLock.withLock {
            for node in removed { nodes[node.objectKey.layoutIndex]?[node.objectKey.key] = nil }
        }
    }

    final func forgetAllNodes() { stateLock.withLock { nodes = [:] } }

    final override var references: ReferenceTable? { sharedReferences }

    open override var metadata: [String: Any]! {
        get { super.metadata }
        set {
            super.metadata = Self.keeping(super.metadata, in: newValue)
            adoptIdentifier(of: newValue)
        }
    }
}
