import Foundation

/// Describes how a container or a coordinator opens one store.
///
/// Automatic and inferred migration are on in a new description. Do not change a description while it is being used to
/// open a store.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoredescription)
open class NSPersistentStoreDescription: NSObject, NSCopying {
    private var storedOptions: [String: NSObject] = [:]
    private var pragmas: [String: NSObject] = [:]

    /// The type of the store. A new description takes it from the URL's scheme: SQLite for a file.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoredescription/type)
    open var type: String = NSSQLiteStoreType
    /// The configuration of the model that the store holds; nil for all entities.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoredescription/configuration)
    open var configuration: String?
    /// The URL of the store; `/dev/null`, which is in memory, unless set.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoredescription/url)
    open var url: URL? = URL(fileURLWithPath: "/dev/null")
    /// Whether the store is opened in the background; false unless set.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoredescription/shouldaddstoreasynchronously)
    open var shouldAddStoreAsynchronously = false

    /// Creates a description of the store at a URL.
    ///
    /// - Parameter url: The URL of a SQLite store, or one with the scheme of a product, such as a database's.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoredescription/init(url:))
    public init(url: URL) {
        super.init()
        self.url = url
        type = StoreEngines.type(of: url)
        shouldMigrateStoreAutomatically = true
        shouldInferMappingModelAutomatically = true
    }

    /// Creates a description of a SQLite store at `/dev/null`, which is in memory.
    public override convenience init() {
        self.init(url: URL(fileURLWithPath: "/dev/null"))
    }

    /// The options with which the store will be added, including the pragmas.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoredescription/options)
    open var options: [String: NSObject] {
        var all = storedOptions
        // A value that is no dictionary stays, so that adding the store throws an error for it.
        if all[NSSQLitePragmasOption] == nil, !pragmas.isEmpty { all[NSSQLitePragmasOption] = pragmas as NSDictionary }
        return all
    }

    var openingOptions: [AnyHashable: Any] {
        Dictionary(uniqueKeysWithValues: options.map { (AnyHashable($0), $1 as Any) })
    }

    /// Sets or removes an option.
    ///
    /// For `NSSQLitePragmasOption` the dictionary replaces all pragmas, and nil removes them. With a value of another
    /// type adding the store fails with `NSPersistentStoreOpenError` (134080).
    ///
    /// - Parameters:
    ///   - option: The value, or nil to remove the option.
    ///   - key: The option.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoredescription/setoption(_:forkey:))
    open func setOption(_ option: NSObject?, forKey key: String) {
        if key == NSSQLitePragmasOption {
            let given = (option as? NSDictionary) as? [String: NSObject]
            pragmas = given ?? [:]
            storedOptions[key] = given == nil ? option : nil
        } else {
            storedOptions[key] = option
        }
    }

    /// Whether the store is opened read-only; false unless set.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoredescription/isreadonly)
    open var isReadOnly: Bool {
        get { (storedOptions[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue ?? false }
        set { storedOptions[NSReadOnlyPersistentStoreOption] = NSNumber(value: newValue) }
    }

    /// The number of seconds to wait for a store that another program holds; 240 unless set.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoredescription/timeout)
    open var timeout: TimeInterval {
        get { (storedOptions[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
        set { storedOptions[NSPersistentStoreTimeoutOption] = NSNumber(value: newValue) }
    }

    /// The SQLite pragmas for the store, by name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoredescription/sqlitepragmas)
    open var sqlitePragmas: [String: NSObject] { pragmas }

    /// Sets or removes a SQLite pragma.
    ///
    /// - Parameters:
    ///   - value: The value, or nil to remove the pragma.
    ///   - name: The name of the pragma.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoredescription/setvalue(_:forpragmanamed:))
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) { pragmas[name] = value }

    /// Whether a store of another version of the model is migrated when it is opened; true unless set.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoredescription/shouldmigratestoreautomatically)
    open var shouldMigrateStoreAutomatically: Bool {
        get { (storedOptions[NSMigratePersistentStoresAutomaticallyOption] as? NSNumber)?.boolValue ?? false }
        set { storedOptions[NSMigratePersistentStoresAutomaticallyOption] = NSNumber(value: newValue) }
    }

    /// Whether a migration may be inferred from the two models; true unless set.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoredescription/shouldinfermappingmodelautomatically)
    open var shouldInferMappingModelAutomatically: Bool {
        get { (storedOptions[NSInferMappingModelAutomaticallyOption] as? NSNumber)?.boolValue ?? false }
        set { storedOptions[NSInferMappingModelAutomaticallyOption] = NSNumber(value: newValue) }
    }

    /// Returns an independent copy of the description.
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

    /// Returns an independent copy of the description.
    open override func copy() -> Any { copy(with: nil) }

    /// Describes the type and the URL, without a password.
    open override var description: String {
        "<NSPersistentStoreDescription> (type: \(type), url: \(url?.shown.absoluteString ?? "nil"))"
    }
}
