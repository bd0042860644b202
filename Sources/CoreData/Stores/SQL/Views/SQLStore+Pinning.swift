import Foundation

/// The pinned views of a store, and the watch for its commits. They end with the store.
// @unchecked Sendable: mutable state is used under the lock.
final class StoreDependents: @unchecked Sendable {
    private let lock = NSLock()
    private var views: [WeakView] = []
    private var watch: (any CommitWatch)?

    func add(_ view: SQLStore) {
        lock.withLock {
            views.removeAll { $0.view == nil }
            views.append(WeakView(view: view))
        }
    }

    /// Sets the watch, and cancels the one before it.
    func set(_ watch: (any CommitWatch)?) {
        let old = lock.withLock {
            defer { self.watch = watch }
            return self.watch
        }
        old?.cancel()
    }

    /// Closes the pinned views, which have no database any more once the store is closed.
    func close() {
        set(nil)
        for view in lock.withLock({ views.compactMap(\.view) }) { view.close() }
    }
}

private struct WeakView {
    weak var view: SQLStore?
}

extension SQLStore {
    /// The present state of the store, with a row cache of its own. Nil if the store cannot change, or if the database
    /// keeps no past states.
    package final func pinned() throws -> (any RowStore)? {
        do {
            guard let past = try database.pinned() else { return nil }
            return view(of: past)
        } catch let failure as any SQLFailure {
            throw failure.nsError(doing: .reading)
        }
    }

    /// The store as standbys have it, with a row cache of its own; nil if the database has no standbys.
    package final func standby() -> (any RowStore)? {
        let shown = Locked<WeakView>(WeakView())
        let standby = database.standby { shown.withLock { $0.view }?.rowCache.removeAll() }
        guard let standby else { return nil }
        let view = view(of: standby)
        shown.withLock { $0.view = view }
        return view
    }

    package final func requireNewStandbys() { database.requireNewStandbys() }

    private func view(of database: any SQLDatabase) -> SQLStore {
        let view = SQLStore(parts, database: database)
        view.isReadOnly = true
        dependents.add(view)
        return view
    }
}
