import Foundation

extension SQLiteStore {
    /// The store as it is now, read by a connection of its own that keeps its read transaction; nil without a -wal, where
    /// nothing could be written meanwhile.
    func makeView() throws -> (any RowStore)? {
        let pinned: SQLiteConnection?
        do {
            pinned = try connections.readers.makePinned()
        } catch let error as SQLiteError {
            throw error.nsError(doing: .reading)
        }
        guard let connection = pinned else { return nil }
        let view = SQLiteStore(pinning: self, connection: connection)
        viewLock.withLock {
            views.removeAll { $0.view == nil }
            views.append(WeakView(view: view))
        }
        return view
    }

    struct WeakView {
        weak var view: SQLiteStore?
    }

    /// Pinned views have nothing to read from once the store is closed.
    func closeViews() {
        for view in viewLock.withLock({ views.compactMap(\.view) }) { view.close() }
    }
}
