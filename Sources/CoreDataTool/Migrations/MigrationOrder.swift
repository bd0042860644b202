import CoreData
import CoreDataManager
import Foundation

/// The arguments of `forecast` and `migrate`: a store, the model to reach, and the way of migrating.
struct MigrationOrder {
    static let options: [Option] = [
        Option(
            "model", letter: "m", value: "PATH", completion: .file,
            "the model to reach (.xcdatamodeld, .xcdatamodel, .momd, .mom); its other versions are known, too"),
        Option("to", value: "NAME", "the version of the model to reach; by default the current one"),
        Option("configuration", value: "NAME", "the configuration of the model that the store belongs to"),
        Option(
            "mapping", value: "PATH", completion: .file,
            "migrate by this mapping model (.cdm, .xcmappingmodel) instead of an inferred one"),
        Option(
            "allow-loss", value: "NAME", repeats: true,
            "let these values go: ENTITY (its objects) or ENTITY.PROPERTY, as the store's version calls them"),
        Option(
            "ignore-cloudkit",
            "change entities of a store that CloudKit mirrors; never bring it back to a device of Apple's then"),
    ]
    static let ignoreCloudKit = "--ignore-cloudkit"

    private let storeText: String
    private let modelPath: String
    private let version: String?
    private let configuration: String?
    private let mappingPath: String?
    private let allowedLosses: [String]
    private let ignoresCloudKit: Bool
    /// Whether programs of the older version go on while the store is migrated.
    var isOnline = false
    /// Whether a forecast has statements.
    var wantsStatements = false

    init(_ arguments: Arguments) throws {
        storeText = try arguments.required(0)
        guard let model = arguments.value("model") else { throw arguments.misuse("'--model' is missing") }
        modelPath = model
        version = arguments.value("to")
        configuration = arguments.value("configuration")
        mappingPath = arguments.value("mapping")
        allowedLosses = arguments.values("allow-loss")
        ignoresCloudKit = arguments.has("ignore-cloudkit")
    }

    /// The order with the files that it names read; the store is not opened yet.
    struct Opened {
        let store: StoreAddress
        let file: ModelArgument
        let target: ManagedModelVersion
        let configuration: String?
        /// The store's options, without the two for automatic and inferred migration.
        let options: [AnyHashable: Any]

        /// The version of the store; nil if the file does not have it.
        var source: ManagedModelVersion?

        func forecast() throws -> MigrationForecast {
            do {
                return try NSPersistentStoreCoordinator.migrationForecast(
                    forPersistentStoreAt: store.url, to: target.model, configuration: configuration,
                    through: file.versions.map(\.model), options: options)
            } catch {
                throw ToolError(error, at: store.shown)
            }
        }

        /// The comparison of the statements with a migration, on copies.
        func verification() throws -> MigrationStatementsVerification {
            do {
                return try NSPersistentStoreCoordinator.verifyMigrationStatements(
                    forPersistentStoreAt: store.url, to: target.model, configuration: configuration,
                    through: file.versions.map(\.model), options: options)
            } catch {
                throw ToolError(error, at: store.shown)
            }
        }

        /// The migration, which does not wait for other programs.
        func job() -> MigrationJob {
            MigrationJob(
                storeURL: store.url, storeType: store.type, model: target.model, modelConfiguration: configuration,
                options: options.merging([NSPersistentStoreTimeoutOption: 0.0]) { $1 })
        }

        /// The reason why the store's version was not found, and the remedy.
        var missingModel: String {
            let own = store.archivedModel().damage == nil ? "keeps no copy of its own" : "has a copy that is damaged"
            return "The model has no version that the store was written with, and the store \(own). Name a model that "
                + "has that version, too."
        }

        func isReached() throws -> Bool {
            target.model.isConfiguration(
                withName: configuration, compatibleWithStoreMetadata: try store.metadata())
        }
    }

    /// The options for a migration of the store through the versions of a file.
    static func options(_ file: ModelArgument, allowing losses: [String]) -> [AnyHashable: Any] {
        let known: [AnyHashable: Any] = [NSMigrationKnownVersionsOption: file.versions.map(\.model)]
        return losses.isEmpty ? known : known.merging([NSMigrationAllowedLossesOption: losses]) { $1 }
    }

    func open() throws -> Opened {
        let store = try StoreAddress(storeText)
        let metadata = try store.metadata()
        guard ModelArgument.isModel(modelPath) else {
            _ = try ModelArgument.url(modelPath)
            throw ToolError(.unreadable, "\(modelPath): this is no model")
        }
        let file = try ModelArgument(modelPath)
        let target = try file.version(version)
        if let configuration, !target.model.configurations.contains(configuration) {
            let nearest = NearestName.hint(configuration, among: target.model.configurations)
            throw ToolError(
                .usage,
                "the model has no configuration '\(configuration)'"
                    + nearest)
        }
        let source = file.version(fitting: metadata)
        // A second call finds the store at the version that the first one has reached, and no values are lost.
        let isReached = target.model.isConfiguration(
            withName: configuration, compatibleWithStoreMetadata: metadata)
        if !isReached {
            try checkLosses(
                in: source?.model
                    ?? (try? NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                        at: store.url, options: StoreAddress.readingOptions)))
        }
        var options = Self.options(file, allowing: allowedLosses)
        if ignoresCloudKit { options[NSMigrationIgnoresCloudKitOption] = true }
        if wantsStatements { options[NSMigrationForecastStatementsOption] = true }
        if isOnline { try store.goOnline(&options) }
        if let mappingPath {
            guard let mapping = NSMappingModel(contentsOf: try ModelArgument.url(mappingPath)) else {
                throw ToolError(.unreadable, "\(mappingPath): this is no mapping model")
            }
            options[NSMigrationMappingModelOption] = mapping
        }
        return Opened(
            store: store, file: file, target: target, configuration: configuration, options: options,
            source: source)
    }

    /// Checks the names of allowed losses. A name that the store's version does not have would allow no loss, without a
    /// message.
    private func checkLosses(in model: NSManagedObjectModel?) throws {
        guard let model else { return }
        for name in allowedLosses {
            let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            let entity = model.entitiesByName[parts[0]]
            if let entity, parts.count == 1 || entity.propertiesByName[parts[1]] != nil { continue }
            let names = model.entities.flatMap { entity in
                [entity.name ?? ""] + entity.properties.map { "\(entity.name ?? "").\($0.name)" }
            }
            let nearest = NearestName.hint(name, among: names)
            throw ToolError(
                .usage, "'--allow-loss': the store has no '\(name)'" + nearest)
        }
    }
}
