import Foundation

extension ExternalData {
    /// Removes the files that killed processes left and no row names. `columns` are those that may name files, by
    /// table.
    ///
    /// Nothing happens while another process writes to the store: then the next opening does it.
    func sweep(_ columns: [String: [String]], storeAt url: URL) throws {
        let notes = notes
        if notes.isEmpty { return }
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 0)
        // The holder of the right to write knows that no transaction is under way, here or in another process.
        try connection.transaction {
            // The next store keeps its values in the same folder.
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
    /// Removes external values that killed processes, and migrations, have left. A file that cannot be removed now is
    /// only waste.
    func sweepExternalData() {
        guard let externalData, let url, !isReadOnly else { return }
        try? externalData.sweep(externalColumns, storeAt: url)
    }
}
