import Foundation

// The versions of a SQLite store that lie in the folder of its migrations.
extension MigrationFolder {
    /// The newer version of the store, whose file is exchanged with the store's at the end.
    var copy: SQLiteStoreFiles { SQLiteStoreFiles(url.appendingPathComponent(store.lastPathComponent)) }

    /// Moves the copy from the place of its last copy stage to the place that the exchange expects. A call after a kill
    /// moves what the killed process has not moved yet.
    func moveCopy(from place: String) throws {
        let source = SQLiteStoreFiles(file(in: place))
        for (from, to) in [(source.supportFolder, copy.supportFolder), (source.main, copy.main)]
        where FileManager.default.fileExists(atPath: from.path) {
            guard rename(from.path, to.path) == 0 else {
                throw WriteFailure.error("“\(from.lastPathComponent)” could not be renamed", from)
            }
        }
        try remove(place)
        Disk.synchronizeFolder(url)
    }
}
