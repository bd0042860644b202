import Foundation

extension ForgottenFiles {
    /// Notes the files that rows name in those places. In the transaction that forgets them.
    func note(storeAt url: URL, on connection: SQLiteConnection) throws {
        var names: Set<String> = []
        for place in places {
            names.formUnion(try connection.externalFileNames(in: place.column, of: place.table))
        }
        var files = ExternalFileChanges()
        let store = SQLiteStoreFiles(url)
        // A file that cannot be noted is only waste.
        try? ExternalData(folder: store.externalDataFolder, storeName: store.main.lastPathComponent)
            .note(names.sorted(), &files)
    }
}
