// Implementation notes: MigrationTestKit.
//
// - The module uses public API, except for `MigrationMoment` and the reasons why a model file cannot be read (SPI
//   `MigrationTesting`).
// - The stores of trials are files, or have databases of their own on a server (`InPlaceEngine.withDatabase`). The
//   engine lists the content of a database, because a migrated store must have the same tables as a new one. So the
//   module does not depend on an engine.
// - A `MigrationTrial` tries every pair of versions up, every pair down, and two processes. Each entry of its report
//   has the result of one try. The trial finds the losses of a downgrade by itself (`TrialLosses` compares the store's
//   content with the content that both models have), so that it does not rely on the guard that it tests.
// - `TrialOpening` lets the programs of another module's trials open the stores: SwiftDataTestKit's open containers.
// - `Samples/` makes the objects. `SampleRules` reads limits, lengths and patterns from validation predicates,
//   `SampleValues` numbers the values that they allow, and `SampleConstraint` records which are taken.

import CoreData

/// Tries every migration between the versions of a model on sample data, and reports the results.
///
/// - It migrates a store of each version to each later one, directly and through all versions in between. The result
///   must be like a new store, with every row, value and link.
/// - It opens the store of each later version with each older one, as an older program does that is installed again.
///   This must lose no value, or it must be refused: then the error names the losses, and the store is unchanged.
/// - It starts the migration of one store in two processes at the same moment, if the trial has a child program. Each
///   must open the store, or throw an error that names the process at work, and every row must be there.
///
/// The trial finds the versions of a model by its name among the resources of a target. Mapping models among the
/// resources take part, too.
///
/// ```swift
/// var trial = MigrationTrial(try ModelVersion.all(named: "Shop"))
/// trial.child = try MigrationChild.program(named: "migrate-shop")
/// let report = try trial.run(expecting: [ExpectedRefusal(from: "Shop", to: "Shop 3")])
/// #expect(report.isClean, "\(report)")
/// ```
public struct MigrationTrial {
    /// The versions, the oldest first.
    public var versions: [ModelVersion]
    /// Mapping models that you make in code, beside those among the program's resources.
    ///
    /// The trial finds the one for a pair of versions by its entities. Each source entity must be in the older version,
    /// and each destination entity in the newer one. If an entity mapping has a version hash, that must be equal, too.
    /// A mapping model in code may begin as the inferred one:
    ///
    /// ```swift
    /// let mapping = try NSMappingModel.inferredMappingModel(
    ///     forSourceModel: versions[0].model, destinationModel: versions[1].model)
    /// let items = mapping.entityMappings.first { $0.destinationEntityName == "Item" }
    /// items?.attributeMappings?.first { $0.name == "name" }?.valueExpression =
    ///     NSExpression(format: "uppercase($source.name)")
    /// trial.mappingModels = [mapping]
    /// ```
    ///
    /// Or it begins empty, and its `NSEntityMapping`s take their hashes from the models' `entityVersionHashesByName`.
    public var mappingModels: [NSMappingModel] = []
    /// Options for opening a store, beside the two for automatic and inferred migration: for example a staged migration
    /// manager.
    public var options: [AnyHashable: Any] = [:]
    /// A database on whose server the trial makes its stores; nil for stores in files.
    ///
    /// Each store gets a database of its own, which is dropped after its trial. This database itself does not change.
    /// Its role must have the right to make databases.
    ///
    /// ```swift
    /// trial.database = URL(string: "postgresql:///postgres?host=/run/postgresql")
    /// ```
    public var database: URL?
    /// The maker of the sample objects.
    public var samples = SampleStore()
    /// A function that fills a store of a version with objects, in place of the sample objects.
    ///
    /// It gets an address at which there is no store. It may copy a store of yours, which does not change:
    ///
    /// ```swift
    /// trial.fill = { url, version in
    ///     try NSPersistentStoreCoordinator(managedObjectModel: version.model).replacePersistentStore(
    ///         at: url, withPersistentStoreFrom: original, ofType: "PostgreSQL")
    /// }
    /// ```
    public var fill: ((_ url: URL, _ version: ModelVersion) throws -> Void)?
    /// The program that two processes run (see ``MigrationChild``). It opens the store with the newest version.
    ///
    /// Without a program the report says that this trial did not take place.
    public var child: URL?
    /// The arguments of the child program after the store's address.
    public var childArguments: [String] = []
    /// The program's way to open stores; nil for the framework's.
    package var opening: TrialOpening?

    static let reasonWithoutChild =
        "the trial has no child program that opens the store, see `MigrationTrial.child`"

    /// Makes a trial.
    ///
    /// - Parameter versions: The versions, the oldest first.
    public init(_ versions: [ModelVersion]) { self.versions = versions }

