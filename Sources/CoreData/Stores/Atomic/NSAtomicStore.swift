import Foundation

/// The base class of stores that a program writes, and that are read and saved as a whole: a file of its own format.
///
/// A subclass overrides ``load()``, ``save()``, ``newReferenceObject(for:)``, ``newCacheNode(for:)``,
/// ``updateCacheNode(_:from:)`` and `type`. It keeps ``metadata`` in its file. To reach them there, it overrides the
/// class functions `metadataForPersistentStore(with:)` and `setMetadata(_:forPersistentStoreAt:)`. Register the class
/// by ``NSPersistentStoreCoordinator/registerStoreClass(_:forStoreType:)``.
///
/// The framework answers fetches from the nodes of the store. It calls the methods one at a time.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstore)
open class NSAtomicStore: NSPersistentStore, CustomStore, @unchecked Sendable {  // state is guarded by `stateLock`
    let storeNumber: Int
    private let stateLock = NSLock()
    /// The nodes, by layout index and then by key.
    private var nodes: [Int: [Int64: NSAtomicStoreCacheNode]] = [:]

    /// Creates a store for a coordinator. The coordinator calls the initialiser; overrides call `super`.
    ///
    /// A file that does not exist or is empty is a new store.
    ///
    /// - Parameters:
    ///   - coordinator: The coordinator; it is not retained.
    ///   - configurationName: The name of a configuration; nil stands for all entities.
    ///   - url: The address of the store.
    ///   - options: The options with which the store is added.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstore/init(persistentstorecoordinator:configurationname:at:options:))
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

    /// The number of records in a file; nil if the class cannot count them.
    class func recordCount(at url: URL) throws -> Int? { nil }

    /// Creates the file of a new store, if the class creates it before the first save.
    func makeFile() throws {}

    override final var isWholeFile: Bool { true }

    /// Saves the store, unless it is in memory. A device, a pipe or a socket in the place of its file is refused,
    /// because most stores replace the old file by a new one.
    override final func saveFile() throws {
        if let url {
            guard StorePlace(url) == .file else { return }
            // The store of a program's class may be a folder.
            if FileKind(at: url, followsLinks: true) != .folder {
                try FileKind.require(.file, at: url, followsLinks: true)
            }
        }
        try save()
    }

    // MARK: To override

    /// Reads the file, and passes the nodes of its records to ``addCacheNodes(_:)``.
    ///
    /// A file that does not exist or is empty has no records. A subclass has to override the function; the base class
    /// stops the process.
    ///
    /// - Throws: An error of the subclass, which makes adding the store fail.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstore/load())
    open func load() throws { abstract("load()") }

    /// Writes all nodes and the metadata to the file.
    ///
    /// If the function throws, the nodes get back the values that they had before the save. A subclass has to override
    /// the function; the base class stops the process.
    ///
    /// - Throws: An error of the subclass, which makes the save fail.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstore/save())
    open func save() throws { abstract("save()") }

    /// Creates a node with the values of a new object.
    ///
    /// Nodes of other new objects may not exist yet. When all of them exist, the framework passes each new node to
    /// ``updateCacheNode(_:from:)``, too. A subclass has to override the function; the base class stops the process.
    ///
    /// - Parameter managedObject: The new object, with its permanent id.
    /// - Returns: The node. The framework keeps it; ``addCacheNodes(_:)`` is not necessary.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstore/newcachenode(for:))
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        abstract("newCacheNode(for:)")
    }

    /// Sets the values of a node to those of its object.
    ///
    /// ``cacheNode(for:)`` finds the nodes of related objects. A subclass has to override the function; the base class
    /// stops the process.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - managedObject: The object, which is new or changed.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstore/updatecachenode(_:from:))
    open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        abstract("updateCacheNode(_:from:)")
    }

    /// Returns the reference object of the record of a new object, which is unique among those of its entity.
    ///
    /// A subclass has to override the function; the base class stops the process.
    ///
    /// - Parameter managedObject: The new object.
    /// - Returns: A string, a number or a UUID. It stays the same as long as the record exists.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstore/newreferenceobject(for:))
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any { abstract("newReferenceObject(for:)") }

    /// Called before the nodes of deleted objects are removed. The base class does nothing.
    ///
    /// - Parameter cacheNodes: The nodes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstore/willremovecachenodes(_:))
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

    /// Reads the metadata of the file into ``metadata``, if there is a file and the class can read them.
    ///
    /// - Throws: An error of reading the metadata.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstore/loadmetadata())
    open override func loadMetadata() throws {
        guard let url, url.isFileURL, FileKind.size(at: url) > 0 else { return }
        do {
            metadata = try Swift.type(of: self).metadataForPersistentStore(with: url)
        } catch let error as NSError where error.code == NSPersistentStoreOperationError {
            // The class does not implement the reading of metadata without a store; `load()` may set them.
        }
    }

    // MARK: Nodes

    /// Returns all nodes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstore/cachenodes())
    open func cacheNodes() -> Set<NSAtomicStoreCacheNode> {
        stateLock.withLock { Set(nodes.values.flatMap(\.values)) }
    }

    /// Adds nodes. Call it while the store loads.
    ///
    /// - Parameter cacheNodes: The nodes. A node replaces another one with the same id.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstore/addcachenodes(_:))
    open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        stateLock.withLock {
            for node in cacheNodes {
                let key = node.objectID.objectKey
                nodes[key.layoutIndex, default: [:]][key.key] = node
            }
        }
    }

    /// Returns the node of a record.
    ///
    /// - Parameter objectID: The id of the record.
    /// - Returns: The node; nil if the store has none of that id.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstore/cachenode(for:))
    open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
        node(for: objectID.objectKey)
    }

    /// Returns the id of a record.
    ///
    /// - Parameters:
    ///   - entity: The entity of the record.
    ///   - data: The reference object: a string, a number or a UUID that is unique among the records of the entity.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstore/objectid(for:withreferenceobject:))
    open func objectID(for entity: NSEntityDescription, withReferenceObject data: Any) -> NSManagedObjectID {
        makeObjectID(entity, data)
    }

    /// Returns the reference object of the record with an id.
    ///
    /// - Parameter objectID: The id of a record of this store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstore/referenceobject(for:))
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { reference(of: objectID) }

    final func node(for key: ObjectKey) -> NSAtomicStoreCacheNode? {
        stateLock.withLock { nodes[key.layoutIndex]?[key.key] }
    }

    /// The nodes of some entities, in the order of their keys.
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

    /// The metadata of the store. An identifier among them becomes the identifier of the store.
    open override var metadata: [String: Any]! {
        get { super.metadata }
        set {
            super.metadata = Self.keeping(super.metadata, in: newValue)
            adoptIdentifier(of: newValue)
        }
    }
}
