import Foundation

/// Describes the damage of a file that SQLite refuses, as far as its header and its size show it.
enum SQLiteFault {
    static let remedy = SQLStoreMetadata.remedy

    /// The damage of the -wal of a store that can be read. SQLite ignores unreadable parts of a -wal without an error.
    static func faultsOfLog(of files: SQLiteStoreFiles) -> [String] {
        guard let bytes = BesideFileBytes(files.wal), bytes.count > 0 else { return [] }
        let name = files.wal.lastPathComponent
        guard let log = WriteAheadLog(bytes) else {
            return ["\(name) is no log, and was not read: saves that were only there are missing"]
        }
        return log.isDamaged
            ? ["\(name) is damaged: saves after its frame \(log.frameCount) are missing"] : []
    }

    /// A sentence about the damage and its remedy; nil if no damage is found.
    static func sentence(of files: SQLiteStoreFiles) -> String? {
        guard FileKind(at: files.main, followsLinks: true) == .file,
            let bytes = try? MainFileBytes(SQLiteConnection(path: files.main.path, access: .immutable)), bytes.count > 0
        else { return nil }
        let header = DatabaseHeader(bytes.bytes(at: 0, count: DatabaseHeader.size))
        guard header.isWhole, let pageSize = header.pageSize else {
            if PageReader.likelyPageSize(bytes) == nil { return "It is no database." }
            return "The header of the database is damaged. \(remedy)"
        }
        let present = (bytes.count + pageSize - 1) / pageSize
        // Pages that the main file lacks may be in the -wal.
        if !files.hasLog, present < header.pageCount {
            return "The file was cut short: \(present) of its \(header.pageCount) pages are there. \(remedy)"
        }
        return "Pages of the database are damaged. \(remedy)"
    }
}
