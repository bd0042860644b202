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
        var url = URL(fileURLWithPath: path)
        switch url.pathExtension.lowercased() {
        case "xcdatamodel": break
        case "xcdatamodeld":
            guard let version else { return [] }
            url.appendPathComponent("\(version).xcdatamodel")
        default: return []
        }
        do {
            return try ModelFile.warnings(ofSourceAt: url)
        } catch {
            throw ToolError(error, at: path)
        }
    }
}