    /// Tries all pairs of versions in both directions, the chain of all versions, and two processes.
    ///
    /// Two processes migrate from each older version to the newest. A failure is in the report, and the trial
    /// continues. So are a version that cannot be read and a version of which no store can be filled, with the reason.
    ///
    /// - Parameter refusals: The migrations that the program does not offer. Each of them must be refused, and no other
    ///   migration.
    /// - Returns: A report with an entry for every trial.
    /// - Throws: The error of making a temporary folder.
    public func run(expecting refusals: [ExpectedRefusal] = []) throws -> MigrationTrialReport {
        var report = MigrationTrialReport()
        for version in versions {
            guard let reason = version.unreadableReason else { continue }
            var entry = MigrationTrialReport.Entry(name: version.name, play: .reading)
            entry.problems = ["it cannot be read: \(reason)"]
            report.entries.append(entry)
        }
        let readable = versions.filter { $0.unreadableReason == nil }
        let pairs = readable.indices.flatMap { older in
            readable[(older + 1)...].map { (older: readable[older], newer: $0) }
        }
        for pair in pairs where opening?.offers(pair.older.name, pair.newer.name) ?? true {
            report.entries.append(try hop(pair.older, pair.newer))
        }
        for chain in chains(of: readable) where chain.count > 2 { report.entries.append(try self.chain(chain)) }
        for pair in pairs { report.entries.append(try downgrade(pair.newer, to: pair.older)) }
        if readable.count > 1 { report.entries += try twoProcesses(readable) }
        report.expect(refusals)
        return report
    }

    private func chains(of readable: [ModelVersion]) -> [[ModelVersion]] {
        guard let opening else { return [readable] }
        return opening.chains.map { names in names.compactMap { name in readable.first { $0.name == name } } }
    }

    /// Tries to migrate from one version directly to another.
    ///
    /// - Parameters:
    ///   - older: The version of the store.
    ///   - newer: The version to reach.
    /// - Returns: The entry of a report.
    /// - Throws: The error of making a temporary folder.
    public func hop(_ older: ModelVersion, _ newer: ModelVersion) throws -> MigrationTrialReport.Entry {
        try chain([older, newer])
    }

    /// Tries to migrate one store through versions, one after the other.
    ///
    /// - Parameter way: The versions, the oldest first.
    /// - Returns: The entry of a report.
    /// - Throws: The error of making a temporary folder.
    public func chain(_ way: [ModelVersion]) throws -> MigrationTrialReport.Entry {
        var entry = MigrationTrialReport.Entry(name: way.map(\.name).joined(separator: " → "))
        guard let first = way.first, let last = way.last else { return entry }
        if way.count == 2 { entry.step = ExpectedRefusal(from: first.name, to: last.name) }
        try play(way, &entry) { folder, url, entry in
            guard make(url, first, &entry) else { return }
            entry.rows = try TrialContent(of: url, first, withValues: false, options: storeOptions).counts.values
                .reduce(0, +)
            var built = first
            for (older, newer) in zip(way, way.dropFirst()) {
                guard try migrateStep(from: older, to: newer, at: url, in: folder, built: &built, entry: &entry) else {
                    return
                }
            }
        }
        return entry
    }

    /// Migrates one step. Returns whether the next step has a store to begin with.
    ///
    /// - Parameter built: the version whose schema the file has.
    private func migrateStep(
        from older: ModelVersion, to newer: ModelVersion, at url: URL, in folder: URL, built: inout ModelVersion,
        entry: inout MigrationTrialReport.Entry
    ) throws -> Bool {
        let before = try TrialContent(of: url, older, options: storeOptions)
        let isSame = older.hasSameHashes(as: newer)
        let mapping = isSame ? nil : mapping(from: older, to: newer)
        do {
            try migrate(url, from: older, to: newer, mapping: mapping)
        } catch {
            entry.refusal = TrialStore.text(error)
            entry.step = ExpectedRefusal(from: older.name, to: newer.name)
            // The older program must still open the store, with all objects.
            let after = try? TrialContent(of: url, older, options: storeOptions)
            if after?.counts != before.counts {
                entry.problems.append("the migration failed, and the store is not as it was")
            }
            return false
        }
        if isSame {
            if opening == nil { entry.notes += try difference(older, newer, as: url, in: folder) }
        } else {
            built = newer
        }
        let checks = checks(older, newer, before: before, built: built)
        entry.problems += try checks.problems(url, in: folder).map { "\(newer.name): \($0)" }
        entry.problems += try opening?.inspect(url, newer.name).map { "\(newer.name): \($0)" } ?? []
        return true
    }

    /// The checks of a store that was migrated from one version to another.
    func checks(
        _ older: ModelVersion, _ newer: ModelVersion, before: TrialContent, built: ModelVersion
    ) -> TrialChecks {
        let mapping = older.hasSameHashes(as: newer) ? nil : mapping(from: older, to: newer)
        var checks = TrialChecks(older: older, newer: newer, mapping: mapping, before: before, built: built)
        checks.storeOptions = storeOptions
        checks.comparesObjects = opening.map { !$0.runsCode(older.name, newer.name) } ?? true
        checks.allowsNewValues = opening != nil
        return checks
    }

