import Foundation

/// A store of a coordinator, in which objects are kept.
///
/// A coordinator makes and owns its stores. Any thread may read and set the properties. To write a store of your own,
/// derive it from ``NSAtomicStore`` or ``NSIncrementalStore``.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstore)
open class NSPersistentStore: NSObject, @unchecked Sendable {  // mutable state is guarded by `lock`
    private let lock = NSLock()
    private var storedURL: URL?
    private var storedIdentifier: String
    private var storedIsReadOnly: Bool
    private var storedMetadata: [String: Any]
    private final var coordinatorReference: ZeroingReference<NSPersistentStoreCoordinator>?
    private final var storedCoordinator: NSPersistentStoreCoordinator? {
        get { coordinatorReference?.object }
        set { coordinatorReference = newValue.map { ZeroingReference($0) } }
    }

    /// The name of the model's configuration whose entities the store holds; `"PF_DEFAULT_CONFIGURATION_NAME"` for all.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstore/configurationname)
    @exclusivity(unchecked) open private(set) var configurationName: String

    /// The options with which the store was added.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstore/options)
    open private(set) var options: [AnyHashable: Any]?

    /// The reference objects of the records, if this is a custom store; otherwise nil.
    var references: ReferenceTable? { nil }
    private var storedReferences: ReferenceTable?
    /// Whether the store is one file that is read and written completely.
    var isWholeFile: Bool { false }
    /// Writes the file of such a store.
    func saveFile() throws {}
    /// Whether the content of the store is kept when the store is closed.
    var isDurable: Bool { true }
    /// Whether objects are evaluated one by one if a predicate or an order has no translation into the store's
    /// language.
    var decidesByObject: Bool { false }
    /// The store as one that can hold one transaction from its opening on; nil if it cannot.
    var heldTransaction: (any HeldTransactionStore)? { nil }
    /// Counts the rows that a migration writes. Set before the first row, and never again.
    final var rowCounters: RowCounters?
    /// The type that the class was registered for.
    private var registeredType = ""

    #if DEBUG
    private let liveEntry = LiveAccount.Entry(.store)
    #endif

    /// Entries of a store's metadata about its past: the versions that it has left, and the passes that filled it. They
    /// stay if a program sets its own metadata.
    static let lastingKeys = [VersionRecord.metadataKey, passesKey]

    /// The metadata key for the passes of migrations that filled the store.
    static let passesKey = "OpenCoreDataMigrationPasses"

    /// Further entries that the framework writes into metadata. They stay, too, if a program's own metadata lack them.
    /// Without the version hashes a model of any other version could open the store.
    static let describingKeys = [
        NSStoreTypeKey, NSStoreUUIDKey, NSStoreModelVersionHashesKey, NSStoreModelVersionIdentifiersKey,
        StoredVersion.notesKey,
    ]

    /// A program's new metadata, completed by those of the framework's present entries that they lack.
    static func keeping(_ present: [String: Any]?, in metadata: [String: Any]?) -> [String: Any] {
        let keys = Set(describingKeys + lastingKeys)
        return (present ?? [:]).filter { keys.contains($0.key) }.merging(metadata ?? [:]) { _, new in new }
    }

