import Foundation

extension TemplateStore {
    /// Makes the folder, and the empty store of the workload.
    init() throws { try self.init { try Library.createStore(at: $0) } }

    /// The stores that works start from.
    func starts(of works: [Work], with data: SourceData) throws -> [Work.Start: URL] {
        let filled = try filled(with: data, name: "filled")
        var starts = [Work.Start.empty: empty, .filled: filled]
        if works.contains(where: { $0.start == .history }) {
            starts[.history] = try withHistory(of: filled, name: "history")
        }
        return starts
    }

    /// A copy of a filled store that keeps its history, after another number of pages was saved for each of its books.
    private func withHistory(of filled: URL, name: String) throws -> URL {
        let store = try copy(of: filled, name: "\(name).sqlite")
        try Library.makeHistory(of: store.path)
        try checkpoint(store)
        return store
    }
}
