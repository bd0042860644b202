import Foundation

/// Carries a plan out on a connection whose transaction is open. The caller commits or rolls back.
struct MigrationRunner {
    let connection: any SQLConnection
    let url: URL
    let progress: MigrationProgress
    /// The metadata of the store afterwards.
    let metadata: [String: Any]
    let modelCache: Data

    func run(_ plan: MigrationPlan) throws {
        progress.begin(totalUnits: plan.totalUnits + 1)
        for (step, rows) in zip(plan.steps, plan.rows) {
            if progress.isCancelled { throw MigrationErrors.cancelled(url: url) }
            progress.beginStep(step, rows: rows)
            do {
                try progress.following(connection) { try run(step, rows: rows) }
            } catch let error as any SQLFailure {
                throw translated(error, step)
            }
            progress.endStep()
            MigrationMoment.reach(.stepDone)
        }
        progress.endSteps()
        if progress.isCancelled { throw MigrationErrors.cancelled(url: url) }
    }

    /// Runs the statements of one step. A forecast calls it with a connection that notes them.
    func run(_ step: MigrationStep, rows: Int) throws {
        switch step {
        case .check(let check): try search(for: check)
        case .replaceModelCache: try StoredModel.replace(by: modelCache, on: connection)
        case .writeMetadata: try SQLStoreMetadata.write(metadata, to: connection, url: url)
        case .deriveOnClient(let table, _, let numbers, let derivation):
            try compute(derivation, ofTable: table, numbers)
        case .renameEntities(_, let names):
            try runCommands(of: step, rows: rows)
            connection.nameEntities(names)
        case .createIndex where rows > 0 && progress.isFollowed:
            try connection.sortingInPieces { try runCommands(of: step, rows: rows) }
        default: try runCommands(of: step, rows: rows)
        }
    }

    /// Computes a derived attribute in the program, some hundred rows at a time.
    private func compute(_ derivation: ClientDerivation, ofTable table: String, _ numbers: [Int]?) throws {
        try ClientDerivation.eachPage(ofKeysIn: table, where: numbers.map { .isEntity($0) }, connection) { keys in
            if progress.isCancelled { throw MigrationErrors.cancelled(url: url) }
            try derivation.compute(keys, connection)
        }
    }

    private func runCommands(of step: MigrationStep, rows: Int) throws {
        for command in step.commands() {
            if rows > 0 { progress.beginStatement(command, on: connection) }
            try connection.run(command)
        }
    }

    private func search(for check: MigrationCheck) throws {
        progress.beginStatement(.select(check.query), on: connection)
        if let error = try check.failure(on: connection, url: url) { throw error }
    }

    // MARK: Errors

    /// The keys of some rows that have the same values, in the table as it is now.
    private func duplicates(of index: SQLIndex) throws -> [Int64] {
        let columns = index.columns.map { SQLExpression.column($0.name) }
        var repeated = SQLSelect(columns, of: index.table, where: .and(columns.map { .isNotNull($0) }), limit: 1)
        repeated.groupBy = columns
        repeated.having = .binary(.greater, .countAll, .number(1))
        let key = SQLExpression.column(SQLSchema.keyColumn)
        let select = SQLSelect(
            [key], of: index.table, where: .binary(.equal, .row(columns), .scalar(repeated)), orderedBy: [key], limit: 5
        )
        var rows: [Int64] = []
        try connection.prepare(.select(select)).rows { rows.append($0.int64(0)) }
        return rows
    }

    private func translated(_ error: any SQLFailure, _ step: MigrationStep) -> NSError {
        if error.isOfStopping, progress.isCancelled { return MigrationErrors.cancelled(url: url) }
        if case .createIndex(let index) = step, index.isUnique, error.isUniqueness {
            return MigrationErrors.duplicates(
                of: index, entity: progress.entity(ofTable: index.table), rows: (try? duplicates(of: index)) ?? [],
                url: url, underlying: error.nsError(doing: .saving))
        }
        if case .createIndex(let index) = step, error.kind == .tooLargeForIndex {
            return MigrationErrors.tooLarge(
                for: index, entity: progress.entity(ofTable: index.table), row: nil, url: url,
                underlying: error.nsError(doing: .saving))
        }
        if case .tagValues(_, _, _, false, let place) = step, case .missingExternalData(let row) = error.kind {
            return MigrationErrors.missingFile(of: place, row: row, url: url)
        }
        return MigrationErrors.translated(error, url: url, doing: "\(step)")
    }
}

extension MigrationErrors {
    /// Translates a failure of the database into an error for callers. A full disk, a lock and a damaged file have
    /// codes of their own. Every other failure is a failed migration.
    static func translated(
        _ error: any SQLFailure, url: URL, doing step: String, isInPlace: Bool = true
    ) -> NSError {
        let known = error.nsError(doing: .saving)
        guard known.code == NSSQLiteError || known.code == NSPersistentStoreSaveError else { return known }
        return .coreData(
            NSMigrationError,
            reason: "\(isInPlace ? "Cannot migrate store in-place" : "The migration failed"): "
                + "\(error.message) (\(step))", url: url,
            sqliteCode: error.codeOfEngine, underlying: known)
    }
}
