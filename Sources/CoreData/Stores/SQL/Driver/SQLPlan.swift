/// The purpose of a statement that a connection keeps. Statements are found by their plan, not by their text: a text of
/// 140 bytes takes 60 ns to hash, making it takes microseconds.
package enum SQLPlan: Hashable {
    /// Rows of a root entity by `count` keys.
    case rows(root: Int, count: Int)
    /// Whether a root entity has a row of a key.
    case exists(root: Int)
    /// The number of rows that a root entity has of a list of keys.
    case present(root: Int)
    /// Whether the row of a key still has its version.
    case isUnchanged(root: Int)
    case insert(layout: Int)
    case update(layout: Int, mask: SlotMask)
    case delete(root: Int, versioned: Bool)
    case members(layout: Int, toMany: Int, owners: Int)
    /// The rows of members that lead to their owners themselves.
    case memberRows(layout: Int, toMany: Int)
    case joinInsert(table: Int, flipped: Bool)
    case joinDelete(table: Int, flipped: Bool)
    /// Columns of the row of a key.
    case columns(table: String, names: [String])
    case pairs(table: Int, column: String)
    case pairsDelete(table: Int, column: String)
    case pairsUpdate(table: Int, column: String, isLast: Bool)
    /// The rows whose column leads to a row.
    case referring(table: String, column: String)
    case derivation(Int)
    case batch(Batch)
    case history(History)
    case bookkeeping(Bookkeeping)
    /// A fetch by its number among the known ones.
    case fetch(Int)
    case text(String)

    /// The work of batches on many rows at a time.
    package enum Batch: Hashable {
        case update(table: String, columns: [String])
        case present(layout: Int)
        case delete(layout: Int)
        case members(table: String, column: String)
        case paired(table: Int, column: String)
        case clear(table: String, columns: [String])
        case deletePairs(table: Int, column: String)
        case remaining(root: Int)
    }

    package enum History: Hashable {
        case tombstone(layout: Int)
        case insertChange
        case insertTransaction
    }

    /// The tables that a store keeps for itself.
    package enum Bookkeeping: Hashable {
        case highestKey(table: String)
        case setHighestKey
    }

    /// Whether there may be ever new ones.
    package var isText: Bool {
        switch self {
        case .text, .fetch: true
        default: false
        }
    }
}
