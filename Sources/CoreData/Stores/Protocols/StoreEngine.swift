import Foundation

/// The code for the framework's stores of some types, which is found by the type's name. An engine works with a store
/// before it is open, or without opening it.
package protocol StoreEngine: Sendable {
    /// The forms of its stores, by their types, and the common class of the stores.
    var forms: [String: StoreForm] { get }
    var storeClass: NSPersistentStore.Type { get }

    /// Opens a store as it is, or creates it if there is none.
    ///
    /// - Parameter other: a store whose content is copied into a new store in memory.
    func open(_ opening: StoreOpening, copying other: NSPersistentStore?) throws -> any NSPersistentStore & RowStore

    /// The metadata of the store at an address. Changes nothing.
    func metadata(at url: URL, timeout: TimeInterval) throws -> [String: Any]
    /// Replaces the program's part of the metadata of the store at an address.
    func setMetadata(_ metadata: [String: Any], at url: URL, timeout: TimeInterval) throws
    /// The model that the store was last opened with; nil if it keeps none.
    func cachedModel(at url: URL, timeout: TimeInterval) throws -> NSManagedObjectModel?

    /// Destroys the store at an address, and leaves a store without tables.
    func destroy(at place: StorePlace, _ url: URL, timeout: TimeInterval, force: Bool) throws
    /// Puts a copy of a store in the place of a file. `timeout` is the time to wait for the source, `waiting` the time
    /// to wait for users that have the file open.
    func replace(
        fileAt url: URL, with source: StorePlace, _ sourceURL: URL, timeout: TimeInterval, waiting: TimeInterval,
        force: Bool
    ) throws

    /// Copies the readable content of a damaged store into a new one.
    func salvage(
        _ url: URL, into newURL: URL, model: NSManagedObjectModel?, options: [AnyHashable: Any]?
    ) throws -> StoreSalvageReport

    /// Whether an open store belongs to this engine and can be copied as it is.
    func owns(_ store: NSPersistentStore) -> Bool
    /// Copies an open store to an address, which may be that of another file, or free.
    func copy(_ store: NSPersistentStore, to url: URL, replacing: Bool, _ progress: Progress?) throws
}

extension StoreEngine {
    /// Throws, because a database server repairs its own pages.
    package func salvage(
        _ url: URL, into newURL: URL, model: NSManagedObjectModel?, options: [AnyHashable: Any]?
    ) throws -> StoreSalvageReport {
        throw NSError.coreData(
            NSPersistentStoreInvalidTypeError, reason: "Only a store in a file can be salvaged.", url: url)
    }
}

/// An engine of a separate product. It is created when a store of its type is requested.
package protocol ProductStoreEngine: StoreEngine, AnyObject {
    init()
}

/// The engines of separate products, which are found only by the names of their classes.
enum ProductStoreEngines {
    /// Makes the engine whose class has this name; nil if there is none.
    static func made(byClass name: String) -> (any ProductStoreEngine)? {
        (NSClassFromString(name) as? any ProductStoreEngine.Type)?.init()
    }
}

/// A store that is to be opened.
package struct StoreOpening {
    package var layout: ModelLayout
    /// The store's number within its coordinator.
    package var number: Int
    package var type: String
    package var configuration: String?
    package var url: URL?
    package var options: [AnyHashable: Any]?
    package var use = StoreUse.work
    /// The store summary that the engine has already read. The store may be another one by now.
    package var summary: (any StoreSummary)?
}

extension StoreOpening {
    /// The names of the entities that the store holds; nil for all of the model's.
    package func entities() throws -> Set<String>? {
        try Self.entities(of: layout.model, in: configuration, url)
    }

    /// The names of a configuration's entities; nil for all of the model's.
    static func entities(
        of model: NSManagedObjectModel, in configuration: String?, _ url: URL?
    ) throws -> Set<String>? {
        guard let configuration, configuration != NSManagedObjectModel.defaultConfigurationName else { return nil }
        guard let entities = model.entities(forConfigurationName: configuration) else {
            throw NSError.coreData(
                NSPersistentStoreOpenError, reason: "The model has no configuration named “\(configuration)”.",
                url: url)
        }
        return Set(entities.compactMap(\.name))
    }

    package var isReadOnly: Bool { StoreOptions.bool(options, NSReadOnlyPersistentStoreOption) ?? false }
    package var tracksHistory: Bool { StoreOptions.isOn(options, NSPersistentHistoryTrackingKey) }
    package var maximumOfReaders: Int {
        StoreOptions.number(options, NSPersistentStoreConnectionPoolMaxSizeKey).map { max(1, Int($0)) } ?? 4
    }
}

/// A summary of a store that is read before the store is opened.
package protocol StoreSummary {
    var url: URL { get }
    var metadata: [String: Any] { get }
    /// The model that the store was last opened with; nil if it keeps none.
    func model() throws -> NSManagedObjectModel?
}
