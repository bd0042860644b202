// About positions of a mapping model's leg.
//
// - A position is committed twice. First comes the file of the associations, whose rows have the number of the position
//   that comes next. Then comes the new store, under the same number (`PRAGMA user_version`, while the copy is built).
//   The new store's transaction is held from one position to the next.
// - So the new store decides. SQLite undoes the writing after its position, and the associations with a higher number
//   go. The hooks may do anything to the new store: nothing is repeated, and nothing has to be computed backwards.
// - The memory of the hooks is gone after a kill, so their class has to say that it has none (`canResume`). From the
//   first policy on that does not say so there are no positions.

import Foundation

/// The position of a migration by a mapping model, so that a killed one can be resumed. It is kept in the file of the
/// associations, and by its number in the new store, which is again as it was at that moment when it is opened.
struct MappedPosition: Codable, Equatable {
    enum Pass: Int, Codable {
        case instances, relationships, validation, end
    }

    var pass = Pass.instances
    /// The entity mapping that has its turn.
    var step = 0
    /// The first pass: the highest source key that is done; 0 where the entity mapping has not begun.
    var last: Int64 = 0
    /// The second pass: entity and key of the last source and destination that are done; empty where it has not begun.
    var pair: [Int64] = []
    /// The number of objects of each entity.
    var rows: [String: Int] = [:]
    /// The entity mappings whose second pass leaves nothing out, and those of which that held when the present one
    /// began.
    var irregular: [Int] = []
    var irregularBefore: [Int] = []
    /// The start of the machine: data that was not brought to the disk before it went down is lost.
    var boot = Self.thisBoot

    static let thisBoot: String =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? "unknown"

    /// Whether another process may resume within the migration: a subclass of the manager may remember things in
    /// memory, and so may the first policy.
    static func isKept(for mapping: NSMappingModel, _ managerClass: NSMigrationManager.Type) -> Bool {
        let mappings = mapping.entityMappings ?? []
        return managerClass == NSMigrationManager.self && !mapping.isInferred
            && (mappings.first.map { canResume($0) } ?? true)
    }

    private static func canResume(_ mapping: NSEntityMapping) -> Bool {
        (try? EntityMappingStep.policyClass(of: mapping)).map { EntityMappingStep.canResume($0) } ?? false
    }

    // MARK: In the new store

    /// The number of the position at which a new store was left; 0 if there is no store. Nobody has it open. Rows that
    /// were written after it are undone.
    static func number(in store: SQLiteStoreFiles) -> Int {
        let connection = try? SQLiteConnection(path: store.main.path, access: .readWrite)
        return (try? connection?.heldNumber()) ?? 0
    }

    /// Takes the number out of a store that is done.
    static func removeNumber(from store: SQLiteStoreFiles) throws {
        let connection = try SQLiteConnection(path: store.main.path, access: .readWrite)
        guard try connection.heldNumber() != 0 else { return }
        // The whole is brought to the disk later.
        try connection.leaveOutSyncing()
        try connection.removeHeldNumber()
    }
}
