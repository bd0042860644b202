import Foundation

extension SQLStore: BatchStore {
    package final var batches: (any BatchStore)? { acceptsBatches ? self : nil }

    package var acceptsBatches: Bool { !decidesByObject }

    /// The number of rows of a batch that are processed together.
    package static var batchSize: Int { 256 }

    package func insert(_ batch: BatchInsertion) throws -> BatchOutcome {
        try runBatch(batch.origin, isRepeatable: batch.restart != nil, beforeCommit: {}) {
            batch.restart?()
            try BatchInserter(batch, $0).run()
        }
    }

    package func update(_ batch: BatchUpdate, beforeCommit: () throws -> Void) throws -> BatchOutcome {
        guard shapes[batch.rows.layout.index] != nil else {
            try beforeCommit()
            return BatchOutcome()
        }
        return try runBatch(batch.origin, isRepeatable: !batch.goesWithOthers, beforeCommit: beforeCommit) {
            try BatchUpdater(batch, $0).run()
        }
    }

    package func delete(_ batch: BatchDeletion, beforeCommit: () throws -> Void) throws -> BatchOutcome {
        guard shapes[batch.rows.layout.index] != nil else {
            try beforeCommit()
            return BatchOutcome()
        }
        return try runBatch(batch.origin, isRepeatable: !batch.goesWithOthers, beforeCommit: beforeCommit) {
            try BatchDeleter(batch, $0).run()
        }
    }

    /// Runs a batch in one transaction. A transaction that another one has disturbed, or that was lost with its
    /// connection, is run again.
    ///
    /// - Parameter isRepeatable: false if a repetition would call the program's own code or write other stores again.
    private func runBatch(
        _ origin: ChangeOrigin, isRepeatable: Bool, beforeCommit: () throws -> Void,
        _ body: (BatchTransaction) throws -> Void
    ) throws -> BatchOutcome {
        func attempt(_ connection: any SQLConnection) throws -> BatchTransaction {
            try connection.begin()
            try requireSameModel(connection)
            let transaction = BatchTransaction(store: self, connection: connection, origin: origin)
            do {
                do {
                    try body(transaction)
                    try transaction.finish()
                } catch let failure as any SQLFailure where failure.isUniqueness {
                    throw constraintError(failure)
                } catch let taken as TakenKey {
                    throw taken.error
                } catch let refused as RefusedRow {
                    throw refused.error
                }
                try beforeCommit()
                try connection.commit()
            } catch {
                didAbandon(transaction.files)
                throw error
            }
            return transaction
        }
        let done = try isRepeatable ? repeating(attempt) : writing(attempt)
        didCommit(done.files)
        for (index, count) in done.rows { rowCounters?.add(count, ofEntity: index) }
        for root in done.changedRoots { rowCache.removeAll(rootIndex: root) }
        return done.outcome
    }

    /// The error for a broken uniqueness constraint that no merge policy resolves.
    private func constraintError(_ failure: any SQLFailure) -> NSError {
        NSError.coreData(
            NSManagedObjectConstraintMergeError,
            reason: "Could not merge changes: a row of the batch breaks a uniqueness constraint (\(failure.message))",
            url: url, sqliteCode: failure.codeOfEngine)
    }

    /// Runs a body with the rows of a SELECT as they were when the transaction on `connection` began, some hundred at a
    /// time. Changes of the body do not appear in the rows that follow.
    ///
    /// If another connection reads, it reads that state while the writer continues, and memory does not grow with the
    /// rows, unless the client sorts them. In a SQLite store without a -wal no connection can read beside the writer:
    /// all rows are read before the body is called.
    package func scan(
        _ select: SQLSelect, beside connection: any SQLConnection, _ body: ([[SlotValue]]) throws -> Void
    ) throws {
        func run(on connection: any SQLConnection, keepsAll: Bool) throws {
            var rows: [[SlotValue]] = []
            func take(_ row: [SlotValue]) throws {
                rows.append(row)
                if keepsAll || rows.count < Self.batchSize { return }
                try body(rows)
                rows.removeAll(keepingCapacity: true)
            }
            if let postProcessing = postProcessing(of: select) {
                try postProcessing.stream(
                    connection.prepare(.select(clientEvaluated(postProcessing.request, on: connection))), take)
            } else {
                let select = try clientEvaluated(select, on: connection)
                try connection.prepare(.select(select)).stream({ _ in }) { row in
                    // The second column is the entity, which may be a name in the row.
                    try take(
                        select.results.indices.map {
                            $0 == 1 && !row.isNull(1) ? .int(row.int64(1)) : row.slotValue($0)
                        })
                }
            }
            for start in stride(from: 0, to: rows.count, by: Self.batchSize) {
                try body(Array(rows[start..<min(start + Self.batchSize, rows.count)]))
            }
        }
        if capabilities.readsWhereItWrites { return try run(on: connection, keepsAll: true) }
        try database.read { try run(on: $0, keepsAll: false) }
    }

    /// A SELECT of the rows of a batch: key and entity number first, then the columns that `addResults` adds.
    package func selection(
        of rows: StoreFetch, _ addResults: (SQLFetchTranslator, SQLFrame) throws -> Void
    ) throws -> SQLSelect {
        let translator = translator(for: rows.layout)
        let frame = try translator.frame(includesSubentities: rows.includesSubentities)
        if let predicate = rows.predicate { frame.addCondition(try translator.condition(predicate, in: frame)) }
        if rows.limit > 0 { frame.select.limit = rows.limit }
        if rows.offset > 0 { frame.select.offset = rows.offset }
        try translator.addOrder(rows.sortDescriptors, to: frame)
        frame.select.results = [SQLSchema.keyColumn, SQLSchema.entityColumn].map {
            SQLSelect.Result(expression: frame.column($0))
        }
        try addResults(translator, frame)
        return frame.select
    }

    /// The key of a row that `selection` returns; nil if its entity is not in the model.
    package func key(of row: [SlotValue], rootIndex: Int) throws -> ObjectKey? {
        guard case .int(let primaryKey) = row[0] else { return nil }
        var number: Int64 = 0
        if case .int(let given) = row[1] { number = given }
        return try layoutIndex(number: number, rootIndex: rootIndex).map {
            ObjectKey(layoutIndex: $0, key: try key(primaryKey, rootIndex: rootIndex))
        }
    }
}
