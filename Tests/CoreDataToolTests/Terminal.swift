import Foundation
import TestSupport

/// A run of the built program `coredata` on a terminal of its own, which this is the other side of.
final class Terminal {
    private let descriptor: Int32
    private let processIdentifier: pid_t
    /// Everything that has been printed.
    private(set) var printed = ""
    private var bytes: [UInt8] = []

    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ step: String) { description = "\(step): \(String(cString: strerror(errno)))" }
    }

    /// - Parameter columns: how wide the terminal is.
    init(_ arguments: [String], columns: UInt16 = 100) throws {
        var (own, other): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&own, &other, nil, nil, &size) == 0, let name = ttyname(other) else {
            throw Failure("no terminal")
        }
        // Programs that other tests start at the same time must not hold the terminal open either.
        for side in [own, other] { _ = fcntl(side, F_SETFD, FD_CLOEXEC) }
        descriptor = own
        // It would keep the terminal open when the program has ended.
        defer { close(other) }
        let path = String(cString: name)

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that the leader of a session opens is the one whose ^C it receives.
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, path, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
        // Descriptors that other tests have open at the same time, pipes above all, are not for this program.
        for file in STDERR_FILENO + 1..<1024 { posix_spawn_file_actions_addclose(&actions, file) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // POSIX_SPAWN_SETSID, which the C library declares for GNU sources alone, and signals as they are by default.
        posix_spawnattr_setflags(&attributes, 0x80 | Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGINT)
        posix_spawnattr_setsigdefault(&attributes, &signals)

        let words = ([ToolRun.program.path] + arguments).map { strdup($0) } + [nil]
        let environment = ProcessInfo.processInfo.environment.merging(["TERM": "xterm"]) { $1 }
        let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, ToolRun.program.path, &actions, &attributes, words, variables)
        processIdentifier = identifier
        guard code == 0 else {
            errno = code
            throw Failure("the program was not started")
        }
    }

    deinit { close(descriptor) }

    /// Reads until a text has been printed.
    /// - Returns: false where the program ended before.
    func wait(for text: String) -> Bool {
        while !printed.contains(text) {
            guard read() else { return false }
        }
        return true
    }

    private func read() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        // When the last process has closed the other side, reading fails.
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return false }
        bytes += buffer.prefix(count)
        printed = String(decoding: bytes, as: UTF8.self)
        return true
    }

    /// Presses a key.
    func press(_ key: UInt8) {
        var key = key
        _ = Foundation.write(descriptor, &key, 1)
    }

    static let controlC: UInt8 = 3

    func send(_ signal: Int32) { kill(processIdentifier, signal) }

    /// Waits for the end; the exit status, or minus the signal that ended it.
    func end() -> Int32 {
        while read() {}
        var status: Int32 = 0
        while waitpid(processIdentifier, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }
}
