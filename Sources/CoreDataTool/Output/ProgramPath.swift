import Foundation

/// Programs in the folders of the PATH.
enum ProgramPath {
    /// The program of a name; nil if there is none.
    static func find(_ name: String) -> URL? {
        let folders = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":")
        return folders.map { URL(fileURLWithPath: String($0)).appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
