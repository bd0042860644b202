import Foundation

extension NSManagedObjectModel {
    /// Loads a model from an `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`.
    ///
    /// Of a bundle with several versions the current one is loaded. The result is nil if the file is missing or is no
    /// valid model. A line on standard error then gives the file, the place and the reason. ``read(contentsOf:)``
    /// throws the error instead.
    ///
    /// - Parameter url: The file or the bundle.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/init(contentsof:))
    public convenience init?(contentsOf url: URL) {
        do {
            let loaded = try ModelFile.load(at: url)
            self.init()
            takeContents(of: loaded)
        } catch {
            let text = "CoreData: error: Failed to load the model at '\(url.path)': \(error.localizedDescription)\n"
            FileHandle.standardError.write(Data(text.utf8))
            return nil
        }
    }

    /// Reads a model from an `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`.
    ///
    /// OpenCoreData only. It throws where the result of `init(contentsOf:)` is nil. Of a bundle with several versions
    /// the current one is read. Any thread may call it.
    ///
    /// - Parameter url: The file or the bundle.
    /// - Returns: The model, which no coordinator uses yet.
    /// - Throws: `CocoaError.fileReadNoSuchFile` and other errors of reading. `CocoaError.fileReadCorruptFile` if the
    ///   file is no model; the reason gives the place and the problem.
    public static func read(contentsOf url: URL) throws -> NSManagedObjectModel {
        try ModelFile.load(at: url)
    }

    /// Reads all versions of a model.
    ///
    /// OpenCoreData only. Any thread may call it. A file of one version has that one version, with the name of the
    /// file.
    ///
    /// - Parameter url: The file or the bundle.
    /// - Returns: The versions, sorted by name as people sort: "Model 9" before "Model 10".
    /// - Throws: The errors of ``read(contentsOf:)``.
    public static func versions(contentsOf url: URL) throws -> [ManagedModelVersion] {
        try ModelBundle.allVersions(at: url)
    }

    /// Does the work of `mergedModel(from:forStoreMetadata:)` unless a subclass overrides it.
    static func _mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        guard let wanted = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else { return nil }
        let listed = listedVersions(in: bundles)
        func merged(_ versions: [ModelBundle.ListedVersion]) -> NSManagedObjectModel? {
            NSManagedObjectModel(byMerging: versions.compactMap { try? $0.load() }, forStoreMetadata: metadata)
        }
        for version in listed where version.hashes == wanted {
            if let model = merged([version]) { return model }
        }
        var missing = wanted
        let parts = listed.filter { version in
            guard let hashes = version.hashes else { return true }
            let found = missing.filter { hashes[$0.key] == $0.value }
            for name in found.keys { missing[name] = nil }
            return !found.isEmpty
        }
        return merged(parts) ?? (parts.count < listed.count ? merged(listed) : nil)
    }

    /// All versions of all models in the bundles (`nil`: the main bundle and the packages' resources), to be read one
    /// by one.
    class func listedVersions(in bundles: [Bundle]?) -> [ModelBundle.ListedVersion] {
        ModelResources.models(in: bundles).flatMap { (try? ModelBundle.listedVersions(at: $0)) ?? [] }
    }

    static func models(in bundles: [Bundle]?) -> [NSManagedObjectModel] {
        ModelResources.models(in: bundles).compactMap { NSManagedObjectModel(contentsOf: $0) }
    }
}

/// One version of a model in a file or a bundle.
///
/// OpenCoreData only.
public struct ManagedModelVersion {
    /// The name of the file without its extension, such as "Model 2".
    public let name: String
    /// Whether it is the version that `init(contentsOf:)` loads.
    public let isCurrent: Bool
    /// The model, which no coordinator uses yet, with the version hashes that the bundle recorded.
    public let model: NSManagedObjectModel
}
