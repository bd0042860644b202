import Foundation

// MARK: Store types

/// The type of a store in a SQLite file: `"SQLite"`.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nssqlitestoretype)
public let NSSQLiteStoreType = "SQLite"
/// The type of a store in memory: `"InMemory"`. Its content is gone when the store is removed.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsinmemorystoretype)
public let NSInMemoryStoreType = "InMemory"
/// The type of a store in one binary file that is read and written as a whole: `"Binary"`.
///
/// The format is OpenCoreData's own. A binary file of Apple's framework is error 259.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbinarystoretype)
public let NSBinaryStoreType = "Binary"
/// The type of a store in one XML file that is read and written as a whole: `"XML"`.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsxmlstoretype)
public let NSXMLStoreType = "XML"

extension NSPersistentStore {
    /// A type of store. Its raw value is the string constant, such as ``NSSQLiteStoreType``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstore/storetype)
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        /// The string constant of the type.
        public let rawValue: String

        /// Creates a type from its string constant. Use it for the types of custom stores.
        ///
        /// - Parameter rawValue: The string constant.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A store in a SQLite file.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// A store in a binary file that is read and written as a whole.
        public static let binary = StoreType(rawValue: NSBinaryStoreType)
        /// A store in memory.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
        /// A store in an XML file that is read and written as a whole.
        public static let xml = StoreType(rawValue: NSXMLStoreType)
    }
}

// MARK: Keys of a store's metadata

/// The key of a store's metadata for the type of the store: `String`.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsstoretypekey)
public let NSStoreTypeKey = "NSStoreType"
/// The key of a store's metadata for the UUID of the store: an upper-case `String`.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsstoreuuidkey)
public let NSStoreUUIDKey = "NSStoreUUID"
/// The key of a store's metadata for the version identifiers of the model: `[String]`.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsstoremodelversionidentifierskey)
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// The key of a store's metadata for the checksum of the model's version hashes: a `String` in base64.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoremodelversionchecksumkey)
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"
/// The key of a store's metadata for the oldest system that can open the store.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreoscompatibility)
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"

// MARK: Options

/// The option that opens the store for reading only (`Bool`).
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsreadonlypersistentstoreoption)
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// The option for the number of seconds to wait for a store that another process has locked. 240 seconds if it is
/// absent.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoretimeoutoption)
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// The option for SQLite pragmas: a dictionary from the name of a pragma to its value, both of them strings.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nssqlitepragmasoption)
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// The option that gathers statistics for the query planner when the store is added (`Bool`).
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nssqliteanalyzeoption)
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// The option that rebuilds the file without free pages when the store is added (`Bool`).
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nssqlitemanualvacuumoption)
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// The option that skips the comparison of the store's version hashes with those of the model (`Bool`).
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsignorepersistentstoreversioningoption)
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// The option that migrates a store which does not fit the model (`Bool`).
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigratepersistentstoresautomaticallyoption)
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// The option that infers a mapping model if a migration has none (`Bool`).
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsinfermappingmodelautomaticallyoption)
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// The option that destroys or replaces a store although another connection has it open (`Bool`).
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreforcedestroyoption)
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// The option with the protection of a store's files by the device (`FileProtectionType`). It has no effect here.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorefileprotectionkey)
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// The option that records persistent history (`Bool`).
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytrackingkey)
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// The option that posts a notification when any process writes the store (`Bool`).
///
/// The notification is `NSPersistentStoreRemoteChange`.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreremotechangenotificationpostoptionkey)
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
    "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// The option for the greatest number of connections with which a store in SQLite or PostgreSQL reads. 4 if it is
/// absent.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreconnectionpoolmaxsizekey)
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSizeKey"
/// The option of binary stores for reading old files without secure decoding (`Bool`). It has no effect here.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbinarystoreinsecuredecodingcompatibilityoption)
public let NSBinaryStoreInsecureDecodingCompatibilityOption = "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// The option of binary stores for the classes that may be decoded (`Set<AnyHashable>`). It has no effect here.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbinarystoresecuredecodingclasses)
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"

// MARK: Remote changes

extension Notification.Name {
    /// The notification that a process, which may be this one, has written a store of a coordinator.
    ///
    /// The object is the coordinator. It is posted for stores that were added with
    /// ``NSPersistentStoreRemoteChangeNotificationPostOptionKey``. Writes that follow each other within some
    /// milliseconds are one notification. The user info has the store's UUID (``NSStoreUUIDKey``) and its URL
    /// (``NSPersistentStoreURLKey``). If the store records history, it has the token of the newest transaction
    /// (``NSPersistentHistoryTokenKey``).
    ///
    /// The notification is posted on a queue of the framework.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct/nspersistentstoreremotechange)
    public static let NSPersistentStoreRemoteChange = Notification.Name("NSPersistentStoreRemoteChangeNotification")
}

/// The user-info key of the remote-change notification for the `URL` of the store.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreurlkey)
public let NSPersistentStoreURLKey = "storeURL"
/// The user-info key of the remote-change notification for the ``NSPersistentHistoryToken`` of the newest transaction.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytokenkey)
public let NSPersistentHistoryTokenKey = "historyToken"
