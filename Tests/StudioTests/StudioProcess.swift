import Foundation
import TestSupport
import Testing

/// Whether the built program has a studio.
enum StudioBuild {
    #if Studio
    static let isPresent = true
    #else
    static let isPresent = false
    #endif

    /// Why tests are skipped.
    static let absence = "coredata was built without the studio (--traits Studio; bin/setup --studio)"
}

/// A run of `coredata studio`.
final class StudioProcess {
    /// The address that was printed.
    let address: String
    let port: UInt16
    let token: String
    private let process = Process()
    private let ended = DispatchSemaphore(value: 0)
    private let folder: TemporaryFolder

    /// Starts a studio, and waits for the address that it prints.
    init(_ store: URL, _ arguments: [String] = []) throws {
        folder = try TemporaryFolder()
        let errors = folder.url.appendingPathComponent("errors")
        try Data().write(to: errors)
        process.executableURL = ToolRun.program
        process.arguments = ["studio", store.path, "--no-open"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        process.terminationHandler = { [ended] _ in ended.signal() }
        try process.run()
        var printed = Data()
        while !printed.contains(UInt8(ascii: "\n")) {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            printed += more
        }
        address = String(decoding: printed, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let match = address.wholeMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\/\?token=([0-9a-f]{64})/),
            let port = UInt16(match.1)
        else {
            process.terminate()
            let said = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
            throw LoopbackConnection.Failure(description: "no studio was started: \(address) \(said)")
        }
        self.port = port
        token = String(match.2)
    }

    /// How much time of a processor the program has taken, in ticks of the kernel's clock.
    func ticks() throws -> Int {
        let stat = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0
    }

    deinit {
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
        } else if process.terminationReason != .exit {
            Issue.record("the studio was ended by signal \(process.terminationStatus): \(errors)")
        }
    }

    /// The text on the standard error.
    var errors: String {
        (try? String(contentsOf: folder.url.appendingPathComponent("errors"), encoding: .utf8)) ?? ""
    }

    func interrupt() { process.interrupt() }

    /// Ends the studio as ^C does.
    /// - Returns: the exit status; minus the signal that ended it; nil where it does not end in a minute.
    func end() -> Int32? {
        process.interrupt()
        guard ended.wait(timeout: .now() + 60) == .success else { return nil }
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }
}

/// Starts a studio, gives the body a client that is let in, and ends the studio, which has to end well.
func withStudio<Result>(
    _ store: URL, _ arguments: [String] = [], sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (StudioClient) throws -> Result
) throws -> Result {
    let process = try StudioProcess(store, arguments)
    let client = try StudioClient(process)
    let result = try body(client)
    #expect(process.end() == 0, "\(process.errors)", sourceLocation: sourceLocation)
    return result
}
