import Foundation

/// The model that a store keeps of itself in `Z_MODELCACHE`.
enum SQLiteModelCache {
    /// The model a store was last opened with; nil when it keeps none (before 2014). Nothing on disk changes.
    ///
    /// Throws 259, naming the file, when the bytes are not a model.
    static func model(at url: URL, timeout: TimeInterval = 240) throws -> NSManagedObjectModel? {
        guard let data = try SQLiteStoreMetadata.archivedModelData(at: url, timeout: timeout) else { return nil }
        do {
            return try ModelArchive.decode(deflated: data)
        } catch {
            throw NSError.coreData(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                reason: "The model in the store “\(url.lastPathComponent)” is damaged: \(error.localizedDescription)",
                url: url, underlying: error)
        }
    }
}

extension StoreModelCheck {
    /// For the store in a file.
    init(
        model: NSManagedObjectModel, layout: ModelLayout, configurationName: String?, fileAt url: URL,
        timeout: TimeInterval
    ) {
        self.init(
            model: model, layout: layout, configurationName: configurationName, url: url,
            archivedModel: { try SQLiteModelCache.model(at: url, timeout: timeout) })
    }
}
