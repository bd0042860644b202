import Foundation

/// The models and mapping models among the resources of bundles.
///
/// A package's resources are in a folder of their own beside the program. A search of the main bundle includes that
/// folder. If a source is beside its compiled form, the compiled form counts.
package enum ModelResources {
    static func models(in bundles: [Bundle]?) -> [URL] {
        files(in: bundles, compiled: ["momd", "mom"], sources: ["xcdatamodeld", "xcdatamodel"])
    }

    static func mappingModels(in bundles: [Bundle]?) -> [URL] {
        files(in: bundles, compiled: ["cdm"], sources: ["xcmappingmodel"])
    }

    /// The model of a name in the main bundle or among the resources of the package's targets.
    package static func model(named name: String) -> URL? {
        for folder in folders(of: nil) {
            for suffix in ["momd", "mom", "xcdatamodeld"] {
                let url = folder.appendingPathComponent("\(name).\(suffix)")
                if FileManager.default.fileExists(atPath: url.path) { return url }
            }
        }
        return nil
    }

    private static func folders(of bundles: [Bundle]?) -> [URL] {
        (bundles ?? [.main]).compactMap(\.resourceURL) + (bundles == nil ? PackageResources.folders : [])
    }

    private static func files(in bundles: [Bundle]?, compiled: Set<String>, sources: Set<String>) -> [URL] {
        folders(of: bundles).flatMap { folder in
            let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
            let files = names.map { folder.appendingPathComponent($0) }
            func name(_ file: URL) -> String { file.deletingPathExtension().lastPathComponent }
            let ready = files.filter { compiled.contains($0.pathExtension.lowercased()) }
            let known = Set(ready.map(name))
            return ready + files.filter { sources.contains($0.pathExtension.lowercased()) && !known.contains(name($0)) }
        }
    }
}
