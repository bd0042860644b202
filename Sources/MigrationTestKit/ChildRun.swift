import CoreData

/// One run of a child program.
final class ChildRun: @unchecked Sendable {  // started and awaited by one owner
    private let process = AwaitedProcess()
    private let output = Pipe()
    private let input = Pipe()
    private var text = ""

    /// Starts the program.
    /// - Parameter waits: whether the program waits after its start for `proceed()` before it opens the store.
    /// - Parameter waits: whether it begins, and waits for `proceed()` before it opens the store.
    init(
        _ program: URL, store: URL, arguments: [String], environment: [String: String] = [:], waits: Bool = false
    ) throws {
        process.executableURL = program
        process.arguments = [store.isFileURL ? store.path : store.absoluteString] + arguments
        var all = ProcessInfo.processInfo.environment
        for name in [
            MigrationChild.killVariable, MigrationChild.traceVariable, MigrationChild.limitVariable,
            MigrationChild.userVariable, MigrationChild.waitVariable,
        ] {
            all[name] = nil
        }
        process.environment = all.merging(environment) { _, new in new }
        if waits {
            process.environment?[MigrationChild.waitVariable] = "1"
            process.standardInput = input
        }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Waits until the program has begun, and kills it some seconds later.
    func kill(after seconds: Double) {
        waitForBeginning()
        Thread.sleep(forTimeInterval: max(0, seconds))
        Foundation.kill(process.processIdentifier, SIGKILL)
    }

    func waitForBeginning() {
        while !text.contains("begin\n") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return }
            text += String(decoding: data, as: UTF8.self)
        }
    }

    /// Lets a waiting program open the store.
    func proceed() { try? input.fileHandleForWriting.write(contentsOf: Data("go\n".utf8)) }

    /// Runs several programs that open one store at the same moment: all have started before the first continues.
    static func atOnce(
        _ count: Int, program: URL, store: URL, arguments: [String], environment: [String: String] = [:]
    ) throws -> [Outcome] {
        let children = try (0..<count).map { _ in
            try ChildRun(program, store: store, arguments: arguments, environment: environment, waits: true)
        }
        for child in children { child.waitForBeginning() }
        for child in children { child.proceed() }
        return children.map { $0.wait() }
    }

    struct Outcome {
        var text: String
        var wasKilled: Bool
        var isDone: Bool { text.hasSuffix("done\n") && !wasKilled }
        /// The error that the program printed.
        var failure: String? {
            text.split(separator: "\n").first { $0.hasPrefix("failed: ") }.map { String($0.dropFirst(8)) }
        }
        /// Whether the program failed with an error about another process that uses the store: by its code, or by
        /// naming the process.
        var saysWhoIsAtWork: Bool {
            guard let failure else { return false }
            let isTimeout = failure.hasPrefix("\(NSPersistentStoreTimeoutError) ")
            return isTimeout || failure.range(of: "process", options: .caseInsensitive) != nil
        }
        /// The moments that the program printed, in their order.
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
