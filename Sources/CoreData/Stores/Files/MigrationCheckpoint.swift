import Foundation

/// The progress of a copy, so that a killed migration is resumed instead of being repeated.
///
/// A small file in the migration's folder. It counts only for the same file in the same state, the same way, and the
/// same build of the program: another one may do the same stages otherwise.
struct MigrationCheckpoint: Codable, Equatable {
    /// The digest of the store's version hashes, its counter of changes, and the file itself.
    var older: String
    var olderChanges: UInt32
    var olderFile: FileState?
    /// The names of all legs of the way.
    var legs: [String]
    /// The file of the running program, and the time of its last change.
    var program: String
    /// The number of legs that are done.
    var done: Int
    /// The folder, within that of the migration, in which the copy lies.
    var place: String
    /// The number of rows of each entity that the copy must have.
    var rows: [String: Int] = [:]

    static func url(in folder: URL) -> URL { folder.appendingPathComponent("checkpoint.json") }

    /// The checkpoint of a folder; nil when there is none, or none that can be read.
    static func read(in folder: URL) -> MigrationCheckpoint? {
        (try? Data(contentsOf: url(in: folder))).flatMap {
            try? JSONDecoder().decode(MigrationCheckpoint.self, from: $0)
        }
    }

    /// Writes the checkpoint so that it is there whole or not at all, and on the disk when this returns.
    func write(in folder: URL) throws {
        try MigrationFolder.write(self, to: Self.url(in: folder))
    }

    /// Whether it is about the same migration, however far it is.
    func isSameMigration(as other: MigrationCheckpoint) -> Bool {
        older == other.older && olderChanges == other.olderChanges && olderFile == other.olderFile && legs == other.legs
            && program == other.program
    }

    /// The program that is running, as a text that differs from that of any other build.
    static let thisProgram: String = {
        guard let url = Bundle.main.executableURL?.resolvingSymlinksInPath(),
            let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        else { return "" }
        let size = (attributes[.size] as? NSNumber)?.int64Value ?? 0
        let date = (attributes[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
        return "\(url.path) \(size) \(date)"
    }()
}
