import Foundation

/// How far a migration by a mapping model is, so that a killed one is gone on with: kept in the file of its associations.
///
/// The new store may be some batches ahead: what it has beyond the position is taken back before it goes on.
struct MappedPosition: Codable, Equatable {
    var isSecondPass = false
    /// The entity mapping that has its turn.
    var step = 0
    /// The first pass: the highest source key that is done.
    var last: Int64 = 0
    /// The second pass: entity and key of the last source and destination that are done.
    var pair: [Int64] = []
    /// How many objects of each entity have been made.
    var madeRows: [String: Int] = [:]
    /// The highest keys of the new store, by the numbers of their root entities' layouts.
    var highest: [Int: Int64] = [:]
    /// The entity mappings whose second pass leaves nothing out.
    var irregular: [Int] = []
    /// Which start of the machine it was: what was not brought to the disk before it went down is gone.
    var boot = Self.thisBoot

    static let thisBoot: String =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? "unknown"

    /// Whether a migration can be gone on with by another process: no code of the program's own takes part, which may
    /// remember what no file knows, and nothing in the new store is computed from its rows.
    static func isKept(
        for mapping: NSMappingModel, _ managerClass: NSMigrationManager.Type, _ model: NSManagedObjectModel
    )
        -> Bool
    {
        managerClass == NSMigrationManager.self && !mapping.isInferred
            && (mapping.entityMappings ?? []).allSatisfy { $0.entityMigrationPolicyClassName?.isEmpty ?? true }
            && model.entities.allSatisfy { entity in
                !entity.properties.contains { $0 is NSDerivedAttributeDescription }
            }
    }

    /// Takes everything out of the new store that lies beyond the position. Nobody has it open.
    func takeBack(_ store: SQLiteStoreFiles, _ layout: ModelLayout) throws {
        // The second pass makes no objects, and does the same when it does something again.
        guard !isSecondPass else { return }
        let connection = try SQLiteConnection(path: store.main.path, access: .readWrite)
        SQLiteFunctions.register(on: connection)
        let metadata = try SQLiteStoreMetadata.read(from: connection, url: store.main)
        let names = Set((metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]).keys)
        let schema = try ActualSchema(connection).fit(layout, entities: names, url: store.main)
        let dialect = SQLiteDialect()
        var files: [String] = []
        var statements: [String] = []
        for root in layout.entities where root.superIndex == nil {
            guard let table = schema.table(ofRoot: root.index)?.name, let number = schema.numbers[root.index] else {
                continue
            }
            let condition = "Z_PK > \(highest[root.index] ?? 0)"
            for member in root.subtree {
                for (place, slot) in layout.entities[member].slots.enumerated() where RowDecoder.isExternal(slot) {
                    guard let name = schema.columns[member][place] else { continue }
                    let column = dialect.quoted(name)
                    let query = try connection.prepare(
                        "SELECT CAST(substr(\(column), 2, 36) AS TEXT) FROM \(dialect.quoted(table)) "
                            + "WHERE \(condition) AND typeof(\(column)) = 'blob' AND substr(\(column), 1, 1) = x'02'")
                    while try query.step() { files.append(query.string(0)) }
                }
            }
            statements.append("DELETE FROM \(dialect.quoted(table)) WHERE \(condition)")
            statements.append(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = \(highest[root.index] ?? 0) WHERE Z_ENT = \(number)")
        }
        // The next opening removes the files that no row names.
        var changes = ExternalFileChanges()
        try ExternalData(folder: store.externalDataFolder).note(Array(Set(files)), &changes)
        try connection.transaction {
            for statement in statements { try connection.execute(statement) }
        }
    }
}
