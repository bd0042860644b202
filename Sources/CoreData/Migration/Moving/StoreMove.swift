import Foundation

/// The values that describe the move of a store to another address.
struct StoreMove {
    let store: NSPersistentStore
    let type: String
    let url: URL
    let options: [AnyHashable: Any]
    let progress: Progress?
    private var sourceURL: URL?
    private var sourceType: String

    init(store: NSPersistentStore, type: String, url: URL, options: [AnyHashable: Any], progress: Progress?) {
        self.store = store
        self.type = type
        self.url = url
        self.options = options
        self.progress = progress
        sourceURL = store.url
        sourceType = store.type
    }

    /// The place of the new store. A store of the in-memory type has no use for its URL.
    var place: StorePlace { StoreEngines.form(of: type) == .memory ? .memory : StorePlace(url) }

    /// Whether the new address is that of the store's own file, by any path.
    var isOntoItself: Bool {
        guard let url = store.url, place == .file, StorePlace(url) == .file else { return false }
        return url == self.url.standardizedFileURL
            || FileState(url).map { $0.isSameFile(as: FileState(self.url)) } ?? false
    }

    /// The seconds to wait for other users of the new store.
    var timeout: TimeInterval { StoreOptions.timeout(options) }

    var configuration: String? {
        store.configurationName == NSManagedObjectModel.defaultConfigurationName ? nil : store.configurationName
    }

    /// Returns a copy of this move with the content at another address.
    func from(_ url: URL, type: String) -> StoreMove {
        var other = self
        (other.sourceURL, other.sourceType) = (url, type)
        return other
    }

    var refusal: NSError {
        NSError.coreData(
            NSPersistentStoreOperationError,
            reason:
                "The store of type '\(store.type)' at “\(store.url?.path ?? "no address")” cannot be moved to one of type "
                + "'\(type)' at “\(url.path)”.", url: url)
    }

    /// The store, if it has tables that can be read row by row.
    var tables: SQLStore? { Self.tables(of: store) }

    static func tables(of store: NSPersistentStore) -> SQLStore? { store as? SQLStore }

    /// The address and the type of the content; throws if it cannot be read object by object.
    var source: (url: URL, type: String) {
        get throws {
            guard let sourceURL, StorePlace(sourceURL) == .file,
                StoreEngines.engine(of: store) != nil || store.isWholeFile || tables != nil
            else { throw refusal }
            return (sourceURL, sourceType)
        }
    }
}
