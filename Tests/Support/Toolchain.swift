import CoreData
import Foundation

/// The compiler and how to call programs.
public enum Toolchain {
    /// The path of a program of the toolchain; nil when it is not in the search path.
    public static func program(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The folder of this package.
    public static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The folder the tests were built into.
    public static let products = Bundle.main.bundleURL.resolvingSymlinksInPath()

    /// The compiler's arguments to find the modules of this package.
    public static let importing =
        ["-I", products.appendingPathComponent("Modules").path]
        + ["CSQLite", "CZlib", "CSwiftRuntime", "CExchange"].flatMap {
            ["-Xcc", "-fmodule-map-file=\(package.path)/Sources/\($0)/module.modulemap"]
        }

    /// The object files of a module of this package, beside the tests.
    public static func objects(of module: String) -> [String] {
        let folder = products.appendingPathComponent("\(module).build")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        // An incremental build keeps the objects of sources that are gone.
        let sources = FileManager.default.enumerator(
            at: package.appendingPathComponent("Sources/\(module)"), includingPropertiesForKeys: nil)
        let current = Set((sources?.allObjects ?? []).compactMap { ($0 as? URL).map { "\($0.lastPathComponent).o" } })
        return names.filter { current.contains($0) }.sorted().map { folder.appendingPathComponent($0).path }
    }

    /// The output of a program, both ways, and how it ended.
    public struct Outcome {
        public let status: Int32
        public let text: String
    }

    /// Runs a program to its end.
    public static func run(_ path: String, _ arguments: [String], in folder: URL? = nil) throws -> Outcome {
        let process = AwaitedProcess()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, text: String(decoding: data, as: UTF8.self))
    }
}
