import Foundation
import TestSupport

@testable import CoreData

/// The statements of a real store's metadata and model cache.
struct StoreArchive {
    let metadata: [String: Any]
    /// The compressed model; stores of 2014 and before have none.
    let modelCache: Data?

    /// Reads a copy of the store, the rows in its -wal included. `nil` when the file is not a Core Data store.
    init?(path: String) throws {
        let read = try withTemporaryFolder { folder -> (Data, Data?)? in
            let copy = try Corpus.copyStore(path, to: folder)
            let connection = try SQLiteConnection(path: copy.path, access: .readWrite)
            guard let metadata = try Self.blob("SELECT Z_PLIST FROM Z_METADATA", connection) else { return nil }
            return (metadata, try Self.blob("SELECT Z_CONTENT FROM Z_MODELCACHE", connection))
        }
        guard let read,
            let metadata = try PropertyListSerialization.propertyList(from: read.0, options: [], format: nil)
                as? [String: Any]
        else { return nil }
        self.metadata = metadata
        modelCache = read.1
    }

    var hashes: [String: Data] { metadata["NSStoreModelVersionHashes"] as? [String: Data] ?? [:] }

    private static func blob(_ sql: String, _ connection: SQLiteConnection) throws -> Data? {
        let table = sql.split(separator: " ").last ?? ""
        guard try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = '\(table)'") == 1 else {
            return nil
        }
        let statement = try connection.prepare(sql)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.data(0)
    }
}
