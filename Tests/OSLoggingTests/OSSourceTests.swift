import OSLog
import TestSupport
import Testing

@Suite("A Mac's source that logs compiles", .enabled(if: Toolchain.program("swiftc") != nil, "swiftc is not in PATH"))
struct OSSourceTests {
    private static let logging = """
        import os.log
        #if !os(Linux)
        #error("os(Linux) means the system")
        #endif
        extension OSLog {
            private static let subsystem = "com.example"
            static let data = OSLog(subsystem: subsystem, category: "data")
            static let points = OSLog(subsystem: subsystem, category: .pointsOfInterest)
        }
        struct Failure: Error {}
        final class Store {
            private let logger = Logger(subsystem: "com.example", category: String(describing: Store.self))
            private static let shared = Logger(OSLog.data)
            private var count = 0
            func load(_ name: String?, error: Error) {
                logger.debug("Loads \\(name ?? "none", privacy: .public) \\(self.count)")
                Self.shared.error("\\(error.localizedDescription) \\(error, privacy: .public)")
                let level: OSLogType = name == nil ? .fault : .info
                logger.log(level: level, "\\(name ?? "-", align: .left(columns: 8)) \\(1.5, format: .fixed(precision: 2))")
                os_log("Loads %{public}@ %d", log: .data, type: .debug, name ?? "none", count)
                os_log("Loads", log: .data, type: .error)
                os_log("Loads")
                os_log("Loads %@", String(describing: error))
                os_log(.error, log: .data, "Loads %{private}s", name ?? "")
                os_log("Loads \\(self.count)")
                os_log(level, "Loads \\(self.count)")
                os_log(.info, log: OSLog.data, "Loads \\(self.count)")
                if OSLog.data.isEnabled(type: .debug) { os_log(.debug, "on") }
            }
            func measure() throws -> Int {
                let id = OSSignpostID(log: .points)
                os_signpost(.begin, log: .points, name: "load", signpostID: id, "%d items", count)
                defer { os_signpost(.end, log: .points, name: "load", signpostID: id) }
                let signposter = OSSignposter(logHandle: .points)
                let state = signposter.beginInterval("load", id: signposter.makeSignpostID(), "of \\(self.count)")
                defer { signposter.endInterval("load", state) }
                signposter.emitEvent("began")
                return try signposter.withIntervalSignpost("all") { if count < 0 { throw Failure() } else { return 3 } }
            }
        }
        """

    private static let locking = """
        import os
        import struct os.Logger
        final class Cache: @unchecked Sendable {
            private var unfairLock = os_unfair_lock_s()
            private var lock: os_unfair_lock_t
            private let state = OSAllocatedUnfairLock<[String: Int]>(initialState: [:])
            private let flag = OSAllocatedUnfairLock(uncheckedState: false)
            init() {
                lock = UnsafeMutablePointer<os_unfair_lock>.allocate(capacity: 1)
                lock.initialize(to: os_unfair_lock())
            }
            deinit { lock.deinitialize(count: 1); lock.deallocate() }
            subscript(key: String) -> Int? {
                get { state.withLock { $0[key] } }
                set { state.withLock { $0[key] = newValue } }
            }
            func change() {
                os_unfair_lock_lock(&unfairLock)
                defer { os_unfair_lock_unlock(&unfairLock) }
                if os_unfair_lock_trylock(lock) { os_unfair_lock_unlock(lock) }
                flag.withLockUnchecked { $0.toggle() }
            }
        }
        """

    private static let both = """
        import OSLog
        @preconcurrency import os.signpost
        import class os.OSLog
        let log = OSLog(subsystem: "com.example", category: "both")
        let logger = Logger(subsystem: Bundle.main.bundleIdentifier ?? "program", category: "both")
        func note(_ date: Date) { logger.info("\\(date) \\(URL(fileURLWithPath: "/"), privacy: .public)") }
        """

    @Test("Loggers, formats, signposts and locks compile by each import", arguments: [5, 6])
    func sources(mode: Int) throws {
        let folder = try TemporaryFolder()
        let sources = ["Logging": Self.logging, "Locking": Self.locking, "Both": Self.both]
        for (name, text) in sources {
            try Data(text.utf8).write(to: folder.url.appendingPathComponent("\(name).swift"))
        }
        let outcome = try Toolchain.run(
            try #require(Toolchain.program("swiftc")),
            ["-swift-version", "\(mode)", "-typecheck", "-module-name", "Program", "-parse-as-library"]
                + Toolchain.importing
                + ["-Xcc", "-fmodule-map-file=\(Toolchain.package.path)/Sources/COSParts/module.modulemap"]
                + sources.keys.sorted().map { "\($0).swift" }, in: folder.url)
        #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome.text)")
    }

    @Test("Packages that do not depend on the product, and look whether the module is there, compile")
    func packagesBeside() throws {
        let folder = try TemporaryFolder()
        try Data(
            """
            #if canImport(os)
            internal import os
            #endif
            #if canImport(OSLog)
            internal import OSLog
            #endif
            func log() {
                let lock = UnsafeMutablePointer<os_unfair_lock>.allocate(capacity: 1)
                lock.initialize(to: os_unfair_lock())
                os_unfair_lock_lock(lock)
                Logger(subsystem: "com.example", category: "beside").fault("locked")
            }
            """.utf8
        ).write(to: folder.url.appendingPathComponent("Beside.swift"))
        // No module of C is shown.
        let outcome = try Toolchain.run(
            try #require(Toolchain.program("swiftc")),
            ["-swift-version", "6", "-typecheck", "-module-name", "Beside", "-parse-as-library"] + Toolchain.importing
                + ["Beside.swift"], in: folder.url)
        #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome.text)")
    }
}
