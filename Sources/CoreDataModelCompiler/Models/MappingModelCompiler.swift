import CoreDataModelReading
import Foundation

/// Compiles an `.xcmappingmodel` into a `.cdm`, whose version hashes are those of its two models.
package enum MappingModelCompiler {
    /// Writes the file, unless its content is the same already. The two models are searched among those given, by the
    /// names of bundle and version, then near the mapping model, then in it.
    package static func compile(_ source: URL, to output: URL, models: [URL]) throws {
        let compiled = try MappingModelSource(at: source).mappingModel {
            try model($0, among: models) ?? MappingModelFile.model($0, near: source)
        }
        let data = try MappingModelArchive.encode(compiled)
        if let present = try? Data(contentsOf: output), present == data { return }
        try FileManager.default.createDirectory(
            at: output.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: output)
    }

    /// The version of a bundle that a path ends in: `…/Shop.xcdatamodeld/Shop 2.xcdatamodel`.
    private static func model(_ path: String, among models: [URL]) throws -> NSManagedObjectModel? {
        let parts = path.split(separator: "/").map(String.init)
        guard let file = parts.last else { return nil }
        let container = parts.dropLast().last
        for url in models {
            if url.lastPathComponent == file { return try ModelFile.load(at: url) }
            if url.lastPathComponent == container {
                let version = url.appendingPathComponent(file)
                if FileManager.default.fileExists(atPath: version.path) { return try ModelFile.load(at: version) }
            }
        }
        return nil
    }
}
