import Foundation

/// The order in which a save writes its rows.
enum SaveOrder {
    /// Rows are deleted first, which frees their unique values. Then rows are updated, then inserted.
    case deletionsFirst
    /// The order `deletionsFirst` for tables whose foreign keys every statement checks. A row that led to a row that is
    /// deleted is updated before that row. A row that will lead to a new row is updated last.
    case referencesKept
    /// Rows are inserted, then updated, then deleted. This helps if a row is moved from a deleted row to a new one.
    case deletionsLast
}

extension SaveSession {
    /// Writes the rows of a save in an order.
    mutating func writeRows(_ changes: ChangeSet, _ order: SaveOrder, _ files: inout ExternalFileChanges) throws {
        switch order {
        case .deletionsFirst:
            let place = conflicts.count
            try delete(changes.deleted, &files)
            try checkRemainingMembers(of: changes, before: place)
            try update(changes.updated, &files)
            try insert(changes.inserted, &files)
        case .referencesKept:
            let parts = parted(changes)
            let late = Set(parts.late.map(\.old.object))
            unwritten = late.union(parts.others.map(\.old.object)).union(changes.deleted.map(\.key))
            try update(parts.leaving, &files)
            try delete(changes.deleted, &files)
            unwritten = late
            try update(parts.others, &files)
            try insert(changes.inserted, &files)
            unwritten = []
            try update(parts.late, &files)
        case .deletionsLast:
            unwritten = Set(changes.updated.map(\.old.object) + changes.deleted.map(\.key))
            try insert(changes.inserted, &files)
            unwritten = Set(changes.deleted.map(\.key))
            try update(changes.updated, &files)
            unwritten = []
        }
        try join(changes.joins)
        try arrange(changes.arrangements)
        if order == .deletionsLast { try delete(changes.deleted, &files) }
    }

    private struct UpdateParts {
        /// Updates of rows that led to a row that is deleted.
        var leaving: [ChangeSet.Update] = []
        var others: [ChangeSet.Update] = []
        /// Updates of rows that will lead to a new row.
        var late: [ChangeSet.Update] = []
    }

    /// Divides the updates by the old and the new destinations of their rows.
    private func parted(_ changes: ChangeSet) -> UpdateParts {
        let deleted = Set(changes.deleted.map { place($0.key) })
        let inserted = Set(changes.inserted.map { place($0.object) })
        var parts = UpdateParts()
        for update in changes.updated {
            if targets(of: update.new, in: update.changed).contains(where: inserted.contains) {
                parts.late.append(update)
            } else if targets(of: update.old, in: update.changed).contains(where: deleted.contains) {
                parts.leaving.append(update)
            } else {
                parts.others.append(update)
            }
        }
        return parts
    }
}

/// Thrown if a row is in conflict with a row that the save writes or deletes later.
struct NoOrder: Error {
    /// The error if all orders have failed.
    static let error = NSError.coreData(
        NSPersistentStoreSaveError,
        reason: "The rows of this save have no order that keeps the tables’ foreign keys and unique values at every "
            + "statement. Save in two steps, or have the foreign keys checked at the end of a transaction "
            + "(DEFERRABLE INITIALLY DEFERRED).")
}
