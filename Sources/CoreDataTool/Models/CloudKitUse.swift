import CoreData
import Foundation

/// The parts of a model that are used with CloudKit by its source. Compiled models do not contain this.
package struct CloudKitUse {
    /// Whether all entities are used with CloudKit.
    private(set) var isWhole = false
    /// The names of configurations that are used with CloudKit.
    private(set) var configurations: [String] = []

    package init() {}

    /// - Parameters:
    ///   - path: The path of a model, or of a store.
    ///   - version: The name of the version of a bundle.
    package init(of path: String, _ version: String?) throws {
        var url = URL(fileURLWithPath: path)
        switch url.pathExtension.lowercased() {
        case "xcdatamodel": break
        case "xcdatamodeld":
            guard let version else { return }
            url.appendPathComponent("\(version).xcdatamodel")
        default: return
        }
        url.appendPathComponent("contents")
        guard let data = try? Data(contentsOf: url) else { return }
        let root: XMLTreeElement
        do {
            root = try XMLTreeElement.model(in: data, file: url.path)
        } catch {
            throw ToolError(error, at: path)
        }
        isWhole = root.flag("usedWithCloudKit")
        configurations = root.children(named: "configuration").filter { $0.flag("usedWithCloudKit") }
            .compactMap { $0.text("name") }
    }
}
