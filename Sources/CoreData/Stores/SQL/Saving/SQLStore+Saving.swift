import Foundation

extension SQLStore {
    // MARK: Keys

    package func reserveKeys(_ counts: [Int: Int]) throws -> [Int: [Range<Int64>]] {
        func given(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
            ranges.map { range in
                let first = ObjectKey.key(storeNumber: storeNumber, primaryKey: range.lowerBound)
                return first..<first + Int64(range.count)
            }
        }
        return try repeating { connection in
            var keys: [Int: [Range<Int64>]] = [:]
            var counts = counts.filter { $0.value > 0 }
            // If the database counts the keys, they are taken outside of transactions.
            for (root, count) in counts {
                guard let table = schema.table(ofRoot: root)?.name,
                    let ranges = try connection.nextKeys(count, of: table)
                else { continue }
                keys[root] = given(ranges)
                counts[root] = nil
            }
            if counts.isEmpty { return keys }
            try connection.transaction {
                try requireSameModel(connection)
                for (root, count) in counts { keys[root] = given(try reserve(count, root: root, connection)) }
            }
            return keys
        }
    }

    /// Reserves a number of keys of a root entity's table.
    ///
    /// Z_MAX is raised in the transaction, so that no two processes get the same key. A Z_MAX that is lower than a key
    /// in the table is corrected first.
    package func reserve(_ count: Int, root: Int, _ connection: any SQLConnection) throws -> [Range<Int64>] {
        guard let number = schema.numbers[root], let table = schema.table(ofRoot: root)?.name else {
            throw NSError.coreData(
                NSPersistentStoreOperationError,
                reason: "The store does not hold the entity “\(layout.entities[root].name)”.", url: url)
        }
        if let keys = try connection.nextKeys(count, of: table) { return keys }
        let highest = try connection.highestKeyBeforeNew(in: table, ofNumber: Int64(number))
        let last = highest + Int64(count)
        guard last <= ObjectKey.primaryKeyMask else {
            throw NSError.coreData(
                NSPersistentStoreSaveError,
                reason: "The keys of the entity “\(layout.entities[root].name)” are used up.", url: url)
        }
        if try !connection.setHighestKey(last, ofNumber: Int64(number)) {
            try connection.run(
                .insert(
                    SQLInsert(
                        into: SQLBookkeeping.Keys.table, SQLBookkeeping.Keys.columns,
                        .values([
                            .number(number), .value(.string(layout.entities[root].name)), .number(0),
                            .value(.int(last)),
                        ]))))
        }
        return [highest + 1..<last + 1]
    }

    /// Throws if another process has migrated the store since it was opened, because entity numbers and columns may
    /// have changed.
    ///
    /// Called in each writing transaction. It compares SQLite's schema counter, and reads the metadata only if the
    /// counter has changed.
    package func requireSameModel(_ connection: any SQLConnection) throws {
        let version = try connection.schemaVersion()
        if version == knownSchemaVersion { return }
        if let url, isShared {
            let present = try SQLStoreMetadata.read(from: connection, url: url)
            guard SQLStoreMetadata.isSameStore(present, as: savedIdentifier) else {
                throw SQLStoreMetadata.replaced(url)
            }
            guard try StoredVersion(present) == storedVersion || connection.serves(storedVersion.hashes ?? [:]) else {
                throw SQLStoreMetadata.migrated(url, to: present)
            }
        }
        knownSchemaVersion = version
    }

    // MARK: Saving

    package func commit(_ changes: ChangeSet) throws {
        try commit(changes, beforeCommit: {})
    }

    package func commit(_ changes: ChangeSet, beforeVisible: () -> Void, beforeCommit: () throws -> Void) throws {
        // Readers that use the writer's connection wait for the whole transaction.
        if capabilities.readsWhereItWrites { beforeVisible() }
        try commit(changes) {
            try beforeCommit()
            beforeVisible()
        }
    }

    /// Writes a change set in one transaction or not at all.
    ///
    /// If possible, statements are sent in a pipeline. The outcome of a pipeline is only that every result was the
    /// expected one, or that some result was not. In the second case the transaction is run once more, step by step,
    /// which finds the conflicts. A transaction that was in conflict with another transaction, or was lost with its
    /// connection, is run again with the same changes.
    private func commit(_ changes: ChangeSet, beforeCommit: () throws -> Void) throws {
        if changes.isEmpty, !hasUnsavedMetadata { return }
        // Rows that a migration counts must be counted in each step. Metadata include the version of the tables.
        var isPipelining = capabilities.sendsTogether && rowCounters == nil && !hasUnsavedMetadata
        var order = capabilities.checksReferencesAtOnce ? SaveOrder.referencesKept : .deletionsFirst
        var isLast = false
        var repetitions = Repetitions()
        while true {
            do {
                return try attempt(changes, order, isPipelining: isPipelining) {
                    if changes.goesWithOthers {
                        repetitions.end()
                        isLast = true
                    }
                    try beforeCommit()
                }
            } catch is PipelineMismatch {
                isPipelining = false
            } catch let refused as RefusedRow
                where !isLast && order == .referencesKept && Self.isOfReference(refused) && !changes.deleted.isEmpty
            {
                order = .deletionsLast
            } catch is NoOrder where order == .referencesKept {
                order = .deletionsLast
            } catch is NoOrder {
                throw NoOrder.error
            } catch let failure as any SQLFailure {
                if isPipelining, failure.isOfRow, !isLast {
                    isPipelining = false
                } else if !repetitions.goOn(after: failure) {
                    throw failure.nsError(doing: .saving)
                } else {
                    database.willRepeat()
                }
            }
        }
    }

