// About positions of a mapping model's copy stage.
//
// - A position is committed twice. First comes the file of the associations, whose rows have the number of the next
//   position. Then comes the new store, under the same number (`PRAGMA user_version`, while the copy is built). The new
//   store's transaction is open from one position to the next.
// - So the new store decides. SQLite undoes all changes after its position, and associations with a higher number are
//   deleted. The hooks may change the new store in any way: no change is repeated, and none has to be computed
//   backwards.
// - The memory of the hooks is lost after a kill, so their class has to promise that it has none (`canResume`). From
//   the first policy without this promise on there are no positions.

import Foundation

/// The position of a migration by a mapping model, at which another process can resume after a kill. The file of the
/// associations has it. The new store has its number, and its state when it is opened is that of the position.
struct MappedPosition: Codable, Equatable {
    enum Pass: Int, Codable {
        case instances, relationships, validation, end
    }

    var pass = Pass.instances
    /// The entity mapping that is carried out.
    var step = 0
    /// The first pass: the highest source key that is done; 0 if the entity mapping has not begun.
    var last: Int64 = 0
    /// The second pass: entity and key of the last source and destination that are done; empty if it has not begun.
    var pair: [Int64] = []
    /// The number of objects of each entity.
    var rows: [String: Int] = [:]
    /// The entity mappings whose second pass leaves no relationship out, and those for which this was so when the
    /// present one began.
    var irregular: [Int] = []
    var irregularBefore: [Int] = []
    /// The boot of the machine: data that had not reached the disk when the machine went down are lost.
    var boot = Self.thisBoot

    static let thisBoot: String =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? "unknown"

    /// Whether another process may resume within the migration. A subclass of the manager may keep values in memory,
    /// and so may the first policy.
    static func isKept(for mapping: NSMappingModel, _ managerClass: NSMigrationManager.Type) -> Bool {
        let mappings = mapping.entityMappings ?? []
        return managerClass == NSMigrationManager.self && !mapping.isInferred
            && (mappings.first.map { canResume($0) } ?? true)
    }

    private static func canResume(_ mapping: NSEntityMapping) -> Bool {
        (try? EntityMappingStep.policyClass(of: mapping)).map { EntityMappingStep.canResume($0) } ?? false
    }

    // MARK: In the new store

    /// The number of the position at which a new store was left; 0 if there is no store. No process has the store open.
    /// Rows that were written after the position are undone.
    static func number(in store: SQLiteStoreFiles) -> Int {
        let connection = try? SQLiteConnection(path: store.main.path, access: .readWrite)
        return (try? connection?.heldNumber()) ?? 0
    }

    /// Removes the number from a complete store.
    static func removeNumber(from store: SQLiteStoreFiles) throws {
        let connection = try SQLiteConnection(path: store.main.path, access: .readWrite)
        guard try connection.heldNumber() != 0 else { return }
        // A later step brings the whole store to the disk.
        try connection.leaveOutSyncing()
        try connection.removeHeldNumber()
    }
}
