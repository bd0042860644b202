@_spi(MigrationTesting) import CoreData
import Foundation

/// The main program of a process that opens a store and migrates it. A trial may kill it during the migration.
///
/// ``KillTrial`` starts such a program, and so do the two processes of ``MigrationTrial``. Make it an executable target
/// of its own, beside the tests. `Tests/MigrateShop/main.swift` has these lines:
///
/// ```swift
/// import MigrationTestKit
///
/// MigrationChild.main { store, arguments in
///     // Opens the store as the program does when it starts, and closes it.
/// }
/// ```
///
/// The test target in `Package.swift` depends on it, so that it is built before the tests run:
///
/// ```swift
/// .executableTarget(
///     name: "migrate-shop",
///     dependencies: ["Shop", .product(name: "MigrationTestKit", package: "OpenCoreData")],
///     path: "Tests/MigrateShop"),
/// .testTarget(
///     name: "ShopTests",
///     dependencies: ["Shop", "migrate-shop", .product(name: "MigrationTestKit", package: "OpenCoreData")]),
/// ```
///
/// The tests find it by its name:
///
/// ```swift
/// trial.child = try MigrationChild.program(named: "migrate-shop")
/// ```
///
/// The trial sets environment variables. They set the moment at which the process ends itself, its user, and the limit
/// for the size of its files. Another one makes it wait for a line on standard input before it opens the store. Without
/// them it is an ordinary program. With `OPENCOREDATA_TRIAL_HOLD="stepDone:3"` it prints "held" at that moment, and
/// continues at a SIGUSR1.
public enum MigrationChild {
    static let killVariable = "OPENCOREDATA_TRIAL_KILL"
    static let traceVariable = "OPENCOREDATA_TRIAL_TRACE"
    static let limitVariable = "OPENCOREDATA_TRIAL_FILE_LIMIT"
    static let userVariable = "OPENCOREDATA_TRIAL_USER"
    static let waitVariable = "OPENCOREDATA_TRIAL_WAIT"
    static let holdVariable = "OPENCOREDATA_TRIAL_HOLD"

    /// Opens a store with a function of yours, and ends the process.
    ///
    /// The first argument of the process is the path or the URL of the store. The process prints "begin" before the
    /// call and "done" after it, and ends with status 0. If the function throws, it prints "failed" with the error, and
    /// ends with status 1. Without an argument it prints its usage, and ends with status 2.
    ///
    /// - Parameter open: Opens the store, which migrates it, and closes it. It gets the store's address and the other
    ///   arguments.
    /// - Returns: Never.
    public static func main(_ open: (_ store: URL, _ arguments: [String]) throws -> Void) -> Never {
        let arguments = CommandLine.arguments
        guard arguments.count > 1 else {
            say("usage: \(arguments.first ?? "child") STORE …")
            exit(2)
        }
        let environment = ProcessInfo.processInfo.environment
        if let text = environment[userVariable], let user = uid_t(text), setgid(user) != 0 || setuid(user) != 0 {
            say("failed: cannot become the user \(text)")
            exit(2)
        }
        if let text = environment[limitVariable], let bytes = UInt(text) { limitFiles(to: bytes) }
        let held = environment[holdVariable].flatMap { Moments.Target($0) }
        if held != nil { Moments.blockSignal() }
        let moments = Moments(
            kill: environment[killVariable].flatMap { Moments.Target($0) }, hold: held,
            isTraced: environment[traceVariable] != nil)
        MigrationMoment.observe { moments.reach($0) }
        say("begin")
        if environment[waitVariable] != nil { _ = FileHandle.standardInput.availableData }
        do {
            let address = URL(string: arguments[1]).flatMap { $0.scheme == nil ? nil : $0 }
            try open(address ?? URL(fileURLWithPath: arguments[1]), Array(arguments.dropFirst(2)))
            say("done")
            exit(0)
        } catch {
            let error = error as NSError
            say("failed: \(error.code) \(error.localizedDescription)")
            exit(1)
        }
    }

    /// Finds an executable target of the package by its name: beside the running tests, or in a folder above them.
    ///
    /// - Parameter name: The name of the target.
    /// - Returns: The address of the program.
    /// - Throws: `CocoaError.fileNoSuchFile` if it was not built, because the test target does not depend on it.
    public static func program(named name: String) throws -> URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        for _ in 0..<4 {
            let program = folder.appendingPathComponent(name)
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: program.path, isDirectory: &isFolder), !isFolder.boolValue,
                FileManager.default.isExecutableFile(atPath: program.path)
            {
                return program
            }
            folder = folder.deletingLastPathComponent()
        }
        throw CocoaError(
            .fileNoSuchFile,
            userInfo: [
                NSLocalizedDescriptionKey: "The program “\(name)” was not built: the test target has to depend on it."
            ])
    }

    static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    /// Limits the size of files from now on. A write beyond it fails with an error instead of a signal.
    private static func limitFiles(to bytes: UInt) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
        #if os(Linux)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
        setrlimit(RLIMIT_FSIZE, &limit)
        #endif
    }

    /// Counts and prints the moments, and ends the process at one of them.
    private final class Moments: @unchecked Sendable {  // `counts` is guarded by `lock`
        struct Target {
            var name: String
            var occurrence: Int

            init?(_ text: String) {
                let parts = text.split(separator: ":")
                guard parts.count == 2, let number = Int(parts[1]) else { return nil }
                (name, occurrence) = (String(parts[0]), number)
            }
        }

        private let target: Target?
        private let held: Target?
        private let isTraced: Bool
        private let lock = NSLock()
        private var counts: [String: Int] = [:]

        /// The signal that lets a held process continue.
        private static let signal = SIGUSR1

        private static var signals: sigset_t {
            var set = sigset_t()
            sigemptyset(&set)
            sigaddset(&set, signal)
            return set
        }

        /// Blocks the signal. Call it before there are other threads, which inherit the block.
        static func blockSignal() {
            var set = signals
            pthread_sigmask(SIG_BLOCK, &set, nil)
        }

        init(kill target: Target?, hold held: Target?, isTraced: Bool) {
            self.target = target
            self.held = held
            self.isTraced = isTraced
        }

        func reach(_ moment: MigrationMoment) {
            let name = moment.rawValue
            let count = lock.withLock {
                counts[name, default: 0] += 1
                return counts[name] ?? 0
            }
            if isTraced { MigrationChild.say("moment \(name)") }
            if let held, held.name == name, held.occurrence == count {
                MigrationChild.say("held")
                var (set, number): (sigset_t, Int32) = (Self.signals, 0)
                sigwait(&set, &number)
            }
            if let target, target.name == name, target.occurrence == count {
                // The process ends as by a watchdog: no buffer is flushed, and no handler runs.
                kill(getpid(), SIGKILL)
            }
        }
    }
}
