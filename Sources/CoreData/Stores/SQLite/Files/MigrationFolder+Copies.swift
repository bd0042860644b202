import Foundation

// The versions of a SQLite store that lie in the folder of its migrations.
extension MigrationFolder {
    /// The newer version of the store, which is to be exchanged with it.
    var copy: SQLiteStoreFiles { SQLiteStoreFiles(url.appendingPathComponent(store.lastPathComponent)) }

    /// Moves the copy from the place of its last leg to where the exchange will look for it. Goes on where a killed
    /// process stopped doing so.
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
