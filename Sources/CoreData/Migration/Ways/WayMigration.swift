import Foundation

/// Carries out hops: in place and in one transaction if all are inferred, into a copy otherwise.
struct WayMigration {
    let url: URL
    let hops: [MigrationHop]
    let configuration: String?
    let options: [AnyHashable: Any]?
    /// The guard against losses; nil if the caller decides itself which content the hops may lose.
    var lossGuard: LossGuard?

    private var progress: Progress? { options?[NSMigrationProgressOption] as? Progress }

    /// Migrates a store of the version that these metadata name.
    ///
    /// If another process has changed the version, this method changes nothing, and the caller reads the metadata
    /// again.
    func run(from metadata: [String: Any]) throws {
        guard let last = hops.last else { return }
        let timeout = StoreOptions.timeout(options)
        do {
            try lossGuard?.atBeginning.checkBeforehand(timeout: timeout)
        } catch {
            // If CloudKit's tables of the store are a reason as well, allowing the losses would not help.
            try checkMirror(of: hops[0].source, last.target)
            throw error
        }
        try MirrorCheck.checkBeforehand(hops, of: url, options, timeout: timeout)
        guard hops.contains(where: { !$0.isInferred }) else {
            try LightweightMigrator.migrate(
                storeAt: url, through: hops.dropLast().map(\.target), to: last.target, configuration: configuration,
                source: hops[0].source, options: options, lossGuard: lossGuard, progress: progress)
            return
        }
        let copying = CopyingMigration(
            storeAt: url, model: last.target, configuration: configuration, timeout: timeout,
            progress: progress)
        _ = try copying.run(from: metadata, copyStages())
    }

    private func checkMirror(of source: NSManagedObjectModel, _ target: NSManagedObjectModel) throws {
        let migrator = LightweightMigrator(url: url, model: target, configuration: configuration, options: options)
        do {
            _ = try migrator.plan(source: source)
        } catch let error as NSError where MigrationErrors.isAboutMirror(error) {
            throw error
        } catch {
            // The error is not about CloudKit's tables.
        }
    }

    /// A copy stage for each mapping model, and one for all inferred hops between them. The rows that a mapping model
    /// makes take ten times as long as those that SQLite moves.
    func copyStages() -> [CopyingMigration.CopyStage] {
        var copyStages: [CopyingMigration.CopyStage] = []
        var inferred: [MigrationHop] = []
        func name(_ first: MigrationHop, _ last: MigrationHop) -> String {
            "\(first.source.versionChecksum) → \(last.target.versionChecksum), \(last.name)"
        }
        func endInferred() {
            guard let first = inferred.first, let last = inferred.last else { return }
            var lossGuard = lossGuard
            lossGuard?.hops = inferred
            copyStages.append(
                .inferred(
                    name(first, last), from: first.source, through: inferred.dropLast().map(\.target), to: last.target,
                    configuration: configuration, options: options, lossGuard: lossGuard))
            inferred = []
        }
        for hop in hops {
            guard case .mapping(let mapping) = hop.means else {
                inferred.append(hop)
                continue
            }
            endInferred()
            let migration = MappedMigration(
                source: hop.source, model: hop.target, configuration: configuration, mapping: mapping, options: options)
            copyStages.append(
                .init(name: name(hop, hop), weight: 10, isKept: migration.isKept, model: hop.target) {
                    try migration.migrate($0, into: $1, $2)
                })
        }
        endInferred()
        return copyStages
    }
}
