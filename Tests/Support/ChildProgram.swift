import CoreData
import Foundation

/// A program of this package's tests, started as a process of its own.
public final class ChildProgram: @unchecked Sendable {  // `Process` is started and awaited by one owner
    private let process = AwaitedProcess()
    private let output = Pipe()

    /// Where the program of the given name (a product of this package) lies: beside the running test bundle, or in a
    /// folder above it, whatever the build folder is called.
    public static func url(_ name: String) throws -> URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        for _ in 0..<4 {
            let candidate = folder.appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
            folder = folder.deletingLastPathComponent()
        }
        throw CocoaError(
            .fileNoSuchFile, userInfo: [NSLocalizedDescriptionKey: "The program “\(name)” was not built."])
    }

    /// Starts the program of the given name with arguments, and with variables beside those of this process. Throws
    /// when it was not built.
    public init(_ name: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.executableURL = try Self.url(name)
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
    }

    public var processIdentifier: Int32 { process.processIdentifier }

    /// Waits until the program has printed a text, or has ended. Returns the output until then.
    @discardableResult
    public func wait(for text: String) -> String {
        var printed = ""
        while !printed.contains(text) {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            printed += String(decoding: data, as: UTF8.self)
        }
        return printed
    }

    /// The bytes that were read behind the last line; used by readers of lines.
    private var rest = ""

    /// Waits for the next line; nil where there is none any more.
    public func line() -> Substring? {
        while true {
            if let end = rest.firstIndex(of: "\n") {
                defer { rest = String(rest[rest.index(after: end)...]) }
                return rest[..<end]
            }
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return nil }
            rest += String(decoding: data, as: UTF8.self)
        }
    }

    /// Waits for the end, while another thread reads the output.
    public func waitForEnd() { process.waitUntilExit() }

    /// Waits for the end. Returns the output, and how it ended.
    public func wait() -> (output: String, status: Int32, wasKilled: Bool) {
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (
            String(decoding: data, as: UTF8.self), process.terminationStatus,
            process.terminationReason == .uncaughtSignal
        )
    }

    /// Ends the program at once, as a watchdog does.
    public func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
    }
}
