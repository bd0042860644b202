import Foundation

/// The framework's own stores of some types, found by the type's name. An engine works with a store before it is open,
/// or without opening it.
package protocol StoreEngine: Sendable {
    /// The forms of its stores, by their types; and the class of them all.
    var forms: [String: StoreForm] { get }
    var storeClass: NSPersistentStore.Type { get }

    /// Opens a store as it is, or makes it where there is none.
    ///
    /// - Parameter other: a store whose content a new store in memory has from the beginning.
    func open(_ opening: StoreOpening, copying other: NSPersistentStore?) throws -> any NSPersistentStore & RowStore

    /// The metadata of the store at an address. Changes nothing.
    func metadata(at url: URL, timeout: TimeInterval) throws -> [String: Any]
    /// Replaces the program's part of that.
    func setMetadata(_ metadata: [String: Any], at url: URL, timeout: TimeInterval) throws
    /// The model that the store was last opened with; nil where it keeps none.
    func cachedModel(at url: URL, timeout: TimeInterval) throws -> NSManagedObjectModel?

    /// Makes the store at an address one without tables.
    func destroy(at place: StorePlace, _ url: URL, timeout: TimeInterval, force: Bool) throws
    /// Puts a copy of a store in the place of a file. `timeout` is how long to wait for the source, `waiting` for users
    /// that have the file open.
    func replace(
        fileAt url: URL, with source: StorePlace, _ sourceURL: URL, timeout: TimeInterval, waiting: TimeInterval,
        force: Bool
    ) throws

    /// Brings the readable content of a damaged store into a new one.
    func salvage(
        _ url: URL, into newURL: URL, model: NSManagedObjectModel?, options: [AnyHashable: Any]?
    ) throws -> StoreSalvageReport

    /// Whether an open store is one of its own that can be copied as it lies.
    func owns(_ store: NSPersistentStore) -> Bool
    /// Copies an open store to an address: in the place of another file, or to a place without one.
    func copy(_ store: NSPersistentStore, to url: URL, replacing: Bool, _ progress: Progress?) throws
}

extension StoreEngine {
    /// A server looks after its own pages.
    package func salvage(
        _ url: URL, into newURL: URL, model: NSManagedObjectModel?, options: [AnyHashable: Any]?
    ) throws -> StoreSalvageReport {
        throw NSError.coreData(
            NSPersistentStoreInvalidTypeError, reason: "Only a store in a file can be salvaged.", url: url)
    }
}

/// An engine that a product of its own brings; it is made when a store of its type is asked for.
package protocol ProductStoreEngine: StoreEngine, AnyObject {
    init()
}

/// The engines of products, which nothing but their classes' names leads to.
enum ProductStoreEngines {
    /// The engine that a class has by this name; nil where there is none.
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
    /// The look that the engine has taken at the store already. The store may be another one by now.
    package var look: (any StoreLook)?
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

/// A look at a store before it is open.
package protocol StoreLook {
    var url: URL { get }
    var metadata: [String: Any] { get }
    /// The model that the store was last opened with; nil where it keeps none.
    func model() throws -> NSManagedObjectModel?
}
