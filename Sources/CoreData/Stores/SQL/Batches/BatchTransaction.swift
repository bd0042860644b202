// About the room Stores/SQL/Batches.
//
// - A batch is one transaction of the writer. If its result is a number and nothing follows from a row, it is one
//   UPDATE or DELETE. History, derived attributes, external values and delete rules follow from rows.
// - The results of an expression are looked at before, by its least and its greatest value: a number that does not fit
//   is the same error. PostgreSQL's columns have types, so there only deletions take this way. The benchmarks'
//   instructions show that it is taken.
// - Any other batch reads the rows from another connection, which still sees the store as it was when the transaction
//   began. So rows stream through, expressions see old values, and memory does not grow.
// - PostgreSQL gives such rows by a cursor of the server's (`SQLPreparedStatement.stream`), and so it gives the values
//   that the program judges, and history. libpq would hold all of them in memory first.
// - Without a -wal (in memory, rollback journal) the keys are gathered first.
// - A batch over several stores begins in the first one (files in the order of their paths). It does the others' parts
//   before the first one commits, as saves do.
// - Delete rules of a batch work on columns. `BatchDeletionPlan` says which columns of which tables refer to a deleted
//   row. `BatchDeleter` follows cascades with a list of its own, so a chain may be of any length. Rows that must be
//   gone in the end are looked for in the end.

import Foundation

/// The one transaction of a batch request, and its consequences: external files, derived attributes, the row cache,
/// history.
package final class BatchTransaction {
    package let store: SQLStore
    package let connection: any SQLConnection
    package let history: HistoryRecorder?
    package var outcome = BatchOutcome()
    package var files: ExternalFileChanges
    /// Root entities whose rows were changed or deleted: nothing of them may stay in the row cache.
    package var changedRoots: Set<Int> = []
    /// Join tables that lost pairs.
    package var changedJoins: Set<Int> = []

    package init(store: SQLStore, connection: any SQLConnection, origin: ChangeOrigin) {
        self.store = store
        self.connection = connection
        history = store.historyRecorder(on: connection, origin: origin)
        files = store.filesOfTransaction()
    }

    /// Whether nothing follows from a row that is changed or deleted: nobody has to know which rows they are.
    package var writesRowsOnly: Bool { history == nil && store.derivedAttributes.isEmpty }

    /// The number of rows that were inserted, or deleted, by the numbers of their entities' layouts.
    package var rows: [Int: Int] = [:]

    /// Counts a row of the batch.
    package func take(_ key: ObjectKey, wantsKeys: Bool) {
        outcome.count += 1
        if wantsKeys { outcome.keys.append(key) }
    }

    /// Derived attributes of the given rows themselves.
    package func derive(_ rows: [ObjectKey]) throws {
        if store.derivedAttributes.isEmpty { return }
        let roots = try store.derivedAttributes.update(rows: rows, connection: connection)
        changedRoots.formUnion(roots)
    }

    /// Does the rest of the work before the commit.
    package func finish() throws {
        if !store.derivedAttributes.isEmpty {
            let roots = try store.derivedAttributes.refresh(
                dependingOn: changedRoots, joins: changedJoins, store: store, connection: connection)
            changedRoots.formUnion(roots)
        }
        try store.externalData?.note(files.orphaned, &files)
        try history?.finish()
    }
}
