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

    /// How many rows came, or went, by the numbers of their entities' layouts.
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
