import Foundation

/// The model that a store keeps in `Z_MODELCACHE`: the one that it was last opened with.
package enum StoredModel {
    /// The bytes of the archived model; nil if the store keeps none (before 2014).
    package static func archive(from connection: some SQLConnection) throws -> Data? {
        guard try connection.tableNames().contains(SQLBookkeeping.ModelCache.table) else { return nil }
        return try connection.prepare(SQLBookkeeping.ModelCache.select).first { $0.isNull(0) ? nil : $0.data(0) } ?? nil
    }

    /// Decodes a model. Throws 259, naming the file, if the bytes are not a model.
    package static func decode(_ archive: Data, of url: URL) throws -> NSManagedObjectModel {
        do {
            return try ModelArchive.decode(deflated: archive)
        } catch {
            throw NSError.coreData(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                reason: "The model in the store “\(url.lastPathComponent)” is damaged: \(error.localizedDescription)",
                url: url, underlying: error)
        }
    }
}