    /// Whether a row was refused because of the rows to which it leads, or that lead to it.
    private static func isOfReference(_ refused: RefusedRow) -> Bool {
        [NSValidationRelationshipDeniedDeleteError, NSManagedObjectReferentialIntegrityError]
            .contains(refused.error.code)
    }

    private func attempt(
        _ changes: ChangeSet, _ order: SaveOrder, isPipelining: Bool, beforeCommit: () throws -> Void
    ) throws {
        let savesMetadata = hasUnsavedMetadata
        var files = filesOfTransaction()
        var written = Written()
        do {
            database.willSave(rows: changes.inserted.count + changes.updated.count + changes.deleted.count)
            try attempting { connection in
                if isPipelining {
                    try connection.together {
                        written = try writeChangeSet(
                            changes, in: order, on: connection, savesMetadata: savesMetadata, files: &files)
                    }
                } else {
                    written = try writeChangeSet(
                        changes, in: order, on: connection, savesMetadata: savesMetadata, files: &files)
                }
                try beforeCommit()
                try connection.commit()
                if written.isRecorded, let number = connection.transactionNumber { written.recorded = number }
                if let rowCounters {
                    rowCounters.add(changes.inserted)
                    for (index, count) in written.deletedRows { rowCounters.add(-count, ofEntity: index) }
                }
            }
        } catch {
            didAbandon(files)
            throw error
        }
        database.didSave(changes)
        if let recorded = written.recorded { recordedSaves.append(recorded) }
        if let metadata = written.metadata { metadataWereSaved(metadata) }
        didCommit(files)
        rowCache.follow(changes, in: layout)
        for (rootIndex, keys) in written.derived {
            for key in keys {
                rowCache.remove(ObjectKey.key(storeNumber: storeNumber, primaryKey: key), rootIndex: rootIndex)
            }
        }
    }

    /// Further effects of a save beside its rows.
    private struct Written {
        var metadata: [String: Any]?
        var isRecorded = false
        var recorded: Int64?
        var derived: [(rootIndex: Int, primaryKeys: Set<Int64>)] = []
        var deletedRows: [Int: Int] = [:]
    }

    /// Writes everything within a transaction that begins here, and does not commit it.
    ///
    /// All rows that another context or process has changed are found before `SaveConflicts` is thrown.
    private func writeChangeSet(
        _ changes: ChangeSet, in order: SaveOrder, on connection: any SQLConnection, savesMetadata: Bool,
        files: inout ExternalFileChanges
    ) throws -> Written {
        var written = Written()
        let history = historyRecorder(on: connection, origin: changes.origin)
        // If attributes are derived from several rows, only one save at a time computes them.
        try connection.beginSave(alone: derivedAttributes.dependsOnOthers)
        try requireSameModel(connection)
        try history?.readTombstones(of: changes.deleted.map(\.key))
        var session = SaveSession(store: self, connection: connection)
        try session.checkDoubtful(changes)
        try session.checkMembers(of: changes.deleted, in: changes, order)
        try session.writeRows(changes, order, &files)
        try session.check(changes.unchanged)
        if use.checksReferences { try session.checkTargets(of: changes) }
        if !session.conflicts.isEmpty || !session.constraintConflicts.isEmpty {
            throw SaveConflicts(
                conflicts: session.conflicts, constraintConflicts: session.constraintConflicts)
        }
        if !derivedAttributes.isEmpty {
            written.derived = try derivedAttributes.update(for: changes, store: self, connection: connection)
        }
        try history?.record(changes)
        written.recorded = try history?.finish()
        written.isRecorded = written.recorded != nil
        if savesMetadata { written.metadata = try writeMetadata(on: connection) }
        try externalData?.note(files.orphaned, &files)
        written.deletedRows = session.deletedRows
        return written
    }

    /// The writer of the rows of an entity, which is made once.
    package func rowWriter(_ index: Int) throws -> RowWriter {
        if let known = rowWriters.withLock({ $0[index] }) { return known }
        let entity = layout.entities[index]
        guard let number = schema.numbers[index], let table = schema.table(ofRoot: entity.rootIndex)?.name else {
            throw NSError.coreData(
                NSPersistentStoreSaveError, reason: "The store does not hold the entity “\(entity.name)”.", url: url)
        }
        let writer = RowWriter(layout: entity, schema: schema, table: table, number: number)
        rowWriters.withLock { $0[index] = writer }
        return writer
    }
}
