import Foundation

/// One run of a child program.
final class ChildRun: @unchecked Sendable {  // started and awaited by one owner
    private let process = Process()
    private let output = Pipe()
    private var text = ""

    init(_ program: URL, _ store: URL, _ arguments: [String], _ environment: [String: String] = [:]) throws {
        process.executableURL = program
        process.arguments = [store.path] + arguments
        var all = ProcessInfo.processInfo.environment
        for name in [
            MigrationChild.killVariable, MigrationChild.traceVariable, MigrationChild.limitVariable,
            MigrationChild.userVariable,
        ] {
            all[name] = nil
        }
        process.environment = all.merging(environment) { _, new in new }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Waits until the program has begun, and kills it some seconds later.
    func kill(after seconds: Double) {
        waitForBeginning()
        usleep(UInt32(max(0, seconds) * 1_000_000))
        Foundation.kill(process.processIdentifier, SIGKILL)
    }

    func waitForBeginning() {
        while !text.contains("begin\n") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return }
            text += String(decoding: data, as: UTF8.self)
        }
    }

    struct Outcome {
        var text: String
        var wasKilled: Bool
        var isDone: Bool { text.hasSuffix("done\n") && !wasKilled }
        /// What the program said it failed with.
        var failure: String? {
            text.split(separator: "\n").first { $0.hasPrefix("failed: ") }.map { String($0.dropFirst(8)) }
        }
        /// The moments that were told, in their order.
        var moments: [String] {
            text.split(separator: "\n").filter { $0.hasPrefix("moment ") }.map { String($0.dropFirst(7)) }
        }
    }

    func wait() -> Outcome {
        text += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Outcome(text: text, wasKilled: process.terminationReason == .uncaughtSignal)
    }
}
