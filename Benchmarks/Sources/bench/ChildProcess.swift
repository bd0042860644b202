import Foundation

/// Runs measurements in processes of their own, so that no contender inherits another's heap, caches or page tables.
enum ChildProcess {
    /// This executable.
    static let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()

    /// Finds a program by the PATH.
    static let env = URL(fileURLWithPath: "/usr/bin/env")

    /// Starts this executable again, or another program, with the arguments and returns what it printed last.
    /// - Throws: `BenchmarkFailure` when the child failed or printed nothing.
    static func run(_ arguments: [String], by program: URL? = nil) throws -> Measurement {
        try measurement(in: output(of: program ?? executable, arguments), arguments)
    }

    /// Runs several at the same time.
    static func runTogether(_ all: [[String]]) throws -> [Measurement] {
        let running = try all.map { try Running(executable, $0) }
        return try zip(running, all).map { try measurement(in: $0.output(), $1) }
    }

    /// What this executable prints with other arguments, in a process of its own.
    static func output(_ arguments: [String]) throws -> String {
        try Running(executable, arguments).output()
    }

    /// What another program prints.
    static func output(
        of program: URL, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> String {
        try Running(program, arguments, environment: environment).output()
    }

    private static func measurement(in text: String, _ arguments: [String]) throws -> Measurement {
        guard let line = text.split(separator: "\n").last, let measurement = Measurement(line: String(line)) else {
            throw BenchmarkFailure(description: "\(arguments.joined(separator: " ")) printed: \(text)")
        }
        return measurement
    }

    /// A child that was started.
    private struct Running {
        let process = Process()
        let pipe = Pipe()

        init(_ program: URL, _ arguments: [String], environment: [String: String] = [:]) throws {
            process.executableURL = program
            process.arguments = arguments
            if !environment.isEmpty {
                process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            }
            process.standardOutput = pipe
            try process.run()
        }

        /// What it prints until it ends.
        func output() throws -> String {
            let printed = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            let text = String(decoding: printed, as: UTF8.self)
            guard process.terminationReason == .exit, process.terminationStatus == 0 else {
                let arguments = process.arguments ?? []
                throw BenchmarkFailure(description: "\(arguments.joined(separator: " ")) failed: \(text)")
            }
            return text
        }
    }
}
