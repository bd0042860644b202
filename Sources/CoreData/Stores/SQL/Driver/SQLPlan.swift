/// The purpose of a cached statement. Statements are found by their plan, and not by their text: hashing a text of 140
/// bytes takes 60 ns, and making it takes microseconds.
package enum SQLPlan: Hashable {
    /// Selects rows of a root entity by `count` keys.
    case rows(root: Int, count: Int)
    /// Checks whether a root entity has a row with a key.
    case exists(root: Int)
    /// Counts the rows of a root entity among a list of keys.
    case present(root: Int)
    /// Checks whether the row of a key still has its version.
    case isUnchanged(root: Int)
    case insert(layout: Int)
    case update(layout: Int, mask: SlotMask)
    case delete(root: Int, versioned: Bool)
    case members(layout: Int, toMany: Int, owners: Int)
    /// Selects the rows of members whose keys of the owner are in their own rows.
    case memberRows(layout: Int, toMany: Int, owners: Int)
    case joinInsert(table: Int, flipped: Bool)
    case joinDelete(table: Int, flipped: Bool)
    /// Selects columns of the row of a key.
    case columns(table: String, names: [String])
    case pairs(table: Int, column: String)
    case pairsDelete(table: Int, column: String)
    case pairsUpdate(table: Int, column: String, isLast: Bool)
    /// Selects the rows whose column leads to a row.
    case referring(table: String, column: String)
    case derivation(Int)
    case batch(Batch)
    case history(History)
    case bookkeeping(Bookkeeping)
    /// A fetch by its number in `KnownFetches`.
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

    /// The tables with the store's bookkeeping.
    package enum Bookkeeping: Hashable {
        case highestKey(table: String)
        case setHighestKey
    }

    /// Whether the number of different plans of this kind is unlimited.
    package var isText: Bool {
        switch self {
        case .text, .fetch: true
        default: false
        }
    }
}
