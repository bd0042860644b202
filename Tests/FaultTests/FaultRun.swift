import CoreData
import Foundation
import Synchronization
import TestSupport

/// How a child with the library of faults ended, and its output.
struct FaultRun: CustomStringConvertible {
    var output: String
    var signal: Int32?
    var hasHung = false

    var hasToldDone: Bool { output.split(separator: "\n").contains("done") }
    var failure: Substring? { output.split(separator: "\n").first { $0.hasPrefix("failed ") } }
    /// How many microseconds the operation took.
    var duration: Int? {
        output.split(separator: "\n").first { $0.hasPrefix("took ") }.flatMap { Int($0.dropFirst("took ".count)) }
    }
    var description: String {
        (hasHung ? "hung " : "") + (signal.map { "signal \($0) " } ?? "") + output.suffix(1500)
    }

    /// Runs `fault-child` to its end.
    init(_ arguments: [String], _ environment: [String: String]) throws {
        let process = AwaitedProcess()
        let pipe = Pipe()
        process.executableURL = try ChildProgram.url("fault-child")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["LD_PRELOAD": try FaultLibrary.path]) { $1 }.merging(environment) { $1 }
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        // Where everything goes well an operation takes a tenth of a second.
        let watchdog = DispatchSource.makeTimerSource(queue: .global())
        watchdog.schedule(deadline: .now() + 90)
        let hung = Mutex(false)
        let identifier = process.processIdentifier
        watchdog.setEventHandler {
            hung.withLock { $0 = true }
            kill(identifier, SIGKILL)
        }
        watchdog.resume()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        watchdog.cancel()
        output = String(decoding: data, as: UTF8.self)
        signal = process.terminationReason == .uncaughtSignal ? process.terminationStatus : nil
        hasHung = hung.withLock(\.self)
    }

    /// The numbers in a child's report: how many calls of each name it made, and how many faults it met.
    static func counts(_ report: URL) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for line in try String(contentsOf: report, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2 { counts[String(words[0])] = Int(words[1]) }
        }
        return counts
    }
}
