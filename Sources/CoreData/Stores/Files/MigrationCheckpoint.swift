import Foundation

/// The progress of a copy, so that a killed migration is resumed instead of being repeated.
///
/// It is a small file in the migration's folder. It is valid only for the same file in the same state, the same copy
/// stages, and the same build of the program, because another build may do the stages in another way.
struct MigrationCheckpoint: Codable, Equatable {
    /// The digest of the store's version hashes, its change counter, and the file itself.
    var older: String
    var olderChanges: UInt32
    var olderFile: FileState?
    /// The names of all copy stages of the migration.
    var copyStages: [String]
    /// The file of the running program, and the time of its last change.
    var program: String
    /// The number of copy stages that are done.
    var done: Int
    /// The folder of the copy, within the folder of the migration.
    var place: String
    /// The number of rows of each entity that the copy must have.
    var rows: [String: Int] = [:]

    private enum CodingKeys: String, CodingKey {
        case older, olderChanges, olderFile, program, done, place, rows
        case copyStages = "legs"
    }

    static func url(in folder: URL) -> URL { folder.appendingPathComponent("checkpoint.json") }

    /// The checkpoint of a folder; nil if there is none, or if it cannot be read.
    static func read(in folder: URL) -> MigrationCheckpoint? {
        (try? Data(contentsOf: url(in: folder))).flatMap {
            try? JSONDecoder().decode(MigrationCheckpoint.self, from: $0)
        }
    }

    /// Writes the checkpoint completely or not at all. It is on the disk when this returns.
    func write(in folder: URL) throws {
        try MigrationFolder.write(self, to: Self.url(in: folder))
    }

    /// Whether another checkpoint is of the same migration, whatever the progress of the two.
    func isSameMigration(as other: MigrationCheckpoint) -> Bool {
        older == other.older && olderChanges == other.olderChanges && olderFile == other.olderFile
            && copyStages == other.copyStages && program == other.program
    }

    /// The identity of the running program, as a text that differs from that of any other build.
    static let thisProgram: String = {
        guard let url = Bundle.main.executableURL?.resolvingSymlinksInPath(),
            let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        else { return "" }
        let size = (attributes[.size] as? NSNumber)?.int64Value ?? 0
        let date = (attributes[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
        return "\(url.path) \(size) \(date)"
    }()
}
