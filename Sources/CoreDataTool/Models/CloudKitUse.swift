import CoreData
import Foundation
import MigrationTestKit

extension CloudKitUse {
    /// - Parameters:
    ///   - path: The path of a model, or of a store.
    ///   - version: The name of the version of a bundle.
    package init(of path: String, _ version: String?) throws {
        guard let url = Self.contents(of: path, version), let data = try? Data(contentsOf: url) else {
            self.init()
            return
        }
        do {
            self.init(in: try XMLTreeElement.model(in: data, file: url.path))
        } catch {
            throw ToolError(error, at: path)
        }
    }

    /// The file of a version's source; nil for anything else than a source.
    private static func contents(of path: String, _ version: String?) -> URL? {
        let url = URL(fileURLWithPath: path)
        switch url.pathExtension.lowercased() {
        case "xcdatamodel": return url.appendingPathComponent("contents")
        case "xcdatamodeld": return version.map { url.appendingPathComponent("\($0).xcdatamodel/contents") }
        default: return nil
        }
    }
}
