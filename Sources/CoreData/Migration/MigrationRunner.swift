import CSQLite
import Foundation

/// Carries a plan out on a connection whose transaction is open. Whoever calls it commits or rolls back.
struct MigrationRunner {
    let connection: SQLiteConnection
    let url: URL
    let progress: MigrationProgress
    /// What the store shall say about itself afterwards.
    let metadata: [String: Any]
    let modelCache: Data

    func run(_ plan: MigrationPlan) throws {
        progress.begin(totalUnits: plan.totalUnits + 1)
        for (step, rows) in zip(plan.steps, plan.rows) {
            if progress.isCancelled { throw MigrationErrors.cancelled(url: url) }
            progress.beginStep(step, rows: rows)
            do {
                try progress.following(connection) { try run(step, rows: rows) }
            } catch let error as SQLiteError {
                throw translated(error, step)
            }
            progress.endStep()
            MigrationMoment.reach(.stepDone)
        }
        progress.endSteps()
        if progress.isCancelled { throw MigrationErrors.cancelled(url: url) }
    }

    private func run(_ step: MigrationStep, rows: Int) throws {
        switch step {
        case .check(let check): try look(for: check)
        case .replaceKeys(let numbers, let keys): try replaceKeys(numbers, keys)
        case .replaceModelCache: try replaceModelCache()
        case .writeMetadata: try SQLStoreMetadata.write(metadata, to: connection, url: url)
        case .createIndex where rows > 0 && progress.isFollowed:
            // As much as the cache is what is sorted at once, in one instruction that cannot be stopped.
            try connection.execute("PRAGMA cache_size = -8192")
            try runCommands(of: step, rows: rows)
            try connection.execute("PRAGMA cache_size = -65536")
        default: try runCommands(of: step, rows: rows)
        }
    }

    private func runCommands(of step: MigrationStep, rows: Int) throws {
        for command in step.commands() {
            if rows > 0 {
                progress.beginStatement(
                    instructionsPerRow: progress.instructionsPerRow(of: command.sql, on: connection))
            }
            let statement = try connection.prepare(command.sql)
            for (place, value) in command.values.enumerated() { statement.bind(place + 1, value) }
            while try statement.step() {}
        }
    }

    private func look(for check: MigrationCheck) throws {
        let (sql, values) = check.query
        progress.beginStatement(instructionsPerRow: progress.instructionsPerRow(of: sql, on: connection))
        if let error = try check.failure(on: connection, sql, values, url: url) { throw error }
    }

    /// The highest keys go on counting where the tables they come from stopped.
    private func replaceKeys(_ numbers: [Int], _ keys: [MigrationKeyRow]) throws {
        var highest: [Int: Int64] = [:]
        let read = try connection.prepare("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY")
        while try read.step() { highest[Int(read.int64(0))] = read.int64(1) }
        read.reset()
        let delete = try connection.prepare("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
        for number in Set(numbers + keys.map(\.number)) {
            delete.bind(1, Int64(number))
            try delete.run()
        }
        let insert = try connection.prepare(
            "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, ?)")
        for key in keys {
            insert.bind(1, Int64(key.number))
            insert.bind(2, key.name)
            insert.bind(3, Int64(key.parent))
            insert.bind(4, key.continues.compactMap { highest[$0] }.max() ?? 0)
            try insert.run()
        }
    }

    private func replaceModelCache() throws {
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB); DELETE FROM Z_MODELCACHE")
        let insert = try connection.prepare("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
        insert.bind(1, modelCache)
        try insert.run()
    }

    // MARK: Errors

    /// The keys of some rows that have the same values, in the table as it is now.
    private func duplicates(of index: SQLIndex) throws -> [Int64] {
        let dialect = SQLiteDialect()
        let columns = index.columns.map { dialect.quoted($0.name) }
        let list = columns.joined(separator: ", ")
        let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        let table = dialect.quoted(index.table)
        let statement = try connection.prepare(
            "SELECT Z_PK FROM \(table) WHERE (\(list)) = (SELECT \(list) FROM \(table) WHERE \(present) "
                + "GROUP BY \(list) HAVING COUNT(*) > 1 LIMIT 1) ORDER BY Z_PK LIMIT 5")
        var rows: [Int64] = []
        while try statement.step() { rows.append(statement.int64(0)) }
        return rows
    }

    private func translated(_ error: SQLiteError, _ step: MigrationStep) -> NSError {
        if error.primaryCode == SQLITE_INTERRUPT, progress.isCancelled { return MigrationErrors.cancelled(url: url) }
        if case .createIndex(let index) = step, index.isUnique, error.isConstraint {
            return MigrationErrors.duplicates(
                of: index, entity: progress.entity(ofTable: index.table), rows: (try? duplicates(of: index)) ?? [],
                url: url, underlying: error.nsError(doing: .saving))
        }
        if case .tagValues(_, _, _, false, let place) = step, error.message.hasPrefix(MigrationFunctions.missingFile) {
            let row = Int64(error.message.dropFirst(MigrationFunctions.missingFile.count))
            return MigrationErrors.missingFile(of: place, row: row, url: url)
        }
        return MigrationErrors.translated(error, url: url, doing: "\(step)")
    }
}

extension MigrationErrors {
    /// An error of SQLite as callers know it: a full disk, a lock and a damaged file have codes of their own, everything
    /// else is a failed migration.
    static func translated(
        _ error: SQLiteError, url: URL, doing step: String, isInPlace: Bool = true
    ) -> NSError {
        let known = error.nsError(doing: .saving)
        guard known.code == NSSQLiteError else { return known }
        return .coreData(
            NSMigrationError,
            reason: "\(isInPlace ? "Cannot migrate store in-place" : "The migration failed"): "
                + "\(error.message) (\(step))", url: url,
            sqliteCode: error.code, underlying: known)
    }
}
