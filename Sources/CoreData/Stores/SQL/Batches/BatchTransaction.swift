// Implementation notes: Stores/SQL/Batches.
//
// - A batch is one transaction of the writer. If its result is a number and its rows have no consequences, it is one
//   UPDATE or DELETE. Consequences of rows are history, derived attributes, external values and delete rules.
// - The results of an expression are checked before, by its least and its greatest value: a number that does not fit is
//   the same error. PostgreSQL's columns have types, so with PostgreSQL only deletions use one statement. The
//   benchmarks' instructions show that it is used.
// - Any other batch reads the rows from another connection, which still reads the store as it was when the transaction
//   began. So rows are streamed, expressions use old values, and memory does not grow.
// - PostgreSQL returns such rows by a cursor of the server (`SQLPreparedStatement.stream`), and likewise the values
//   that the client evaluates, and history. libpq would hold all of them in memory first.
// - Without a -wal (in memory, rollback journal) the keys are collected first.
// - A batch over several stores begins in the first one (files in the order of their paths). It completes the parts of
//   the other stores before the first one commits, as saves do.
// - Delete rules of a batch work on columns. `BatchDeletionPlan` lists the columns of all tables that refer to a
//   deleted row. `BatchDeleter` follows cascades with a list of its own, so a chain may be of any length. Rows that
//   must be deleted by the end are searched for at the end.

import Foundation

/// The one transaction of a batch request, and its consequences: external files, derived attributes, the row cache,
/// history.
package final class BatchTransaction {
    package let store: SQLStore
    package let connection: any SQLConnection
    package let history: HistoryRecorder?
    package var outcome = BatchOutcome()
    package var files: ExternalFileChanges
    /// The root entities whose rows were changed or deleted. None of their rows may stay in the row cache.
    package var changedRoots: Set<Int> = []
    /// The join tables that lost pairs.
    package var changedJoins: Set<Int> = []

    package init(store: SQLStore, connection: any SQLConnection, origin: ChangeOrigin) {
        self.store = store
        self.connection = connection
        history = store.historyRecorder(on: connection, origin: origin)
        files = store.filesOfTransaction()
    }

    /// Whether a changed or deleted row has no consequences, so that the keys of the rows are not needed.
    package var writesRowsOnly: Bool { history == nil && store.derivedAttributes.isEmpty }

    /// The number of rows that were inserted, or deleted, by the numbers of their entities' layouts.
    package var rows: [Int: Int] = [:]

    /// Counts a row of the batch.
    package func take(_ key: ObjectKey, wantsKeys: Bool) {
        outcome.count += 1
        if wantsKeys { outcome.keys.append(key) }
    }

    /// Computes the derived attributes of the given rows themselves.
    package func derive(_ rows: [ObjectKey]) throws {
        if store.derivedAttributes.isEmpty { return }
        let roots = try store.derivedAttributes.update(rows: rows, connection: connection)
        changedRoots.formUnion(roots)
    }

    /// Does the remaining work before the commit.
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
