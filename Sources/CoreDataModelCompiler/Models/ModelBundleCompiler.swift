import CoreData
import Foundation

/// Compiles an `.xcdatamodeld` into a `.momd`: every version as a `.mom`, and the list of versions.
package enum ModelBundleCompiler {
    /// Writes the bundle; files that stay the same are not touched.
    ///
    /// Where the model says ".Class", of the current product's module, and the module has that class, the compiled model
    /// says "Module.Class", so that a program finds it by `NSClassFromString(entity.managedObjectClassName)`.
    package static func compile(
        _ source: URL, to bundle: URL, module: String = "", classes: Set<String> = []
    ) throws {
        let versions = try ModelBundle.allVersions(at: source)
        let current = try ModelBundle.currentVersion(at: source).name
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        var hashes: [String: [String: Data]] = [:]
        var checksums: [String: String] = [:]
        var names: Set<String> = ["VersionInfo.plist"]
        for version in versions {
            hashes[version.name] = version.model.entityVersionHashesByName
            checksums[version.name] = version.model.versionChecksum
            names.insert("\(version.name).mom")
            for entity in version.model.entities {
                guard let name = entity.managedObjectClassName, name.hasPrefix("."),
                    classes.contains(String(name.dropFirst()))
                else { continue }
                entity.managedObjectClassName = module + name
            }
            try write(
                try ModelArchive.encode(version.model), to: bundle.appendingPathComponent("\(version.name).mom"))
        }
        let information: [String: Any] = [
            "NSManagedObjectModel_CurrentVersionName": current, "NSManagedObjectModel_VersionHashes": hashes,
            "NSManagedObjectModel_VersionChecksums": checksums,
        ]
        try write(
            try PropertyListSerialization.data(fromPropertyList: information, format: .binary, options: 0),
            to: bundle.appendingPathComponent("VersionInfo.plist"))
        // A version that is gone from the source must not be found any more.
        for name in try FileManager.default.contentsOfDirectory(atPath: bundle.path) where !names.contains(name) {
            try FileManager.default.removeItem(at: bundle.appendingPathComponent(name))
        }
    }

    private static func write(_ data: Data, to url: URL) throws {
        if let present = try? Data(contentsOf: url), present == data { return }
        try data.write(to: url)
    }
}
