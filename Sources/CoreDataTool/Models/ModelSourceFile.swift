import CoreData
import Foundation

/// A model in Xcode's form, of which classes and compiled models are made.
package enum ModelSourceFile {
    package static func url(_ path: String) throws -> URL {
        let url = try ModelArgument.url(path)
        guard ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension.lowercased()) else {
            throw ToolError(
                .unreadable, "\(path): this is no model's source",
                details: ["An .xcdatamodeld or an .xcdatamodel is needed."])
        }
        return url
    }

    /// The warnings about the source of a version; none for compiled models and stores.
    ///
    /// - Parameter version: The name of the version of a bundle.
    package static func warnings(of path: String, _ version: String?) throws -> [ModelWarning] {
        guard let url = url(of: path, version) else { return [] }
        do {
            return try ModelFile.warnings(ofSourceAt: url)
        } catch {
            throw ToolError(error, at: path)
        }
    }

    /// The elements of the source of a version; nil for compiled models and stores.
    package static func source(of path: String, _ version: String?) throws -> XMLTreeElement? {
        guard let url = url(of: path, version) else { return nil }
        do {
            return try ModelFile.source(at: url)
        } catch {
            throw ToolError(error, at: path)
        }
    }

    private static func url(of path: String, _ version: String?) -> URL? {
        let url = URL(fileURLWithPath: path)
        switch url.pathExtension.lowercased() {
        case "xcdatamodel": return url
        case "xcdatamodeld": return version.map { url.appendingPathComponent("\($0).xcdatamodel") }
        default: return nil
        }
    }
}
