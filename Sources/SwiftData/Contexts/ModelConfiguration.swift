import CoreData
import Foundation

/// What a container can open as a store.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/datastoreconfiguration)
public struct ModelConfiguration: Hashable, Identifiable, Sendable, CustomDebugStringConvertible {
    /// The name; `default` unless given.
    public let name: String
    /// The classes of the store; nil for all of the container.
    public let schema: Schema?
    /// The place of the store.
    public let url: URL
    /// Whether the store may be written.
    public let allowsSave: Bool
    /// Whether the store is in memory.
    public let isStoredInMemoryOnly: Bool
    /// The folder in place of a shared container.
    public let groupContainer: GroupContainer
    /// The name of that folder.
    public let groupAppContainerIdentifier: String?
    /// Accepted and without effect: there is no CloudKit.
    public let cloudKitDatabase: CloudKitDatabase
    /// Nil: there is no CloudKit.
    public let cloudKitContainerIdentifier: String?
    /// The values that a migration of the store may lose, where losses have to be named: `"Entity"` for models,
    /// `"Entity.property"` for the values of a property. An error of a refused migration lists them.
    ///
    /// OpenCoreData only.
    public var allowedLosses: Set<String> = []
    /// What the container does with a store whose version is none of its migration plan's.
    ///
    /// OpenCoreData only.
    public var unknownVersions = UnknownVersions.refuse
    private let identity: UUID

    /// Creates the configuration of a store in the folder of the program's data, or in memory.
    ///
    /// - Parameters:
    ///   - name: The name, which is that of the file.
    ///   - schema: The classes of the store; nil for all of the container.
    ///   - isStoredInMemoryOnly: Whether the store is in memory.
    ///   - allowsSave: Whether the store may be written.
    ///   - groupContainer: A folder in place of a shared container.
    ///   - cloudKitDatabase: Accepted and without effect.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelconfiguration/init(_:schema:isstoredinmemoryonly:allowssave:groupcontainer:cloudkitdatabase:))
    public init(
        _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
        groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
    ) {
        var folder = NSPersistentContainer.defaultDirectoryURL()
        if let group = groupContainer.identifier { folder = folder.appendingPathComponent(group, isDirectory: true) }
        let file = folder.appendingPathComponent("\(name ?? "default").store", isDirectory: false)
        self.init(
            named: name, schema: schema, at: isStoredInMemoryOnly ? URL(fileURLWithPath: "/dev/null") : file,
            allowsSave: allowsSave, ignoring: (groupContainer, cloudKitDatabase))
    }

    /// Creates the configuration of a store at a place.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - schema: The classes of the store; nil for all of the container.
    ///   - url: The place. `/dev/null` is in memory, and a `postgresql:` address a database.
    ///   - allowsSave: Whether the store may be written.
    ///   - cloudKitDatabase: Accepted and without effect.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelconfiguration/init(_:schema:url:allowssave:cloudkitdatabase:))
    public init(
        _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
        cloudKitDatabase: CloudKitDatabase = .automatic
    ) {
        self.init(
            named: name, schema: schema, at: url, allowsSave: allowsSave, ignoring: (.automatic, cloudKitDatabase))
    }

    /// Creates a configuration of the default store.
    ///
    /// - Parameter isStoredInMemoryOnly: Whether the store is in memory.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelconfiguration/init(isstoredinmemoryonly:))
    public init(isStoredInMemoryOnly: Bool) {
        self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    /// Creates a configuration of the default store with some classes.
    ///
    /// - Parameters:
    ///   - forTypes: The classes.
    ///   - isStoredInMemoryOnly: Whether the store is in memory.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelconfiguration/init(for:isstoredinmemoryonly:))
    @_disfavoredOverload
    public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool) {
        self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    private init(
        named name: String?, schema: Schema?, at url: URL, allowsSave: Bool,
        ignoring ignored: (GroupContainer, CloudKitDatabase)
    ) {
        self.name = name ?? "default"
        self.schema = schema
        self.url = url
        self.allowsSave = allowsSave
        isStoredInMemoryOnly = url.isFileURL && url.path == "/dev/null"
        (groupContainer, cloudKitDatabase) = ignored
        groupAppContainerIdentifier = groupContainer.identifier
        cloudKitContainerIdentifier = nil
        identity = UUID()
        cloudKitDatabase.sayThatThereIsNone()
    }

    /// The identity of the configuration.
    public var id: UUID { identity }

    /// The name and the place.
    public var debugDescription: String { "ModelConfiguration(\(name), \(url))" }

    /// A folder in place of a shared container.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelconfiguration/groupcontainer-swift.struct)
    public struct GroupContainer: Hashable, Sendable {
        let identifier: String?
        /// The program's own folder.
        public static var automatic: GroupContainer { GroupContainer(identifier: nil) }
        /// The program's own folder.
        public static var none: GroupContainer { GroupContainer(identifier: nil) }
        /// The folder of a name.
        ///
        /// - Parameter groupName: The name.
        /// - Returns: The folder.
        public static func identifier(_ groupName: String) -> GroupContainer { GroupContainer(identifier: groupName) }
    }

    /// A database of CloudKit, which is accepted and without effect.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelconfiguration/cloudkitdatabase-swift.struct)
    public struct CloudKitDatabase: Hashable, Sendable {
        private let name: String?
        /// None.
        public static var automatic: CloudKitDatabase { CloudKitDatabase(name: nil) }
        /// None.
        public static var none: CloudKitDatabase { CloudKitDatabase(name: nil) }
        /// The private database of a name. It has no effect, and standard error gets a line.
        ///
        /// - Parameter privateDBName: The name.
        /// - Returns: The database.
        public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
            CloudKitDatabase(name: privateDBName)
        }

        private static let saidSo = Locked(false)

        func sayThatThereIsNone() {
            guard let name,
                Self.saidSo.withLock({ said in
                    defer { said = true }; return !said
                })
            else { return }
            let line = "SwiftData: warning: there is no CloudKit here; the database '\(name)' is not synchronised.\n"
            FileHandle.standardError.write(Data(line.utf8))
        }
    }
}
