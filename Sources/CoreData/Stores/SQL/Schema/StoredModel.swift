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

    /// Archives the model of a store anew if an earlier version of this library archived it, in the form of a `.mom`
    /// file.
    package static func renew(_ model: NSManagedObjectModel, on connection: some SQLConnection) throws {
        guard let present = try archive(from: connection), !isOfModelInUse(present) else { return }
        let archive = try ModelArchive.encodeDeflated(model)
        try connection.transaction { try replace(by: archive, on: connection) }
    }

    /// Replaces the archived model of a store in the transaction that is open.
    package static func replace(by archive: Data, on connection: some SQLConnection) throws {
        typealias Cache = SQLBookkeeping.ModelCache
        try connection.run(.define(.createTable(Cache.definition, unlessThere: true)))
        try connection.run(.delete(SQLDelete(from: Cache.table)))
        try connection.prepare(Cache.insert).run { $0.bind(1, archive) }
    }

    private static func isOfModelInUse(_ archive: Data) -> Bool {
        guard let data = try? RawDeflate.decompress(archive), let root = try? KeyedArchive(data).root() else {
            return false
        }
        return ModelDecoder.isOfModelInUse(root)
    }
}
