import Foundation

/// How a container is to open one store.
///
/// Migration is on by default (`shouldMigrateStoreAutomatically`, `shouldInferMappingModelAutomatically`). Not safe to
/// change while a container loads it.
open class NSPersistentStoreDescription: NSObject, NSCopying {
    private var storedOptions: [String: NSObject] = [:]
    private var pragmas: [String: NSObject] = [:]

    /// The type of the store; SQLite unless set otherwise.
    open var type: String = NSSQLiteStoreType
    /// The configuration of the model the store holds; nil for all entities.
    open var configuration: String?
    /// Where the store lies; `/dev/null`, in memory, unless set otherwise.
    open var url: URL? = URL(fileURLWithPath: "/dev/null")
    /// Whether the store is opened in the background; `loadPersistentStores` then returns at once.
    open var shouldAddStoreAsynchronously = false

    /// Describes the store at an address: a SQLite store, or that of a product whose scheme the URL has.
    public init(url: URL) {
        super.init()
        self.url = url
        type = StoreEngines.type(of: url)
        shouldMigrateStoreAutomatically = true
        shouldInferMappingModelAutomatically = true
    }

    /// Describes a SQLite store at `/dev/null`: one in memory.
    public override convenience init() {
        self.init(url: URL(fileURLWithPath: "/dev/null"))
    }

    /// The options the store will be added with.
    open var options: [String: NSObject] {
        var all = storedOptions
        if !pragmas.isEmpty { all[NSSQLitePragmasOption] = pragmas as NSDictionary }
        return all
    }

    var openingOptions: [AnyHashable: Any] {
        Dictionary(uniqueKeysWithValues: options.map { (AnyHashable($0), $1 as Any) })
    }

    /// Sets an option, or removes it with nil.
    open func setOption(_ option: NSObject?, forKey key: String) {
        if key == NSSQLitePragmasOption {
            pragmas = (option as? NSDictionary) as? [String: NSObject] ?? [:]
        } else {
            storedOptions[key] = option
        }
    }

    /// Whether the store is opened without permission to change it.
    open var isReadOnly: Bool {
        get { (storedOptions[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue ?? false }
        set { storedOptions[NSReadOnlyPersistentStoreOption] = NSNumber(value: newValue) }
    }

    /// Seconds to wait for a store that somebody else holds; 240 unless set otherwise.
    open var timeout: TimeInterval {
        get { (storedOptions[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
        set { storedOptions[NSPersistentStoreTimeoutOption] = NSNumber(value: newValue) }
    }

    /// SQLite pragmas to be set on the store, by name.
    open var sqlitePragmas: [String: NSObject] { pragmas }

    /// Sets a SQLite pragma, or removes it with nil.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) { pragmas[name] = value }

    /// Whether a store of another version of the model is migrated when it is opened; true unless set otherwise.
    open var shouldMigrateStoreAutomatically: Bool {
        get { (storedOptions[NSMigratePersistentStoresAutomaticallyOption] as? NSNumber)?.boolValue ?? false }
        set { storedOptions[NSMigratePersistentStoresAutomaticallyOption] = NSNumber(value: newValue) }
    }

    /// Whether the migration may be inferred from the two models; true unless set otherwise.
    open var shouldInferMappingModelAutomatically: Bool {
        get { (storedOptions[NSInferMappingModelAutomaticallyOption] as? NSNumber)?.boolValue ?? false }
        set { storedOptions[NSInferMappingModelAutomaticallyOption] = NSNumber(value: newValue) }
    }

    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreDescription()
        copy.type = type
        copy.configuration = configuration
        copy.url = url
        copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
        copy.storedOptions = storedOptions
        copy.pragmas = pragmas
        return copy
    }

    open override func copy() -> Any { copy(with: nil) }

    open override var description: String {
        "<NSPersistentStoreDescription> (type: \(type), url: \(url?.shown.absoluteString ?? "nil"))"
    }
}
