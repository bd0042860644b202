import Foundation

// MARK: Store types

/// The type of a store in a SQLite file: `"SQLite"`.
public let NSSQLiteStoreType = "SQLite"
/// The type of a store that lives in memory only: `"InMemory"`.
public let NSInMemoryStoreType = "InMemory"
/// The type of a store in one binary file that is read and written as a whole: `"Binary"`.
public let NSBinaryStoreType = "Binary"
/// The type of a store in one XML file that is read and written as a whole: `"XML"`.
public let NSXMLStoreType = "XML"

extension NSPersistentStore {
    /// A type of store; its raw value is the classic string constant (`NSSQLiteStoreType` …).
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        /// The classic string constant of the type.
        public let rawValue: String

        /// A type by its string constant; types of custom stores are made this way.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A SQLite file.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// A binary file that is read and written as a whole.
        public static let binary = StoreType(rawValue: NSBinaryStoreType)
        /// Memory only.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
        /// An XML file that is read and written as a whole.
        public static let xml = StoreType(rawValue: NSXMLStoreType)
    }
}

// MARK: Keys of a store's metadata

/// Metadata: the type of the store, `String`.
public let NSStoreTypeKey = "NSStoreType"
/// Metadata: the UUID of the store, upper-case `String`.
public let NSStoreUUIDKey = "NSStoreUUID"
/// Metadata: the version identifiers of the model, `[String]`.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// Metadata: the checksum of the model's version hashes, base64 `String`.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"
/// Metadata: the oldest system that can open the store.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"

// MARK: Options

/// Option: open the store for reading only (`Bool`).
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Option: how many seconds to wait for a store that somebody else has locked (number; 240 when absent).
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// Option: SQLite pragmas, `[name: value]` of strings.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Option: gather statistics for the query planner when the store is added (`Bool`).
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Option: rebuild the file without free pages when the store is added (`Bool`).
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Option: skip the comparison of the store's version hashes with the model's (`Bool`).
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Option: migrate the store when it does not fit the model (`Bool`).
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// Option: infer a mapping model when a migration has none (`Bool`).
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Option of destroying and replacing: go on although the store is locked by somebody else (`Bool`).
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// Option: keep persistent history (`Bool`).
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// Option: post a notification when any process writes the store (`Bool`).
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
    "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// Option: how many connections a store in SQLite or PostgreSQL reads with at most (number; 4 when absent).
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSizeKey"
/// Option of binary stores on a Mac: read files of old versions without secure decoding (`Bool`). Has no effect here.
public let NSBinaryStoreInsecureDecodingCompatibilityOption = "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Option of binary stores on a Mac: the classes that may be decoded (`Set<AnyHashable>`). Has no effect here.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"

// MARK: Remote changes

extension Notification.Name {
    /// Somebody (this process too) has written a store of a coordinator (the object) that was added with
    /// `NSPersistentStoreRemoteChangeNotificationPostOptionKey`. Posted on a queue of the framework's; the user info
    /// holds the store's UUID (`NSStoreUUIDKey`), its URL and, where it keeps history, the token of the newest
    /// transaction.
    public static let NSPersistentStoreRemoteChange = Notification.Name("NSPersistentStoreRemoteChangeNotification")
}

/// User-info key of the remote-change notification: the store's `URL`.
public let NSPersistentStoreURLKey = "storeURL"
/// User-info key of the remote-change notification: the `NSPersistentHistoryToken` of the newest transaction.
public let NSPersistentHistoryTokenKey = "historyToken"
