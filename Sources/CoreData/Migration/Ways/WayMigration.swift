import Foundation

/// Brings a store along a way: in place and in one transaction where everything is inferred, into a copy otherwise.
struct WayMigration {
    let url: URL
    let hops: [MigrationHop]
    let configuration: String?
    let options: [AnyHashable: Any]?

    private var progress: Progress? { options?[NSMigrationProgressOption] as? Progress }

    /// Migrates a store of the version that these metadata name.
    ///
    /// Somebody else may have changed its version meanwhile: then nothing happens, and it is to be looked at again.
    func run(from metadata: [String: Any]) throws {
        guard let last = hops.last else { return }
        guard hops.contains(where: { !$0.isInferred }) else {
            try LightweightMigrator.migrate(
                storeAt: url, through: hops.dropLast().map(\.target), to: last.target, configuration: configuration,
                source: hops[0].source, options: options, progress: progress)
            return
        }
        let settings = try SQLiteStoreOptions(options, url: url)
        let copying = CopyingMigration(
            store: SQLiteStoreFiles(url), model: last.target, configuration: configuration, timeout: settings.timeout,
            progress: progress)
        _ = try copying.run(from: metadata, hops.map(leg))
    }

    /// The rows that a mapping model makes are a hundred times as dear as those that SQLite moves.
    private func leg(_ hop: MigrationHop) -> CopyingMigration.Leg {
        let name = "\(hop.source.versionChecksum) → \(hop.target.versionChecksum), \(hop.name)"
        // Another version need not have the configuration: a store on its way holds what it held.
        switch hop.means {
        case .inferred:
            return .init(
                name: name, weight: 1,
                work: .inPlace { copy, progress in
                    try LightweightMigrator.migrate(
                        storeAt: copy.main, to: hop.target, configuration: configuration, source: hop.source,
                        options: options, progress: progress)
                })
        case .mapping(let mapping):
            let migration = MappedMigration(
                source: hop.source, model: hop.target, configuration: configuration, mapping: mapping, options: options)
            return .init(
                name: name, weight: 10,
                work: .anew { source, target, progress in try migration.migrate(source, into: target, progress) },
                isKept: migration.isKept)
        }
    }
}
