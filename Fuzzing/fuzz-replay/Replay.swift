import Foundation
import FuzzTargets

/// Runs inputs without the fuzzer and without sanitizers, each in a process of its own.
///
///     fuzz-replay TARGET FILE…            runs inputs; fails when one stops, or takes 1 s of the processor or
///                                         512 MB. A slow machine may take longer, as far as it is slower with
///                                         a fixed work.
///     fuzz-replay --one TARGET FILE       runs one input in this process
///     fuzz-replay --seeds FOLDER          writes the seeds of each target to a folder of its name
///     fuzz-replay --growth FOLDER         writes the long and deep inputs in the same way
///     fuzz-replay --suffixes TARGET       prints the suffixes of the files in a corpus that are inputs of a target
///     fuzz-replay --words TARGET          writes the words of a target as a dictionary of libFuzzer's
///     fuzz-replay --targets               lists the targets
///     fuzz-replay --yardstick             does the fixed work
@main
enum Replay {
    static let secondsAllowed = 1.0
    /// The time limit as a multiple of the fixed work, measured where the work took 0.15 s in a debug build.
    static let yardsticksAllowed = 7.0
    static let kilobytesAllowed = 512 * 1024

    static func main() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "--yardstick"?: print(Yardstick.run())
        case "--targets"?: for target in FuzzTarget.all { print(target.name) }
        case "--suffixes"? where arguments.count == 2:
            for suffix in try target(arguments[1]).suffixes { print(suffix) }
        case "--words"? where arguments.count == 2:
            for word in try target(arguments[1]).words { print(dictionaryEntry(word)) }
        case "--seeds"? where arguments.count == 2: try write(to: arguments[1]) { try $0.seeds() }
        case "--growth"? where arguments.count == 2: try write(to: arguments[1]) { try $0.growth() }
        case "--one"? where arguments.count == 3: try runOne(target(arguments[1]), file: arguments[2])
        case nil: throw Mistake(text: "a target is missing")
        default:
            let target = try target(arguments.removeFirst())
            let failures = try arguments.filter { try !replay($0, target) }
            print("\(target.name): \(arguments.count) inputs, \(failures.count) failed")
            if !failures.isEmpty { exit(1) }
        }
    }

    struct Mistake: Error { let text: String }

    private static func target(_ name: String) throws -> FuzzTarget {
        guard let target = FuzzTarget.named(name) else { throw Mistake(text: "no target is named '\(name)'") }
        return target
    }

    /// A word in quotes, with every byte as an escape that libFuzzer reads.
    private static func dictionaryEntry(_ word: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return "\"" + word.utf8.map { "\\x\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined() + "\""
    }

    private static func write(to folder: String, _ inputs: (FuzzTarget) throws -> [String: Data]) throws {
        for target in FuzzTarget.all {
            let place = URL(fileURLWithPath: folder).appendingPathComponent(target.name, isDirectory: true)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            for (name, seed) in try inputs(target) { try seed.write(to: place.appendingPathComponent(name)) }
        }
    }

    private static func runOne(_ target: FuzzTarget, file: String) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        do {
            try target.run(bytes)
            print("read")
        } catch {
            print("\(error)".prefix(300))
        }
    }

    /// Whether an input is read, or refused, in time and within the memory allowed.
    private static func replay(_ file: String, _ target: FuzzTarget) throws -> Bool {
        let name = "\(target.name)/\(URL(fileURLWithPath: file).lastPathComponent)"
        let input = try run("--one", target.name, file)
        guard input.isWhole else {
            print("\(name): stopped the process (\(input.status))")
            return false
        }
        // Of the largest child so far: growth is noticed with the input that brings it.
        if input.kilobytes > kilobytesAllowed, input.hasGrown {
            print("\(name): grew to \(input.kilobytes / 1024) MB")
            return false
        }
        guard input.seconds > secondsAllowed else { return true }
        // The machine may be slow, or busy for a moment: both show in a work that is measured right beside.
        var least = Double.infinity
        for _ in 0..<3 {
            let yardstick = try run("--yardstick").seconds
            least = min(least, try run("--one", target.name, file).seconds / yardstick)
            if least <= yardsticksAllowed { return true }
        }
        print("\(name): took \(input.seconds) s, \(least) times the fixed work")
        return false
    }

    private struct Ended {
        let isWhole: Bool
        let status: Int32
        /// Of the processor.
        let seconds: Double
        /// The memory of the largest child so far, and whether it is this one.
        let kilobytes: Int
        let hasGrown: Bool
    }

    /// Runs this program once more and waits for its end.
    private static func run(_ arguments: String...) throws -> Ended {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        let before = usageOfChildren()
        try process.run()
        _ = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let after = usageOfChildren()
        return Ended(
            isWhole: process.terminationReason == .exit && process.terminationStatus == 0,
            status: process.terminationStatus, seconds: seconds(after) - seconds(before), kilobytes: after.ru_maxrss,
            hasGrown: after.ru_maxrss > before.ru_maxrss)
    }

    private static func usageOfChildren() -> rusage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        return usage
    }

    /// The processor time of all children so far.
    private static func seconds(_ usage: rusage) -> Double {
        Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}
