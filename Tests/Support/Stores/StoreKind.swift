import CoreData

/// The kinds of stores that the suites run over: the framework's own two, and one of each base class as a program would
/// write it.
public enum StoreKind: String, CaseIterable, Sendable {
    case sqlite
    case inMemory
    case atomic
    case incremental

    /// The store type to add; the classes of the custom ones are registered on first use.
    public var type: String {
        switch self {
        case .sqlite: return NSSQLiteStoreType
        case .inMemory: return NSInMemoryStoreType
        case .atomic, .incremental:
            Self.registration
            return self == .atomic ? PropertyListStore.storeType : ServiceStore.storeType
        }
    }

    private static let registration: Void = {
        NSPersistentStoreCoordinator.registerStoreClass(
            PropertyListStore.self, forStoreType: PropertyListStore.storeType)
        NSPersistentStoreCoordinator.registerStoreClass(
            ServiceStore.self, type: NSPersistentStore.StoreType(rawValue: ServiceStore.storeType))
    }()

    /// Whether the store is the framework's own, in rows of tables.
    public var hasTables: Bool { self == .sqlite || self == .inMemory }

    /// Whether what was saved is there when the store is opened again.
    public var keepsRecords: Bool { self != .inMemory }

    /// Where a store in a folder lies.
    public func url(in folder: URL) -> URL? {
        switch self {
        case .sqlite: folder.appendingPathComponent("Library.sqlite")
        case .inMemory: nil
        case .atomic: folder.appendingPathComponent("Library.plist")
        case .incremental: URL(string: "records://\(folder.lastPathComponent)")
        }
    }
}
