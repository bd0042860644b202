import Foundation

/// A model as Xcode keeps it, which classes and compiled models are made of.
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
}
