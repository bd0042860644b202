import Foundation

/// One launch of the mail program, in a process of its own, watched as a phone watches its programs.
final class LaunchedChild {
    /// What became of a launch.
    struct Outcome {
        var firstScreen: Double?
        var ready: Double?
        var migration: Double?
        var longestStall = 0.0
        var peakMegabytes = 0.0
        /// Seconds after which the watchdog killed it; nil when it ended by itself.
        var killedAfter: Double?
        /// Whether it was stopped by its own check; only of a child that may be.
        var wasStopped = false
        var stalls: [(phase: String, seconds: Double)] = []
    }

    private let arguments: [String]
    private let watchdog: Double?
    private let onProgress: (Double) -> Void
    private let mayStop: Bool

    /// - Parameters:
    ///   - watchdog: seconds within which the first screen has to be there, or the process is killed.
    ///   - mayStop: whether the child is expected to be stopped by the check of queues, which is switched on for it.
    ///   - onProgress: is called with the progress of a migration, from 0 to 1.
    init(
        _ arguments: [String], watchdog: Double? = nil, mayStop: Bool = false,
        onProgress: @escaping (Double) -> Void = { _ in }
    ) {
        self.arguments = arguments
        self.watchdog = watchdog
        self.mayStop = mayStop
        self.onProgress = onProgress
    }

    /// Runs the child to its end, natural or not.
    func run() throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["child"] + arguments
        if mayStop {
            process.environment = ProcessInfo.processInfo.environment.merging(["OPENCOREDATA_CONCURRENCY_DEBUG": "1"]) {
                $1
            }
            process.standardError = FileHandle.nullDevice
        }
        let pipe = Pipe()
        process.standardOutput = pipe
        let start = DispatchTime.now()
        try process.run()

        var outcome = Outcome()
        var pending = Data()
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        // One loop for all that a system does: read the child's output, measure its memory, run the watchdog.
        reading: while true {
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = Glibc.poll(&poll, 1, 5)
            outcome.peakMegabytes = max(outcome.peakMegabytes, Self.peakMegabytes(of: process.processIdentifier))
            let elapsed = Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
            if let watchdog, outcome.firstScreen == nil, outcome.killedAfter == nil, elapsed > watchdog {
                kill(process.processIdentifier, SIGKILL)
                outcome.killedAfter = elapsed
                outcome.longestStall = elapsed
            }
            guard ready > 0 else { continue }
            let chunk = pipe.fileHandleForReading.availableData
            if chunk.isEmpty { break reading }
            pending.append(chunk)
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: pending[pending.startIndex..<end], as: UTF8.self)
                pending.removeSubrange(pending.startIndex...end)
                take(Announcement(line: line[...]), into: &outcome)
            }
        }
        process.waitUntilExit()
        outcome.wasStopped = mayStop && process.terminationReason == .uncaughtSignal
        if outcome.killedAfter == nil && !outcome.wasStopped && process.terminationStatus != 0 {
            throw DemoFailure("the launch \"\(arguments.joined(separator: " "))\" failed")
        }
        return outcome
    }

    private func take(_ announcement: Announcement?, into outcome: inout Outcome) {
        switch announcement {
        case .firstScreen(let seconds): outcome.firstScreen = seconds
        case .progress(let fraction): onProgress(fraction)
        case .migrated(let seconds): outcome.migration = seconds
        case .ready(let seconds): outcome.ready = seconds
        case .stall(let phase, let seconds):
            outcome.longestStall = max(outcome.longestStall, seconds)
            outcome.stalls.append((phase, seconds))
        case .note(let text): print("   \(text)")
        case nil: break
        }
    }

    /// The high-water mark of a process's resident set, 0 when it is gone.
    private static func peakMegabytes(of process: Int32) -> Double {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kilobytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({
                Double($0)
            })
        else { return 0 }
        return kilobytes / 1_024
    }
}