    /// The options with which stores are made, which decide about the tables.
    var storeOptions: [AnyHashable: Any] { options.filter { $0.key as? String == NSPersistentHistoryTrackingKey } }

    /// The difference between the schemas of two versions with the same hashes.
    private func difference(
        _ older: ModelVersion, _ newer: ModelVersion, as url: URL, in folder: URL
    ) throws -> [String] {
        let (old, new) = try (
            StoreSchema(ofNewStoreOf: older, as: url, in: folder, options: storeOptions),
            StoreSchema(ofNewStoreOf: newer, as: url, in: folder, options: storeOptions)
        )
        return ["“\(newer.name)” has the version hashes of “\(older.name)”: nothing is migrated"]
            + old.difference(from: new).map {
                "stores of “\(older.name)” stay as they are, new ones differ (a hash modifier would migrate them): \($0)"
            }
    }

    // MARK: Stores

    /// Runs a body with a folder of its own and the address of a store in it, or in a database of its own. An error
    /// that the body throws is a problem of the entry, so that the other trials take place all the same.
    func play(
        _ versions: [ModelVersion], _ entry: inout MigrationTrialReport.Entry,
        _ body: (_ folder: URL, _ url: URL, _ entry: inout MigrationTrialReport.Entry) throws -> Void
    ) throws {
        if let version = versions.first(where: { $0.unreadableReason != nil }) {
            entry.problems.append("“\(version.name)” cannot be read: \(version.unreadableReason ?? "")")
            return
        }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("migration-trial-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            if let database {
                try TrialStore.engine(of: database).withDatabase(beside: database) { try body(folder, $0, &entry) }
            } else {
                try body(folder, folder.appendingPathComponent("Trial.sqlite"), &entry)
            }
        } catch {
            entry.problems.append("it could not be played to its end: \(TrialStore.text(error))")
        }
    }

    /// Makes a store with objects. Returns false, with the reason among the problems, if it cannot.
    func make(_ url: URL, _ version: ModelVersion, _ entry: inout MigrationTrialReport.Entry) -> Bool {
        do {
            if let fill {
                try fill(url, version)
                return true
            }
            var samples = samples
            if let opening { samples.values = { opening.values(version.name, $0, $1) } }
            entry.notes += try samples.fill(url, version, options: storeOptions)
            return true
        } catch {
            entry.problems.append("no store of “\(version.name)” could be filled: \(TrialStore.text(error))")
            return false
        }
    }

    // MARK: Migrating

    func migrate(
        _ url: URL, from older: ModelVersion, to newer: ModelVersion, mapping: NSMappingModel?
    ) throws {
        if let opening { return try opening.open(url, newer.name) }
        if let mapping, url.isFileURL { return try migrate(file: url, older, newer, mapping) }
        var options = options.merging(Self.defaults) { $1 }
        if let mapping {
            options[NSMigrationMappingModelOption] = mapping
            options[NSMigrationSourceModelOption] = older.freshModel()
        }
        // The trial allows losses, because its reader decides which content the newer version leaves out on purpose.
        if options[NSMigrationKnownVersionsOption] == nil {
            options[NSMigrationKnownVersionsOption] = [older.freshModel()]
        }
        try TrialStore.open(url, newer.freshModel(), options: options) { _ in }
    }

    private func migrate(
        file url: URL, _ older: ModelVersion, _ newer: ModelVersion, _ mapping: NSMappingModel
    ) throws {
        let folder = url.deletingLastPathComponent().appendingPathComponent("mapped", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let target = folder.appendingPathComponent(url.lastPathComponent)
        let manager = NSMigrationManager(sourceModel: older.freshModel(), destinationModel: newer.freshModel())
        try manager.migrateStore(
            from: url, sourceType: NSSQLiteStoreType, options: nil, with: mapping, toDestinationURL: target,
            destinationType: NSSQLiteStoreType, destinationOptions: nil)
        try NSPersistentStoreCoordinator(managedObjectModel: newer.freshModel()).replacePersistentStore(
            at: url, destinationOptions: nil, withPersistentStoreFrom: target, sourceOptions: nil,
            ofType: NSSQLiteStoreType)
    }

    /// The default migration options of a container.
    static var defaults: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }

    /// The given mapping model whose hashes are those of the two versions.
    func mapping(from older: ModelVersion, to newer: ModelVersion) -> NSMappingModel? {
        let (old, new) = (older.model.entityVersionHashesByName, newer.model.entityVersionHashesByName)
        func agrees(_ name: String?, _ hash: Data?, _ hashes: [String: Data]) -> Bool {
            guard let name else { return true }
            return hashes[name] != nil && (hash == nil || hashes[name] == hash)
        }
        return mappingModels.first { mapping in
            let mappings = mapping.entityMappings ?? []
            return !mappings.isEmpty
                && mappings.allSatisfy {
                    agrees($0.sourceEntityName, $0.sourceEntityVersionHash, old)
                        && agrees($0.destinationEntityName, $0.destinationEntityVersionHash, new)
                }
        }
    }
}
