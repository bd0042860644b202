import Foundation
import StudioServer

/// The files of the page. They are read once, and no other files are served.
struct PageFiles: Sendable {
    private let files: [String: HTTPResponse]

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml",
    ]

    /// - Throws: an error if the program is without the folder that was built with it.
    init() throws {
        let folders = Self.folders
        guard let folder = folders.first(where: { FileManager.default.fileExists(atPath: $0 + "/index.html") }) else {
            throw ToolError(
                .failed, "the files of the studio's page are missing",
                details: ["They are looked for in \(folders.joined(separator: " and in "))."])
        }
        files = try FileManager.default.contentsOfDirectory(atPath: folder).reduce(into: [:]) { files, name in
            let url = URL(fileURLWithPath: folder).appendingPathComponent(name)
            guard let type = Self.types[url.pathExtension] else { return }
            files[name == "index.html" ? "/" : "/\(name)"] = HTTPResponse(
                type: type, body: .bytes(try Data(contentsOf: url)))
        }
    }

    /// The possible folders of the page: beside the program, as the package manager puts it, or as in an installation.
    private static var folders: [String] {
        let program =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
        let folder = URL(fileURLWithPath: program).deletingLastPathComponent()
        return [
            folder.appendingPathComponent("OpenCoreData_CoreDataTool.resources/Page").path,
            folder.deletingLastPathComponent().appendingPathComponent("share/coredata/studio").path,
        ]
    }

    subscript(path: String) -> HTTPResponse? { files[path] }
}
