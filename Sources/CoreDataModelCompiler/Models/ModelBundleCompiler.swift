import CoreDataModelReading
import Foundation

/// Compiles an `.xcdatamodeld` into a `.momd`: every version as a `.mom`, and the list of versions. A single
/// `.xcdatamodel` becomes a `.mom`.
package enum ModelBundleCompiler {
    /// Writes the bundle, or the single model if the output is a `.mom`. Files that stay the same are not touched.
    ///
    /// If the model has ".Class", of the current product's module, and the module has that class, the compiled model
    /// has "Module.Class", so that a program finds it by `NSClassFromString(entity.managedObjectClassName)`.
    package static func compile(
        _ source: URL, to output: URL, module: String = "", classes: Set<String> = []
    ) throws {
        if output.pathExtension == "mom" {
            let model = try ModelBundle.currentVersion(at: source).model
            return try write(archive(model, module, classes), to: output)
        }
        let versions = try ModelBundle.allVersions(at: source)
        let current = try ModelBundle.currentVersion(at: source).name
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        var hashes: [String: [String: Data]] = [:]
        var checksums: [String: String] = [:]
        var names: Set<String> = ["VersionInfo.plist"]
        for version in versions {
            hashes[version.name] = version.model.entityVersionHashesByName
            checksums[version.name] = version.model.versionChecksum
            names.insert("\(version.name).mom")
            try write(
                archive(version.model, module, classes), to: output.appendingPathComponent("\(version.name).mom"))
        }
        let information: [String: Any] = [
            "NSManagedObjectModel_CurrentVersionName": current, "NSManagedObjectModel_VersionHashes": hashes,
            "NSManagedObjectModel_VersionChecksums": checksums,
        ]
        try write(
            try PropertyListSerialization.data(fromPropertyList: information, format: .binary, options: 0),
            to: output.appendingPathComponent("VersionInfo.plist"))
        // A version that was removed from the source must not be found any more.
        for name in try FileManager.default.contentsOfDirectory(atPath: output.path) where !names.contains(name) {
            try FileManager.default.removeItem(at: output.appendingPathComponent(name))
        }
    }

    private static func archive(_ model: NSManagedObjectModel, _ module: String, _ classes: Set<String>) throws -> Data
    {
        for entity in model.entities {
            guard let name = entity.managedObjectClassName, name.hasPrefix("."),
                classes.contains(String(name.dropFirst()))
            else { continue }
            entity.managedObjectClassName = module + name
        }
        return try ModelArchive.encode(model)
    }

    private static func write(_ data: Data, to url: URL) throws {
        if let present = try? Data(contentsOf: url), present == data { return }
        try data.write(to: url)
    }
}
