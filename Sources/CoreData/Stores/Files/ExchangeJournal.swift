import Foundation

/// The information by which a process finishes an exchange that another one began: a small file in the migration's
/// folder.
///
/// It is there from the moment both versions are whole and on the disk until the older one has been removed. As long as
/// it is there, the exchange can only be completed.
struct ExchangeJournal: Codable, Equatable {
    /// The digests of the two versions' hashes: they tell which of them lies under a name.
    var older: String
    var newer: String
    /// The older file's counter of changes. If it has risen, the file has changes that the newer version does not have.
    var olderChanges: UInt32
    /// The older file as it was: the newer version was not made of another one in its place, such as a backup.
    var olderFile: FileState?
    /// Marks the newer version's folder of external data; nil when it has none.
    var supportMark: String?
    /// The files in the folder of external data that are the older version's. Other files there, also those that come
    /// until the exchange is over, are of another store with the same folder, and are kept.
    var own: [String]

    static func url(in folder: URL) -> URL { folder.appendingPathComponent("journal.json") }

    /// The journal of a folder; nil when there is none.
    static func read(in folder: URL) throws -> ExchangeJournal? {
        let url = url(in: folder)
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        return try JSONDecoder().decode(ExchangeJournal.self, from: Data(contentsOf: url))
    }

    /// Writes the journal so that it is there whole or not at all, and on the disk when this returns.
    func write(in folder: URL) throws {
        try MigrationFolder.write(self, to: Self.url(in: folder))
    }
}
