import Foundation

/// Finds the model that a store was made with.
struct SourceModel {
    let metadata: [String: Any]
    let url: URL
    /// Versions that the program gives, and the bundles with further ones.
    private let versions: [NSManagedObjectModel]
    private let bundles: [Bundle]?
    /// The model that the store keeps.
    private let archived: () throws -> NSManagedObjectModel?
    /// The model, if the caller has found it already.
    private var found: NSManagedObjectModel?

    /// Creates the search for a store whose engine reads the model. Without the function the store is not read.
    ///
    /// - Parameter request: the migration, which may give versions; nil outside of one.
    init(
        metadata: [String: Any], url: URL, for request: MigrationRequest? = nil,
        archived: @escaping () throws -> NSManagedObjectModel? = { nil }
    ) {
        self.metadata = metadata
        self.url = url
        versions = request?.versions ?? []
        bundles = request?.bundles
        self.archived = archived
    }

    /// Creates the search for a store whose summary the caller has.
    init(_ summary: any StoreSummary, for request: MigrationRequest? = nil) {
        self.init(metadata: summary.metadata, url: summary.url, for: request) { try summary.model() }
    }

    /// The search whose result is a model that the caller has found.
    func knowing(_ model: NSManagedObjectModel) -> SourceModel {
        var search = self
        search.found = model
        return search
    }

    /// Returns the given model, the one the store keeps, or one of the program's versions: the first that has the
    /// store's version hashes. The result is a copy of the caller's own, which no other code freezes.
    func find(given: NSManagedObjectModel? = nil) throws -> NSManagedObjectModel {
        if let found { return found }
        if let given, fits(given) { return given.copied() }
        if let archived = try? archived() {
            // A store that holds no entity, because its configuration had none left, fits no other model better than
            // this one.
            let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
            if hashes?.isEmpty == true || fits(archived) { return archived }
        }
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
