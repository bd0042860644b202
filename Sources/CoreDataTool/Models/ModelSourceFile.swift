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
}
