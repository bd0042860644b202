import CoreData
import Foundation

/// A model that the command line names, with the name of a version if one is meant: `Library.momd`,
/// `Library.momd/Library 2.mom`.
package struct ModelArgument {
    package let url: URL
    package let versions: [ManagedModelVersion]

    package static let extensions = ["xcdatamodeld", "xcdatamodel", "momd", "mom"]

    /// Whether a path names a model rather than a store.
    package static func isModel(_ path: String) -> Bool {
        extensions.contains(URL(fileURLWithPath: path).pathExtension.lowercased())
    }

    package static func url(_ path: String) throws -> URL {
        let url = URL(fileURLWithPath: path).standardizedFileURL
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw ToolError(.unreadable, "\(path): there is no such file or folder")
        }
        var state = stat()
        guard stat(url.path, &state) == 0, [S_IFREG, S_IFDIR].contains(state.st_mode & S_IFMT) else {
            throw ToolError(.unreadable, "\(path): this is neither a file nor a folder")
        }
        return url
    }

    package init(_ path: String) throws {
        try self.init(url: Self.url(path), shown: path)
    }

    package init(url: URL, shown: String? = nil) throws {
        self.url = url
        do {
            versions = try NSManagedObjectModel.versions(contentsOf: url)
        } catch {
            // Every fault of a model means that it cannot be read.
            throw ToolError(.unreadable, ToolError(error, at: shown ?? url.path).message)
        }
        if versions.isEmpty { throw ToolError(.unreadable, "\(shown ?? url.path): the model has no versions") }
    }

    /// The current version.
    package var model: NSManagedObjectModel { current.model }

    package var current: ManagedModelVersion {
        versions.first(where: \.isCurrent) ?? versions[versions.count - 1]
    }

    /// The version of a name; the current one for nil.
    package func version(_ name: String?) throws -> ManagedModelVersion {
        guard let name else { return current }
        if let version = versions.first(where: { $0.name == name }) { return version }
        let names = versions.map(\.name)
        let nearest = NearestName.hint(name, among: names)
        throw ToolError(
            .usage, "\(url.lastPathComponent) has no version '\(name)'\(nearest)",
            details: ["It has \(names.map { "'\($0)'" }.joined(separator: ", "))."])
    }

    /// The version that a store was written with; nil if none fits.
    package func version(fitting metadata: [String: Any]) -> ManagedModelVersion? {
        versions.first { $0.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) }
    }
}
