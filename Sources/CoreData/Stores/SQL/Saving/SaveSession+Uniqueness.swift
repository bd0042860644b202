import Foundation

// Handles rows that break a uniqueness constraint.
extension SaveSession {
    /// Writes updates that a uniqueness constraint has refused. Rows of one save may exchange unique values, even in a
    /// cycle. The database checks each row, but the constraint must only hold at the end of the save. So the rows first
    /// release their values and are then written again. A constraint that is broken even then is a conflict.
    mutating func updateBlocked(
        _ updates: [ChangeSet.Update], _ files: inout ExternalFileChanges
    ) throws {
        for update in updates {
            let writer = try store.rowWriter(update.new.layoutIndex)
            let object = ObjectKey(layoutIndex: update.new.layoutIndex, key: update.new.key)
            let mine = constraintConflicts.filter { $0.key == object }
            let names = Set(mine.flatMap(\.constraint))
            // Only columns that are written again afterwards are cleared.
            let columns = writer.fields.filter {
                update.changed.contains($0.slot) && names.contains(writer.layout.slots[$0.slot].name)
            }.map(\.column)
            if columns.isEmpty { continue }
            let statement = try connection.prepare(
                .update(
                    SQLUpdate(
                        writer.table, columns.map { .init($0, .null) }, where: .isUnchanged(key: 1))))
            try statement.run { parameters in
                parameters.bind(1, object.primaryKey)
                parameters.bind(2, Int64(update.old.version))
            }
            constraintConflicts.removeAll { $0.key == object }
        }
        _ = try attempt(updates, &files)
    }

    /// The constraint that a row breaks, and the row with which it is in conflict.
    package func constraintConflict(
        _ failure: any SQLFailure, _ row: Snapshot, _ writer: RowWriter
    ) throws -> SaveConflicts.ConstraintConflict {
        let object = ObjectKey(layoutIndex: row.layoutIndex, key: row.key)
        if failure.isRefusal {
            // The row may lead to a row that was not written because of a conflict.
            if !constraintConflicts.isEmpty {
                throw SaveConflicts(conflicts: conflicts, constraintConflicts: constraintConflicts)
            }
            throw writer.refused(failure, object, row, on: connection)
        }
        guard case .notUnique(let columns) = failure.kind else { throw failure }
        if columns == [SQLSchema.keyColumn] {
            throw TakenKey(
                error: .coreData(
                    NSPersistentStoreSaveError,
                    reason: "A new object of the entity “\(writer.layout.name)” was not saved: another context or "
                        + "process has inserted a row with its key \(object.primaryKey)."))
        }
        let fields = columns.compactMap { column in writer.fields.first { $0.column == column } }
        guard !fields.isEmpty, fields.count == columns.count else { throw failure }
        let statement = try connection.prepare(
            .select(
                SQLSelect(
                    [.column(SQLSchema.keyColumn), .column(SQLSchema.entityColumn)], of: writer.table,
                    where: .and(
                        fields.enumerated().map { .binary(.equal, .column($1.column), .parameter($0 + 1)) }),
                    limit: 1)))
        let found = try statement.first { parameters in
            for (place, field) in fields.enumerated() {
                try writer.bind(
                    field, of: row, to: parameters, at: place + 1, numbers: store.schema.numbers,
                    encode: { Data($0) })
            }
        } _: { found in
            try store.layoutIndex(number: found.int64(1), rootIndex: root(row.layoutIndex)).map {
                ObjectKey(layoutIndex: $0, key: try store.key(found.int64(0), in: writer.table))
            }
        }
        withExtendedLifetime(row) {}
        let existing = found ?? nil
        if let existing, unwritten.contains(existing) { throw NoOrder() }
        return SaveConflicts.ConstraintConflict(
            constraint: fields.map { writer.layout.slots[$0.slot].name }, key: object, existing: existing,
            existingRow: try existing.flatMap { try presentRow($0) },
            isOfModel: store.hasConstraint(on: columns, root: root(row.layoutIndex)))
    }
}

extension SQLStore {
    /// Whether the model has the uniqueness constraint of some columns of a table. Constraints of other versions that
    /// the store serves, and of other programs, are in force, too.
    package func hasConstraint(on columns: [String], root: Int) -> Bool {
        let columns = Set(columns)
        return layout.entities[root].subtree.contains { index in
            let entity = layout.entities[index]
            return entity.entity.uniquenessConstraintNames.contains { names in
                let found = names.compactMap { name -> String? in
                    switch entity.access(at: name) {
                    case .attribute(let slot), .toOne(let slot): schema.columns[index][slot]
                    case .toMany, .composite, .fetched, nil: nil
                    }
                }
                return Set(found) == columns
            }
        }
    }
}
