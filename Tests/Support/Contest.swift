import CoreData
import Foundation

/// Processes that do the same thing to one store at the same moment, again and again.
///
/// A process prints that it is ready, and waits for a lock that this side holds. They start when this side releases the
/// lock.
public final class Contest {
    /// The outcome of one process in a round: nil as the failure, or the text of its error.
    public struct Outcome {
        public let process: Int32
        public let failure: String?
    }

    private final class Runner {
        let process = AwaitedProcess()
        let input = Pipe()
        let output = Pipe()
        var rest = ""

        /// The next line that the process prints; nil when it has ended.
        func line() -> String? {
            while true {
                if let end = rest.firstIndex(of: "\n") {
                    defer { rest.removeSubrange(...end) }
                    return String(rest[..<end])
                }
                let data = output.fileHandleForReading.availableData
                if data.isEmpty { return nil }
                rest += String(decoding: data, as: UTF8.self)
            }
        }
    }

    private let runners: [Runner]
    private let gun: URL

    /// Starts processes of a program, which calls `Contestant.next()` when its first argument is "contest".
    public init(_ program: URL, count: Int, gunIn folder: URL) throws {
        gun = folder.appendingPathComponent("gun")
        runners = try (0..<count).map { _ in
            let runner = Runner()
            runner.process.executableURL = program
            runner.process.arguments = ["contest"]
            runner.process.standardInput = runner.input
            runner.process.standardOutput = runner.output
            try runner.process.run()
            return runner
        }
    }

    /// Ends the processes.
    deinit {
        for runner in runners {
            try? runner.input.fileHandleForWriting.close()
            runner.process.waitUntilExit()
        }
    }

    /// The ids of the processes.
    public var processes: [Int32] { runners.map(\.process.processIdentifier) }

    /// Has some of the processes do something at the same moment. Returns the outcome of each.
    public func run(_ count: Int, _ way: String, _ store: URL) throws -> [Outcome] {
        let descriptor = open(gun.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else { throw CocoaError(.fileWriteUnknown) }
        let called = runners.prefix(count)
        for runner in called {
            runner.input.fileHandleForWriting.write(Data("\(way)\t\(store.path)\t\(gun.path)\n".utf8))
        }
        for runner in called {
            while let line = runner.line(), line != "ready" {}
        }
        close(descriptor)
        return called.map { runner in
            var line = runner.line()
            while let text = line, text != "done", !text.hasPrefix("failed") { line = runner.line() }
            return Outcome(
                process: runner.process.processIdentifier,
                failure: line == "done" ? nil : line ?? "the process has ended")
        }
    }
}

/// The other side of a contest: a process that takes part.
public enum Contestant {
    /// Whether the program was started to take part in one.
    public static var isCalled: Bool { CommandLine.arguments.dropFirst().first == "contest" }

    /// Waits for the starting gun: the action and the store. Nil at the end of the contest.
    public static func next() -> (way: String, store: URL)? {
        guard let words = readLine()?.split(separator: "\t").map(String.init), words.count == 3 else { return nil }
        let descriptor = open(words[2], O_RDONLY | O_CLOEXEC)
        say("ready")
        while flock(descriptor, LOCK_SH) != 0 {}
        close(descriptor)
        return (words[0], URL(fileURLWithPath: words[1]))
    }

    /// Prints the outcome of a round.
    public static func ended(_ error: (any Error)?) {
        guard let error = error as NSError? else { return say("done") }
        say("failed \(error.code) \(error.localizedDescription.replacingOccurrences(of: "\n", with: " "))")
    }

    private static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}
