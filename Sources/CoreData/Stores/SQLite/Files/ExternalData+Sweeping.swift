import Foundation

extension ExternalData {
    /// Removes the files that killed processes left and that no row names. `columns` are the columns that may name
    /// files, by table.
    ///
    /// Nothing is removed while another process writes to the store. The next opening of the store removes the files
    /// then.
    func sweep(_ columns: [String: [String]], storeAt url: URL) throws {
        let notes = notes
        if notes.isEmpty { return }
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 0)
        // The holder of SQLite's write lock can rely on it that no transaction is under way, in this or in another
        // process.
        try connection.transaction {
            // The store that came into this one's place keeps its values in the same folder.
            if connection.hasMoved { return }
            var left: Set<String> = []
            for note in notes {
                let text = String(decoding: (try? Data(contentsOf: note)) ?? Data(), as: UTF8.self)
                left.formUnion(text.split(separator: "\n").map(String.init).filter { UUID(uuidString: $0) != nil })
            }
            for (table, columns) in columns where !left.isEmpty {
                for column in columns { left.subtract(try connection.externalFileNames(in: column, of: table)) }
            }
            if left.isEmpty || removeForgotten(Array(left)) { for note in notes { unlink(note.path) } }
        }
    }
}

extension SQLiteStore {
    /// Removes external values that killed processes and migrations have left. A file that cannot be removed only takes
    /// up space, so errors are ignored.
    func sweepExternalData() {
        guard let externalData, let url, !isReadOnly else { return }
        try? externalData.sweep(externalColumns, storeAt: url)
    }
}
