import Foundation

extension NSManagedObjectModel {
    /// Loads a model from an `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`; of a bundle its current version.
    ///
    /// `nil` when the file is missing or not a valid model; the reason is then written to the standard error stream,
    /// naming file, place and cause.
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

    /// Reads a model from an `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`, of a bundle its current version:
    /// throws where `init(contentsOf:)` gives nil.
    ///
    /// An addition to Apple's API. May be called on any thread.
    ///
    /// - Throws: `CocoaError.fileReadNoSuchFile` and other errors of reading, and `CocoaError.fileReadCorruptFile` for
    ///   what is no model, with a reason that says what and where.
    public static func read(contentsOf url: URL) throws -> NSManagedObjectModel {
        try ModelFile.load(at: url)
    }

    /// One version of a model, as a file or a bundle has it. An addition to Apple's API.
    public struct Version {
        /// The name of the file without suffix, such as "Model 2".
        public let name: String
        /// Whether it is the version that `init(contentsOf:)` loads.
        public let isCurrent: Bool
        /// The model, which nobody uses yet, with the hashes that the bundle recorded.
        public let model: NSManagedObjectModel
    }

    /// Reads all versions of a model, sorted by name as people sort ("Model 9" before "Model 10"). A file of one
    /// version has that one, named like the file.
    ///
    /// An addition to Apple's API. May be called on any thread.
    ///
    /// - Throws: what `read(contentsOf:)` throws.
    public static func versions(contentsOf url: URL) throws -> [Version] {
        try ModelBundle.allVersions(at: url)
    }

    /// What `mergedModel(from:forStoreMetadata:)` does unless a subclass overrides it.
    static func plainMergedModel(
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
