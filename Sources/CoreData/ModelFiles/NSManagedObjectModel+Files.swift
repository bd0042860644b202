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

    /// Merges the models of the given bundles (`nil`: the main bundle): every `.momd`, `.mom`, `.xcdatamodeld` and
    /// `.xcdatamodel` among their resources. The result is empty when there are none.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        NSManagedObjectModel(byMerging: models(in: bundles))
    }

    /// Merges, from all versions of all models in the bundles, the entities a store's metadata names; `nil` if one is
    /// missing.
    public class func mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        NSManagedObjectModel(byMerging: versions(in: bundles).map(\.model), forStoreMetadata: metadata)
    }

    /// All versions of all models in the bundles (`nil`: the main bundle and the packages' resources).
    class func versions(in bundles: [Bundle]?) -> [ModelBundle.Version] {
        modelURLs(in: bundles).flatMap { (try? ModelBundle.allVersions(at: $0)) ?? [] }
    }

    /// The same versions, to be read one by one.
    class func listedVersions(in bundles: [Bundle]?) -> [ModelBundle.ListedVersion] {
        modelURLs(in: bundles).flatMap { (try? ModelBundle.listedVersions(at: $0)) ?? [] }
    }

    /// The version checksum of every version in a bundle, by version name.
    public class func checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
        try ModelBundle.checksums(at: modelURL)
    }

    private class func models(in bundles: [Bundle]?) -> [NSManagedObjectModel] {
        modelURLs(in: bundles).compactMap { NSManagedObjectModel(contentsOf: $0) }
    }

    /// The model files among the resources of the bundles. A package's resources lie in a folder of their own beside
    /// the program, which is looked into as well when the main bundle is meant.
    private class func modelURLs(in bundles: [Bundle]?) -> [URL] {
        let suffixes: Set<String> = ["momd", "mom", "xcdatamodeld", "xcdatamodel"]
        var folders = (bundles ?? [.main]).compactMap(\.resourceURL)
        if bundles == nil { folders += PackageResources.folders }
        return folders.flatMap { folder in
            contents(of: folder).filter { suffixes.contains($0.pathExtension.lowercased()) }
        }
    }

    /// The model of a name in the main bundle or among the resources of the package's targets.
    class func urlOfModel(named name: String) -> URL? {
        for folder in [Bundle.main.resourceURL].compactMap(\.self) + PackageResources.folders {
            for suffix in ["momd", "mom", "xcdatamodeld"] {
                let url = folder.appendingPathComponent("\(name).\(suffix)")
                if FileManager.default.fileExists(atPath: url.path) { return url }
            }
        }
        return nil
    }

    private class func contents(of folder: URL) -> [URL] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
            .map { folder.appendingPathComponent($0) }
    }
}
