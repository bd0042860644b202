import Foundation

/// Finds the model that a store was made with.
struct SourceModel {
    let metadata: [String: Any]
    let url: URL
    /// Versions that the program gives.
    private let versions: [NSManagedObjectModel]
    /// The model that the store keeps.
    private let archived: () throws -> NSManagedObjectModel?

    /// Creates the search for a store in a file, whose model is read from the file when it is needed.
    init(
        metadata: [String: Any], url: URL, timeout: TimeInterval, versions: [NSManagedObjectModel] = []
    ) {
        self.metadata = metadata
        self.url = url
        self.versions = versions
        archived = { try StoreEngines.fileEngine().cachedModel(at: url, timeout: timeout) }
    }

    /// Creates the search for a store of which the caller has only the metadata. The store itself is not read.
    init(metadata: [String: Any], url: URL) {
        self.init(metadata: metadata, url: url, archived: { nil })
    }

    /// Creates the search for a store whose engine reads the model.
    init(
        metadata: [String: Any], url: URL, versions: [NSManagedObjectModel] = [],
        archived: @escaping () throws -> NSManagedObjectModel?
    ) {
        self.metadata = metadata
        self.url = url
        self.versions = versions
        self.archived = archived
    }

    /// Creates the search for a store whose summary the caller has.
    init(_ summary: any StoreSummary, versions: [NSManagedObjectModel] = []) {
        metadata = summary.metadata
        url = summary.url
        self.versions = versions
        archived = { try summary.model() }
    }

    /// Returns the given model, the one the store keeps, or one of the main bundle's versions: the first that has the
    /// store's version hashes. The result is a copy of the caller's own, which no other code freezes.
    func find(given: NSManagedObjectModel? = nil) throws -> NSManagedObjectModel {
        if let given, fits(given) { return given.copied() }
        if let archived = try? archived() {
            // A store that holds no entity, because its configuration had none left, fits no other model better than
            // this one.
            let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
            if hashes?.isEmpty == true || fits(archived) { return archived }
        }
        return try findAmongResources(nil, or: versions)
    }

    /// Returns one of the versions in bundles, or of the given ones, for a store that keeps no model.
    func findAmongResources(
        _ bundles: [Bundle]?, or versions: [NSManagedObjectModel] = []
    ) throws -> NSManagedObjectModel {
        if let given = versions.first(where: fits) { return given.copied() }
        if let merged = NSManagedObjectModel.mergedModel(from: bundles, forStoreMetadata: metadata), fits(merged) {
            return merged
        }
        throw MigrationErrors.missingSourceModel(metadata: metadata, url: url)
    }

    /// Whether a model has every entity of the store with the store's hash. It may have more entities: those of other
    /// configurations.
    func fits(_ model: NSManagedObjectModel) -> Bool {
        let version = StoredVersion(metadata)
        guard let stored = version.hashes, !stored.isEmpty else { return false }
        let hashes = model.entityVersionHashesByName
        let entities = model.entitiesByName
        return stored.keys.allSatisfy { name in
            guard let entity = entities[name] else { return false }
            return version.isVersion(of: entity, hash: hashes[name]) || !entity.isVersionHashExact
        }
    }
}
