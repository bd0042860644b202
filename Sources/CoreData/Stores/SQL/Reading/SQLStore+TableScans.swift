import Foundation

// Detects fetches for which the database reads a whole table, and suggests indexes for them.
extension SQLStore {
    /// The number of rows from which on reading a whole table is worth an index.
    package static let rowsWorthAnIndex = 10_000

    /// The index that a fetch lacks; nil unless the plan reads a whole table, and the table has many rows.
    func suggestedIndex(
        for request: StoreFetch, _ plan: [FetchExplanation.Step], on connection: any SQLConnection
    ) throws -> FetchExplanation.SuggestedIndex? {
        guard plan.contains(where: \.readsWholeTable), let wanted = IndexedProperty(request, schema),
            let table = schema.table(ofRoot: request.layout.rootIndex)
        else { return nil }
        let count = try connection.prepare(.select(SQLSelect([.countAll], of: table.name))).first { Int($0.int64(0)) }
        guard let count, count > Self.rowsWorthAnIndex else { return nil }
        return .init(entityName: wanted.entityName, propertyName: wanted.propertyName, rowCount: count)
    }

    #if DEBUG
    /// Writes a line to standard error after a fetch that has read a whole large table, once for each index that
    /// would help.
    func reportTableScan(of request: StoreFetch) {
        guard tableScans.takeRows() > Self.rowsWorthAnIndex, let wanted = IndexedProperty(request, schema),
            tableScans.isNew("\(request.layout.name) \(wanted.entityName).\(wanted.propertyName)")
        else { return }
        var rows = request
        rows.result = .keys
        // The fetch has succeeded, so an error of its explanation is ignored.
        guard let index = (try? explained(rows, asRows: false))?.suggestedIndex else { return }
        tableScans.add("CoreData: warning: a fetch of \(request.layout.name) reads a whole table: \(index).")
    }
    #endif
}

#if DEBUG
/// The record of a store's fetches that have read whole tables. Any thread may use it.
package final class TableScans: Sendable {
    private struct State {
        var rows = 0
        var known: Set<String> = []
        var warnings: [String] = []
    }

    private let state = Locked(State())

    /// Records the number of rows that a statement scanned without an index.
    func note(_ rows: Int) {
        if rows > SQLStore.rowsWorthAnIndex { state.withLock { $0.rows = max($0.rows, rows) } }
    }

    fileprivate func takeRows() -> Int {
        state.withLock { state in
            defer { state.rows = 0 }
            return state.rows
        }
    }

    fileprivate func isNew(_ key: String) -> Bool { state.withLock { $0.known.insert(key).inserted } }

    fileprivate func add(_ warning: String) {
        state.withLock { $0.warnings.append(warning) }
        FileHandle.standardError.write(Data((warning + "\n").utf8))
    }

    /// The lines that were written.
    package var warnings: [String] { state.withLock { $0.warnings } }
}
#endif
