import Foundation

/// The information by which a process completes an exchange that another process began: a small file in the migration's
/// folder.
///
/// The file exists from the moment at which both versions are complete and on the disk until the older one has been
/// removed. As long as it exists, the exchange can only be completed.
struct ExchangeJournal: Codable, Equatable {
    /// The digests of the two versions' hashes, which show the version of a file.
    var older: String
    var newer: String
    /// The older file's change counter. If it has risen, the file has changes that the newer version does not have.
    var olderChanges: UInt32
    /// The state of the older file. If it differs, the newer version was made from another file, and a backup may have
    /// taken the file's place.
    var olderFile: FileState?
    /// The name of the file that marks the newer version's folder of external data; nil if it has none.
    var supportMark: String?
    /// The files in the folder of external data that belong to the older version. Other files there, also those that
    /// are added until the exchange is over, belong to another store with the same folder, and are kept.
    var own: [String]

    static func url(in folder: URL) -> URL { folder.appendingPathComponent("journal.json") }

    /// The journal of a folder; nil if there is none.
    static func read(in folder: URL) throws -> ExchangeJournal? {
        let url = url(in: folder)
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        return try JSONDecoder().decode(ExchangeJournal.self, from: Data(contentsOf: url))
    }

    /// Writes the journal completely or not at all. It is on the disk when this returns.
    func write(in folder: URL) throws {
        try MigrationFolder.write(self, to: Self.url(in: folder))
    }
}
