import Foundation

/// The model that a store keeps of itself in `Z_MODELCACHE`.
enum SQLiteModelCache {
    /// The model a store was last opened with; nil when it keeps none (before 2014). Nothing on disk changes.
    ///
    /// Throws 259, naming the file, when the bytes are not a model.
    static func model(at url: URL, timeout: TimeInterval = 240) throws -> NSManagedObjectModel? {
        try SQLiteStoreLook(at: url, timeout: timeout)?.model()
    }

    static func model(_ archive: Data, of url: URL) throws -> NSManagedObjectModel {
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

extension StoreModelCheck {
    /// For a store that was looked at.
    init(model: NSManagedObjectModel, layout: ModelLayout, configurationName: String?, _ look: SQLiteStoreLook) {
        self.init(
            model: model, layout: layout, configurationName: configurationName, url: look.url,
            archivedModel: { try look.model() })
    }
}
