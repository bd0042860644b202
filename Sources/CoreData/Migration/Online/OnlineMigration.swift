import Foundation

/// The values that an engine needs to bring a store to another version while other programs use it.
package struct OnlineMigration {
    /// The version that the store has, and the one that it is to serve besides.
    package let source: NSManagedObjectModel
    package let model: NSManagedObjectModel
    package let difference: ModelDifference
    /// The entities that the mapping model splits into two.
    package let splits: [OnlineSplit]
    /// The names of the entities that the store holds of the newer version; nil for all.
    package let entities: Set<String>?
    /// The metadata of the store, at present and as the newer version.
    package let metadata: [String: Any]
    package let newMetadata: [String: Any]
    /// The address as errors show it.
    package let url: URL
    package let options: [AnyHashable: Any]?
    /// The names of content that the newer version has no place for, and whose loss the program has not allowed.
    package var guarded: [String] = []

    /// The parts of a forecast that depend on the engine.
    package struct Forecast {
        package var steps: [MigrationForecast.Step] = []
        package var locks: [MigrationForecast.Lock] = []
        package var statements: [MigrationForecast.Statement] = []

        package init() {}
    }

    /// Whether a forecast has the statements.
    package var wantsStatements: Bool { StoreOptions.bool(options, NSMigrationForecastStatementsOption) ?? false }

    /// The newer version as the store keeps it.
    package func archivedModel() throws -> Data { try ModelArchive.encodeDeflated(model) }

    /// The error of a change that is impossible while the older version is in use.
    ///
    /// - Parameter help: An alternative, or a way to split the change.
    package static func refusal(entity: String?, property: String? = nil, reason: String, help: String) -> NSError {
        var info: [String: Any] = [NSLocalizedRecoverySuggestionErrorKey: help]
        info[MigrationErrors.entityKey] = entity
        info[MigrationErrors.propertyKey] = property
        let place = [entity, property].compactMap { $0 }.joined(separator: ".")
        let text = place.isEmpty ? reason : "“\(place)” \(reason)"
        return .coreData(
            NSMigrationError, reason: "The store cannot be migrated while other programs use it: \(text). \(help)",
            userInfo: info)
    }

    /// Combines several refusals into one error.
    package static func combined(_ refusals: [NSError]) -> NSError { MigrationErrors.combined(refusals) }
}

/// An engine whose stores serve several versions of a model at a time.
package protocol OnlineEngine: InPlaceEngine {
    /// Whether a store's options ask for migrations during which other programs keep working.
    func goesOnline(_ options: [AnyHashable: Any]?) -> Bool

    /// The metadata that the store at an address shows to programs of each version that it serves besides the newest.
    func otherVersions(at url: URL) throws -> [(metadata: [String: Any], model: () throws -> NSManagedObjectModel?)]

    /// Brings a store to another version while other programs use it as its present one. Returns when the store serves
    /// the newer version, or when another process has changed the store. In the second case the caller reads the
    /// store's metadata again.
    func migrateOnline(_ migration: OnlineMigration, at url: URL, timeout: TimeInterval, _ progress: Progress) throws

    /// Ends all versions but the newest of a copy of a store, with the values that only they have.
    func endOlderVersions(ofCopyAt url: URL) throws

    /// The steps of such a migration, the locks that it takes, and its statements if the options ask for them.
    func forecastOnline(
        _ migration: OnlineMigration, on connection: any SQLConnection
    ) throws -> OnlineMigration.Forecast
}

/// Reports the progress of such a migration, for programs that show it.
package struct OnlineProgress {
    private let progress: Progress
    private let feed: MigrationFeed?

    /// - Parameter rows: about how many rows are moved.
    package init(_ progress: Progress, rows: Int) {
        self.progress = progress
        feed = MigrationFeed.of(progress)
        feed?.begin(.preparing)
        progress.totalUnitCount = Int64(rows) + 1
        progress.completedUnitCount = 0
    }

    /// Begins the stage in which the rows of an entity are moved.
    package func begin(_ entity: String, rows: Int) { feed?.begin(.rewriting, entity: entity, rows: rows) }

    /// Reports how many more rows were moved, and how many of the entity so far.
    package func moved(_ count: Int, ofEntity rows: Int) {
        progress.completedUnitCount = min(progress.completedUnitCount + Int64(count), progress.totalUnitCount - 1)
        feed?.update(rows: rows, fraction: Double(progress.completedUnitCount) / Double(progress.totalUnitCount))
    }

    package func end() { progress.completedUnitCount = progress.totalUnitCount }

    package var isCancelled: Bool { progress.isCancelled }
}
