import Foundation

/// In which order a save writes its rows.
enum SaveOrder {
    /// Rows are deleted first, which frees their unique values. Then rows are updated, then inserted.
    case deletionsFirst
    /// The same, for tables whose foreign keys are checked by every statement. A row that led to a row to be deleted is
    /// updated before. A row that is to lead to a new row is updated last.
    case referencesKept
    /// Rows are inserted, then updated, then deleted. This helps where a row leads from one that is to be deleted to a
    /// new one.
    case deletionsLast
}

extension SaveSession {
    /// Writes the rows of a save in an order.
    mutating func write(_ changes: ChangeSet, _ order: SaveOrder, _ files: inout ExternalFileChanges) throws {
        switch order {
        case .deletionsFirst:
            try delete(changes.deleted, &files)
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
        /// Of rows that led to one that is to be deleted.
        var leaving: [ChangeSet.Update] = []
        var others: [ChangeSet.Update] = []
        /// Of rows that are to lead to a new one.
        var late: [ChangeSet.Update] = []
    }

    /// Updates by the former and the future destinations of their rows.
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

/// Thrown where a row clashes with one that the save writes or deletes later.
struct NoOrder: Error {
    /// The error if no order is left to try.
    static let error = NSError.coreData(
        NSPersistentStoreSaveError,
        reason: "The rows of this save have no order that keeps the tables’ foreign keys and unique values at every "
            + "statement. Save in two steps, or have the foreign keys checked at the end of a transaction "
            + "(DEFERRABLE INITIALLY DEFERRED).")
}
