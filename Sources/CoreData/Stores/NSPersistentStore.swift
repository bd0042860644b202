import Foundation

/// A store of a coordinator: where objects are kept.
///
/// A store is made and owned by its coordinator. Its properties may be read from any thread.
open class NSPersistentStore: NSObject, @unchecked Sendable {  // mutable state is guarded by `lock`
    private let lock = NSLock()
    private var storedURL: URL?
    private var storedIdentifier: String
    private var storedIsReadOnly: Bool
    private var storedMetadata: [String: Any]
    private weak var storedCoordinator: NSPersistentStoreCoordinator?

    /// The name of the model's configuration whose entities the store holds; `"PF_DEFAULT_CONFIGURATION_NAME"` for all.
    open private(set) var configurationName: String

    /// The options the store was added with.
    open private(set) var options: [AnyHashable: Any]?

    /// The names of its records, where the store is a program's own.
    var references: ReferenceTable? { nil }
    private var storedReferences: ReferenceTable?
    /// Whether the store is one file that is read and written as a whole.
    var isWholeFile: Bool { false }
    /// Writes that file.
    func saveFile() throws {}
    /// Whether what the store holds outlives its being closed.
    var isDurable: Bool { true }
    /// Whether objects are judged one by one where a predicate or an order has no words in the store's language.
    var decidesByObject: Bool { false }
    /// The store as one that can hold one transaction from its opening on; nil where it cannot.
    var heldTransaction: (any HeldTransactionStore)? { nil }
    /// Counts the rows that a migration writes. Set before the first, and never again.
    final var rowTally: RowTally?
    /// The type that the class was registered for.
    private var registeredType = ""

    #if DEBUG
        private let liveEntry = LiveAccount.Entry(.store)
    #endif

    /// What a store's metadata note about its past stays when a program sets its own: the versions that it has left,
    /// and the passes that filled it.
    static let lastingKeys = [VersionRecord.metadataKey, passesKey]

    /// Under it metadata note the passes of migrations that filled the store.
    static let passesKey = "OpenCoreDataMigrationPasses"

    /// What the framework writes into metadata besides: it stays, too, where a program's own leave it out. Without the
    /// version hashes a model of any other version could open the store.
    static let describingKeys = [
        NSStoreTypeKey, NSStoreUUIDKey, NSStoreModelVersionHashesKey, NSStoreModelVersionIdentifiersKey,
        StoredVersion.notesKey,
    ]

    /// A program's new metadata, with what the framework has put into the present ones and they leave out.
    static func keeping(_ present: [String: Any]?, in metadata: [String: Any]?) -> [String: Any] {
        let keys = Set(describingKeys + lastingKeys)
        return (present ?? [:]).filter { keys.contains($0.key) }.merging(metadata ?? [:]) { _, new in new }
    }

    /// Called by the coordinator that the store is added to; subclasses that override it call `super`.
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
        storedCoordinator = root
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

    /// The coordinator the store belongs to; nil after it is removed.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        lock.withLock { storedCoordinator }
    }

    /// The store was added to a coordinator. Subclasses that override it call `super`.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {
        lock.withLock { storedCoordinator = coordinator }
    }

    /// The store is about to be removed from its coordinator. Subclasses that override it call `super`.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
        lock.withLock { storedCoordinator = nil }
    }

    /// The type of the store: one of the store type constants, or the one that a custom store's class is registered
    /// for.
    open var type: String { lock.withLock { registeredType } }

    final func setRegisteredType(_ type: String) { lock.withLock { registeredType = type } }

    /// Where the store lies.
    open var url: URL? {
        get { lock.withLock { storedURL } }
        set { lock.withLock { storedURL = newValue } }
    }

    /// The unique identifier of the store: the host of its objects' URIs.
    open var identifier: String! {
        get { lock.withLock { storedIdentifier } }
        set { lock.withLock { storedIdentifier = newValue ?? storedIdentifier } }
    }

    /// The names of records that all stores with this store's identifier share, from the first time it is asked for.
    final var sharedReferences: ReferenceTable {
        lock.withLock {
            if let storedReferences { return storedReferences }
            let table = ReferenceTable.shared(identifier: storedIdentifier)
            storedReferences = table
            return table
        }
    }

    /// Takes the identifier over that metadata name.
    final func adoptIdentifier(of metadata: [String: Any]?) {
        if let identifier = metadata?[NSStoreUUIDKey] as? String { self.identifier = identifier }
    }

    /// Whether the store refuses to be written.
    open var isReadOnly: Bool {
        get { lock.withLock { storedIsReadOnly } }
        set { lock.withLock { storedIsReadOnly = newValue } }
    }

    /// The store's metadata: what describes it (`NSStoreTypeKey`, `NSStoreUUIDKey`, version hashes) and what the
    /// program put beside it. New values reach the file with the next save.
    open var metadata: [String: Any]! {
        get { lock.withLock { storedMetadata } }
        set { lock.withLock { storedMetadata = newValue ?? [:] } }
    }

    /// Reads the metadata of the store. Custom stores override it and set `metadata`.
    open func loadMetadata() throws {}

    /// The metadata of the store at an address, without adding it to a coordinator. Custom stores override it.
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw NSError.coreData(
            NSPersistentStoreOperationError, reason: "Stores of the class \(self) keep no metadata of their own.",
            url: url)
    }

    /// Sets the metadata of the store at an address, without adding it to a coordinator. Custom stores override it.
    open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        throw NSError.coreData(
            NSPersistentStoreOperationError, reason: "Stores of the class \(self) keep no metadata of their own.",
            url: url)
    }

    /// The class of the manager that migrates stores of this kind when they are added to a coordinator:
    /// `NSMigrationManager` or a subclass of it.
    open class func migrationManagerClass() -> AnyClass { NSMigrationManager.self }

    open override var description: String {
        "<\(Swift.type(of: self)): \(type)> (URL: \(url?.shown.absoluteString ?? "(null)"))"
    }
}

/// Reading of the options a store is added with: dictionaries of anything, where numbers come as `NSNumber`, as Swift
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

    /// Whether an option is there and not false: some take a dictionary of details instead of true.
    static func isOn(_ options: [AnyHashable: Any]?, _ key: String) -> Bool {
        guard let value = options?[key], !(value is NSNull) else { return false }
        return bool(options, key) ?? (value is NSDictionary || value is [AnyHashable: Any])
    }

    /// How many seconds to wait for others who use the store.
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
    /// A save to a store that was opened for reading only.
    static func readOnlyStore(_ store: NSPersistentStore) -> NSError {
        .coreData(
            CocoaError.Code.fileWriteNoPermission.rawValue,
            reason: "The store “\(store.url?.lastPathComponent ?? "")” was opened read-only and cannot be saved.",
            url: store.url)
    }
}
