import CoreData
import Foundation

/// A run of the built program `coredata`, or of another one.
public struct ToolRun {
    public let status: Int32
    public let output: String
    public let errors: String

    /// - Parameters:
    ///   - input: The text for the program's standard input.
    ///   - program: another program, a shell, that runs it.
    public init(
        _ arguments: [String], input: String = "", environment: [String: String] = [:], in folder: URL? = nil,
        program: URL = ToolRun.program
    ) throws {
        let process = AwaitedProcess()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, given in given }
        let (output, errors, standardInput) = (Pipe(), Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = standardInput
        // A program that ends without reading its input must not end the tests.
        signal(SIGPIPE, SIG_IGN)
        try process.run()
        try? standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        // Both are read at once: a full pipe would hold the program up.
        let read = HeldValue<Data>()
        let thread = Thread { read.set(errors.fileHandleForReading.readDataToEndOfFile()) }
        thread.start()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        let said = read.wait()
        process.waitUntilExit()
        // Foundation keeps the pipes of a process. With over a thousand open descriptors it loses ends of processes.
        for pipe in [output, errors] { try? pipe.fileHandleForReading.close() }
        self.output = String(decoding: bytes, as: UTF8.self)
        self.errors = String(decoding: said, as: UTF8.self)
        status = process.terminationStatus
    }

    public static var program: URL {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("coredata")
    }

    /// The changes in a folder. An empty log and its index do not count: every reader by SQLite leaves them where
    /// the store is one with a log.
    public static func changes(in folder: URL, since before: FolderContents) throws -> [String] {
        let now = try FolderContents(folder)
        return now.differences(from: before).filter { name in
            if name.hasSuffix("-shm") { return false }
            return !(name.hasSuffix("-wal") && before.files[name] == nil && now.files[name] == Data())
        }
    }

    /// The output as JSON.
    public func json() throws -> Any {
        try JSONSerialization.jsonObject(with: Data(output.utf8), options: .fragmentsAllowed)
    }
}

/// A value that another thread sets.
private final class HeldValue<Value: Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    private var value: Value?

    func set(_ value: Value) {
        condition.lock()
        self.value = value
        condition.signal()
        condition.unlock()
    }

    func wait() -> Value {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let value { return value }
            condition.wait()
        }
    }
}
