import Foundation

/// A folder for the file of one input. It goes when the input has been read.
enum FuzzFolder {
    private static let counter = Counter()

    private final class Counter: @unchecked Sendable {
        // Under the lock.
        private var value = 0
        private let lock = NSLock()

        func next() -> Int {
            lock.withLock {
                value += 1
                return value
            }
        }
    }

    /// Runs a body with a new, empty folder.
    static func with<Result>(_ body: (URL) throws -> Result) throws -> Result {
        // Memory, where the system has such a folder: the fuzzer makes thousands of files each second.
        let parent =
            FileManager.default.fileExists(atPath: "/dev/shm")
            ? URL(fileURLWithPath: "/dev/shm", isDirectory: true) : FileManager.default.temporaryDirectory
        let name = "opencoredata-fuzz-\(ProcessInfo.processInfo.processIdentifier)-\(counter.next())"
        let folder = parent.appendingPathComponent(name, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    /// Runs a body with a file of the bytes.
    static func withFile<Result>(_ bytes: Data, named name: String, _ body: (URL) throws -> Result) throws -> Result {
        try with { folder in
            let file = folder.appendingPathComponent(name, isDirectory: false)
            try bytes.write(to: file)
            return try body(file)
        }
    }
}
