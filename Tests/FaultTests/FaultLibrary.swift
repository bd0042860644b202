import Foundation
import TestSupport

/// The library that stands between a program and the C library (`Tests/Faults/faults.c`), compiled for these tests.
enum FaultLibrary {
    private static let folder = try? TemporaryFolder()
    private static let built: (path: String, obstacle: String?) = {
        guard let clang = Toolchain.program("clang") else { return ("", "the toolchain has no clang") }
        guard let folder else { return ("", "there is no temporary folder") }
        let library = folder.url.appendingPathComponent("libfaults.so").path
        let source = Toolchain.package.appendingPathComponent("Tests/Faults/faults.c").path
        do {
            let outcome = try Toolchain.run(
                clang, ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", library, source, "-ldl"])
            return (library, outcome.status == 0 ? nil : "faults.c cannot be compiled: \(outcome.text.prefix(500))")
        } catch {
            return ("", "clang cannot be run: \(error)")
        }
    }()

    static var path: String { built.path }

    /// Why calls cannot be made to fail here; nil where they can.
    static var obstacle: String? {
        #if os(Linux)
            built.obstacle
        #else
            "the loader of this system has no LD_PRELOAD"
        #endif
    }

    static let isLong = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil
}

/// A call that is not done as the program asked for.
struct Fault: CustomStringConvertible, Sendable {
    /// A name of `faults.c`.
    var call: String
    /// An error number, or a word of `faults.c`.
    var kind: String
    var number: Int

    var description: String {
        let words = Int32(kind).map { String(cString: strerror($0)) } ?? kind
        return "\(call) \(number): \(words)"
    }

    /// What can happen to each kind of call.
    static let kinds: KeyValuePairs<String, [String]> = [
        "open": ["\(EIO)", "\(EMFILE)"], "read": ["\(EIO)", "\(EINTR)", "short"],
        "write": ["\(ENOSPC)", "\(EIO)", "\(EINTR)", "short"], "sync": ["\(EIO)"], "truncate": ["\(EIO)"],
        "rename": ["\(EIO)"], "exchange": ["\(EIO)", "\(EINVAL)"], "link": ["\(EPERM)"], "unlink": ["\(EIO)"],
        "make": ["\(ENOSPC)"], "lock": ["\(EAGAIN)", "\(ENOLCK)"], "allocation": ["\(ENOMEM)"],
        "any": ["kill", "delay"],
    ]
}
