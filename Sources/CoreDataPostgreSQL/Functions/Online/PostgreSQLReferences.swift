#if PostgreSQL
@_spi(MigrationTesting) import CoreData

/// The foreign keys of a store that serves two versions. A program of one version deletes rows that a relationship
/// of the other version leads to: then the server clears the reference, or removes the pair.
struct PostgreSQLReferences {
    private let shortLockTransaction: PostgreSQLShortLockTransaction
    private let wanted: [(key: TransferReference, deletion: PostgreSQLStep.Deletion)]

    private var connection: PostgreSQLConnection { shortLockTransaction.connection }

    /// Makes the references that a migration adds, and those of the older version that the newer one does not have.
    ///
    /// - Parameter tables: the tables whose references are taken; nil for all.
    init(_ shortLockTransaction: PostgreSQLShortLockTransaction, _ plan: OnlinePlan, of tables: Set<String>? = nil) {
        self.shortLockTransaction = shortLockTransaction
        let joins = Set(plan.new.joins.map(\.table) + plan.old.joins.map(\.table))
        let keys = (plan.newReferences + plan.unknownReferences).filter { tables?.contains($0.table) ?? true }
        // Both versions delete, or clear, the references of a split by themselves.
        let kept = plan.splits.flatMap { [($0.table, $0.reference), ($0.part, $0.back)] }
        wanted = keys.map { key in
            let isKept = kept.contains { $0 == (key.table, key.column) }
            return (key, joins.contains(key.table) ? .follows : isKept ? .refused : .cleared)
        }
    }

    /// Makes the references of a store that serves one version alone.
    init(_ shortLockTransaction: PostgreSQLShortLockTransaction, only schema: SQLSchema, _ layout: ModelLayout) {
        self.shortLockTransaction = shortLockTransaction
        wanted = PostgreSQLTables.wanted(schema, layout).sorted { ($0.table, $0.column) < ($1.table, $1.column) }
            .map { ($0, .refused) }
    }

    /// Makes what is missing, and makes anew what is otherwise.
    func complete() throws {
        let present = try PostgreSQLTables.presentForeignKeys(on: connection)
        let deletions = try connection.deletionsOfForeignKeys()
        let tables = try connection.tableNames()
        for (key, deletion) in wanted where tables.contains(key.table) && tables.contains(key.target) {
            let expected = connection.script?.references[key]
            let known = expected?.name ?? present[key]
            var others = deletions[key.table] ?? [:]
            if let expected { others[expected.name] = (expected.letter, true) }
            if let known, let now = others[known], now.letter == deletion.letter {
                if !now.isValid { try inspect(known, key.table) }
                continue
            }
            var name = PostgreSQLTables.nameOfForeignKey(key)
            var number = 2
            while name == known || others[name] != nil {
                name = PostgreSQLTables.nameOfForeignKey(key, number: number)
                number += 1
            }
            connection.script?.begin("references of \(key.table).\(PostgreSQLDialect.asGiven(key.column))")
            connection.script?.references[key] = (name, deletion.letter)
            var statements = [PostgreSQLStep.reference(key, name, deletion)]
            if let known { statements.append(PostgreSQLStep.dropping(constraint: known, of: key.table)) }
            try shortLockTransaction.run(statements)
            try inspect(name, key.table)
            MigrationMoment.reach(.stepDone)
        }
    }

    private func inspect(_ name: String, _ table: String) throws {
        try shortLockTransaction.run([PostgreSQLStep.validating(constraint: name, of: table)])
    }
}
#endif
