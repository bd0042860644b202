import Foundation
import TestSupport

/// A process's actions and events, as numbers.
final class Tally: @unchecked Sendable {  // all under the lock
    private let lock = NSLock()
    private var counts: [String: Int] = [:]
    private var longest: [String: Double] = [:]
    /// The process's memory when its caches were full: growth is measured by it.
    private var first: (memory: Int, files: Int)?
    private var works = 0
    /// How many pieces of work are between two lines, and after how many the caches are full.
    private static let (interval, warm) = (20, 1_000)

    func count(_ name: String, _ number: Int = 1) { lock.withLock { counts[name, default: 0] += number } }

    /// Runs a body, and keeps the longest time that one of its kind has taken.
    func timed<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        let start = ContinuousClock.now
        defer {
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            lock.withLock { longest[name] = max(longest[name] ?? 0, seconds) }
        }
        return try body()
    }

    /// Counts a piece of work, and prints now and then what there is.
    func report() {
        count("works")
        let isDue = lock.withLock {
            works += 1
            return works % Self.interval == 1
        }
        if isDue { say(line("status")) }
    }

    private static var openFiles: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    /// One line: a word, and then names and values.
    func line(_ word: String) -> String {
        lock.withLock {
            let now = (memory: ProcessMemory.resident >> 20, files: Self.openFiles)
            let begin = first ?? now
            if works > Self.warm, first == nil { first = now }
            var words = [word]
            for (name, value) in counts.sorted(by: { $0.key < $1.key }) { words += [name, "\(value)"] }
            for (name, value) in longest.sorted(by: { $0.key < $1.key }) {
                words += ["longest-\(name)", "\(Int(value * 1000))"]
            }
            words += ["memory-before", "\(begin.memory)", "memory", "\(now.memory)"]
            words += ["files-before", "\(begin.files)", "files", "\(now.files)"]
            return words.joined(separator: " ")
        }
    }
}

/// Prints a line at once; lines of two threads do not mix.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func complain(_ text: String) { say("wrong: " + text.replacingOccurrences(of: "\n", with: " ")) }