    /// Creates a store for a coordinator. The coordinator calls the initialiser; overrides call `super`.
    ///
    /// - Parameters:
    ///   - root: The coordinator; it is not retained.
    ///   - name: The name of a configuration; nil stands for all entities.
    ///   - url: The address of the store.
    ///   - options: The options with which the store is added.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstore/init(persistentstorecoordinator:configurationname:at:options:))
    public init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        configurationName = name ?? NSManagedObjectModel.defaultConfigurationName
        self.options = options
        storedURL = url
        storedIsReadOnly = StoreOptions.bool(options, NSReadOnlyPersistentStoreOption) ?? false
        storedIdentifier = UUID().uuidString
        storedMetadata = [:]
        coordinatorReference = root.map { ZeroingReference($0) }
        super.init()
    }

    init(configurationName: String?, at url: URL?, options: [AnyHashable: Any]?) {
        self.configurationName = configurationName ?? NSManagedObjectModel.defaultConfigurationName
        self.options = options
        storedURL = url
        storedIsReadOnly = StoreOptions.bool(options, NSReadOnlyPersistentStoreOption) ?? false
        storedIdentifier = UUID().uuidString
        storedMetadata = [:]
        super.init()
    }

    /// The coordinator that the store belongs to; nil after the store is removed.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstore/persistentstorecoordinator)
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        lock.withLock { storedCoordinator }
    }

    /// Called when the store has been added to a coordinator. Overrides call `super`.
    ///
    /// - Parameter coordinator: The coordinator.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstore/didadd(to:))
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {
        lock.withLock { storedCoordinator = coordinator }
    }

    /// Called before the store is removed from its coordinator. Overrides call `super`.
    ///
    /// - Parameter coordinator: The coordinator.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstore/willremove(from:))
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
        lock.withLock { storedCoordinator = nil }
    }

    /// The type of the store, such as ``NSSQLiteStoreType``. For a custom store it is the type that its class is
    /// registered for.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstore/type)
    open var type: String { lock.withLock { registeredType } }

    final func setRegisteredType(_ type: String) { lock.withLock { registeredType = type } }

    /// The address of the store.
    ///
    /// The URL of a store in PostgreSQL has no password.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstore/url)
    open var url: URL? {
        get { lock.withLock { storedURL } }
        set { lock.withLock { storedURL = newValue } }
    }

    /// The unique identifier of the store. It is the host in the URIs of its objects. Setting nil changes nothing.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstore/identifier)
    open var identifier: String! {
        get { lock.withLock { storedIdentifier } }
        set { lock.withLock { storedIdentifier = newValue ?? storedIdentifier } }
    }

    /// The reference table that all stores with this store's identifier share. It is created at the first access.
    final var sharedReferences: ReferenceTable {
        lock.withLock {
            if let storedReferences { return storedReferences }
            let table = ReferenceTable.shared(identifier: storedIdentifier)
            storedReferences = table
            return table
        }
    }

    /// Sets the identifier to the one in metadata, if there is one.
    final func adoptIdentifier(of metadata: [String: Any]?) {
        if let identifier = metadata?[NSStoreUUIDKey] as? String { self.identifier = identifier }
    }

    /// Whether saves of the store fail. ``NSReadOnlyPersistentStoreOption`` sets it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstore/isreadonly)
    open var isReadOnly: Bool {
        get { lock.withLock { storedIsReadOnly } }
        set { lock.withLock { storedIsReadOnly = newValue } }
    }

    /// The metadata of the store: its description (``NSStoreTypeKey``, ``NSStoreUUIDKey``, version hashes), and entries
    /// of the program.
    ///
    /// New entries reach the file with the next save.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstore/metadata)
    open var metadata: [String: Any]! {
        get { lock.withLock { storedMetadata } }
        set { lock.withLock { storedMetadata = newValue ?? [:] } }
    }

    /// Reads the metadata of the store. Custom stores override it and set ``metadata``. The base class does nothing.
    ///
    /// - Throws: The error of an override, which makes adding the store fail.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstore/loadmetadata())
    open func loadMetadata() throws {}

    /// Reads the metadata of a store without adding it to a coordinator. Custom stores override it.
    ///
    /// - Parameter url: The address of the store.
    /// - Returns: The metadata.
    /// - Throws: `NSPersistentStoreOperationError` (134070), unless a subclass overrides it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstore/metadataforpersistentstore(with:))
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw NSError.coreData(
            NSPersistentStoreOperationError, reason: "Stores of the class \(self) keep no metadata of their own.",
            url: url)
    }

    /// Writes the metadata of a store without adding it to a coordinator. Custom stores override it.
    ///
    /// - Parameters:
    ///   - metadata: The new metadata.
    ///   - url: The address of the store.
    /// - Throws: `NSPersistentStoreOperationError` (134070), unless a subclass overrides it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstore/setmetadata(_:forpersistentstoreat:))
    open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        throw NSError.coreData(
            NSPersistentStoreOperationError, reason: "Stores of the class \(self) keep no metadata of their own.",
            url: url)
    }

    /// The class of the manager that migrates stores of this kind when they are added to a coordinator.
    ///
    /// - Returns: ``NSMigrationManager``, or a subclass of it if a subclass of the store overrides this function.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstore/migrationmanagerclass())
    open class func migrationManagerClass() -> AnyClass { NSMigrationManager.self }

    /// The class, the type and the address of the store.
    open override var description: String {
        "<\(Swift.type(of: self)): \(type)> (URL: \(url?.shown.absoluteString ?? "(null)"))"
    }
}

/// Reads the options that a store is added with: dictionaries of any values, with numbers as `NSNumber`, as Swift
/// numbers or as strings.
enum StoreOptions {
    static func bool(_ options: [AnyHashable: Any]?, _ key: String) -> Bool? {
        switch options?[key] {
        case let value as Bool: value
        case let value as NSNumber: value.boolValue
        case let value as String: ["1", "yes", "true"].contains(value.lowercased())
        default: nil
        }
    }

    /// Whether an option is set and not false. Some options take a dictionary of details instead of true.
    static func isOn(_ options: [AnyHashable: Any]?, _ key: String) -> Bool {
        guard let value = options?[key], !(value is NSNull) else { return false }
        return bool(options, key) ?? (value is NSDictionary || value is [AnyHashable: Any])
    }

    /// The seconds to wait for other users of the store.
    static func timeout(_ options: [AnyHashable: Any]?) -> TimeInterval {
        number(options, NSPersistentStoreTimeoutOption) ?? 240
    }

    static func number(_ options: [AnyHashable: Any]?, _ key: String) -> Double? {
        switch options?[key] {
        case let value as Double: value
        case let value as Int: Double(value)
        case let value as NSNumber: value.doubleValue
        case let value as String: Double(value)
        default: nil
        }
    }
}

extension NSError {
    /// The error of a save to a store that was opened read-only.
    static func readOnlyStore(_ store: NSPersistentStore) -> NSError {
        .coreData(
            CocoaError.Code.fileWriteNoPermission.rawValue,
            reason: "The store “\(store.url?.lastPathComponent ?? "")” was opened read-only and cannot be saved.",
            url: store.url)
    }
}
