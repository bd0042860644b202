import Foundation

extension ForgottenFiles {
    /// Records the files that the rows name at those places, in the transaction that removes the names.
    func note(storeAt url: URL, on connection: SQLiteConnection) throws {
        var names: Set<String> = []
        for place in places {
            names.formUnion(try connection.externalFileNames(in: place.column, of: place.table))
        }
        var files = ExternalFileChanges()
        let store = SQLiteStoreFiles(url)
        // A file that cannot be recorded only takes space.
        try? ExternalData(folder: store.externalDataFolder, storeName: store.main.lastPathComponent)
            .note(names.sorted(), &files)
    }
}
