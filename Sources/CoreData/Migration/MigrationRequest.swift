import Foundation

/// What a migration is to do: the store, the version to reach, and the options that say how.
///
/// Each type of this folder receives the whole request, so that a new option needs no new parameter.
package struct MigrationRequest {
    /// The address of the store.
    package private(set) var address: URL
    /// The address as errors show it.
    package private(set) var url: URL
    /// The version to reach.
    package private(set) var model: NSManagedObjectModel
    /// The configuration of the store; nil for the default one.
    package let configuration: String?
    /// The options that the store is added with.
    package let options: [AnyHashable: Any]?
    /// The seconds to wait for other users of the store.
    package let timeout: TimeInterval
    /// The progress that the program has passed in the options.
    package let progress: Progress?
    /// The versions that the program gives, beside those among its resources.
    let versions: [NSManagedObjectModel]
    /// The bundles with versions and mapping models; nil for the main bundle and the packages' resources.
    let bundles: [Bundle]?

    /// - Parameters:
    ///   - versions: versions that the migration may lead through, before those that the options give.
    ///   - bundles: the bundles with versions and mapping models; nil for the main bundle and the packages' resources.
    package init(
        at address: URL, to model: NSManagedObjectModel, configuration: String? = nil,
        options: [AnyHashable: Any]? = nil, through versions: [NSManagedObjectModel] = [],
        bundles: [Bundle]? = nil
    ) {
        self.address = address
        url = address
        self.model = model
        self.configuration = configuration
        self.options = options
        self.versions = versions + MigrationLossOptions(options).versions
        self.bundles = bundles
        timeout = StoreOptions.timeout(options)
        progress = options?[NSMigrationProgressOption] as? Progress
    }

    /// The request for another version of the model, such as one on the way.
    func to(_ version: NSManagedObjectModel) -> MigrationRequest {
        var request = self
        request.model = version
        return request
    }

    /// The request for another file, such as a copy of the store.
    func at(_ file: URL) -> MigrationRequest {
        var request = self
        (request.address, request.url) = (file, file)
        return request
    }

    /// The request for a database, whose address has another form in errors.
    func shown(as url: URL) -> MigrationRequest {
        var request = self
        request.url = url
        return request
    }

    // MARK: Options

    /// Whether the options allow the migration of a store of another version.
    var isMigrationAllowed: Bool {
        StoreOptions.bool(options, NSMigratePersistentStoresAutomaticallyOption) == true
            && StoreOptions.bool(options, NSReadOnlyPersistentStoreOption) != true
    }

    /// Whether a mapping may be inferred; nil if the options do not say.
    var infers: Bool? { StoreOptions.bool(options, NSInferMappingModelAutomaticallyOption) }

    /// The stages that the options give.
    var stagedManager: NSStagedMigrationManager? {
        options?[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager
    }

    /// Whether a store is opened as it is, in any version. A configuration that the model does not have is an error of
    /// opening.
    var ignoresVersion: Bool {
        StoreOptions.bool(options, NSIgnorePersistentStoreVersioningOption) == true
            || model.entities(forConfigurationName: configuration) == nil
    }

    /// Whether a forecast has the statements of the migration.
    var wantsStatements: Bool { StoreOptions.bool(options, NSMigrationForecastStatementsOption) == true }

    /// Whether entities may change that CloudKit's tables of the store name.
    var ignoresMirror: Bool { StoreOptions.ignoresCloudMirror(options) }
}

extension StoreModelCheck {
    /// The check whether a store fits the version of a migration.
    init(_ request: MigrationRequest, archivedModel: @escaping () throws -> NSManagedObjectModel?) {
        self.init(
            model: request.model, layout: request.model.layout, configurationName: request.configuration,
            url: request.url, archivedModel: archivedModel)
    }
}
