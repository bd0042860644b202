import Foundation

/// The one transaction of a batch request, and what has to follow from it: external files, derived attributes, the row
/// cache, history.
final class BatchTransaction {
    let store: SQLStore
    let connection: any SQLConnection
    let history: HistoryRecorder?
    var outcome = BatchOutcome()
    var files: ExternalFileChanges
    /// Root entities whose rows were changed or deleted: nothing of them may stay in the row cache.
    var changedRoots: Set<Int> = []
    /// Join tables that lost pairs.
    var changedJoins: Set<Int> = []

    init(store: SQLStore, connection: any SQLConnection, origin: ChangeOrigin) {
        self.store = store
        self.connection = connection
        history = store.historyRecorder(on: connection, origin: origin)
        files = store.filesOfTransaction()
    }

    /// How many rows came, or went, by the numbers of their entities' layouts.
    var rows: [Int: Int] = [:]

    /// Counts a row of the batch.
    func take(_ key: ObjectKey, wantsKeys: Bool) {
        outcome.count += 1
        if wantsKeys { outcome.keys.append(key) }
    }

    /// Derived attributes of the given rows themselves.
    func derive(_ rows: [ObjectKey]) throws {
        if store.derivedAttributes.isEmpty { return }
        let roots = try store.derivedAttributes.update(rows: rows, connection: connection)
        changedRoots.formUnion(roots)
    }

    /// What is left to do before the commit.
    func finish() throws {
        if !store.derivedAttributes.isEmpty {
            let roots = try store.derivedAttributes.refresh(
                dependingOn: changedRoots, joins: changedJoins, store: store, connection: connection)
            changedRoots.formUnion(roots)
        }
        try store.externalData?.note(files.orphaned, &files)
        try history?.finish()
    }
}
