import Foundation

/// Runs one measurement in a process of its own, so that no contender inherits another's heap, caches or page tables.
enum ChildProcess {
    /// Starts this executable again with the arguments and returns the line it printed last.
    /// - Throws: `BenchmarkFailure` when the child failed or printed nothing.
    static func run(_ arguments: [String]) throws -> Measurement {
        let text = try output(arguments)
        guard let line = text.split(separator: "\n").last, let measurement = Measurement(line: String(line)) else {
            throw BenchmarkFailure(description: "\(arguments.joined(separator: " ")) printed: \(text)")
        }
        return measurement
    }

    /// What this executable prints with other arguments, in a process of its own.
    static func output(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: printed, as: UTF8.self)
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw BenchmarkFailure(description: "\(arguments.joined(separator: " ")) failed: \(text)")
        }
        return text
    }
}
