import Foundation
import TestSupport

/// The library that stands between a program and the C library (`Tests/Faults`), compiled for these tests.
enum FaultLibrary {
    private static let folder = try? TemporaryFolder()
    private static let built: Result<String, any Error> = Result {
        guard let clang = Toolchain.program("clang"), let folder else { throw CocoaError(.fileNoSuchFile) }
        let library = folder.url.appendingPathComponent("libfaults.so").path
        let sources = ["faults", "files", "libraries"].map {
            Toolchain.package.appendingPathComponent("Tests/Faults/\($0).c").path
        }
        let flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
        let outcome = try Toolchain.run(clang, flags + ["-o", library] + sources + ["-ldl"])
        guard outcome.status == 0 else {
            throw FaultFixture.Failure(description: "Tests/Faults cannot be compiled: \(outcome.text.prefix(500))")
        }
        return library
    }

    static var path: String {
        get throws { try built.get() }
    }

    /// Why calls cannot be made to fail here; nil where they can.
    static var obstacle: String? {
        #if os(Linux)
        Toolchain.program("clang") == nil ? "the toolchain has no clang" : nil
        #else
        "the loader of this system has no LD_PRELOAD"
        #endif
    }

    /// All operations, or those that OPENCOREDATA_OPERATIONS names: the long form takes minutes for each.
    static let operations: [FaultOperation] = {
        let names = ProcessInfo.processInfo.environment["OPENCOREDATA_OPERATIONS"]?.split(separator: ",").map(
            String.init)
        return names.map { $0.compactMap(FaultOperation.init) } ?? FaultOperation.allCases
    }()

    /// How many faults of an operation the long form plays: all, or so many that are chosen at random.
    static let most = ProcessInfo.processInfo.environment["OPENCOREDATA_FAULTS"].flatMap(Int.init) ?? .max
}

/// A call whose effect or result differs from what the program requested.
struct Fault: CustomStringConvertible, Sendable {
    /// A name of `Tests/Faults`.
    var call: String
    /// An error number, or a word of `Tests/Faults`.
    var kind: String
    var number: Int

    var description: String {
        let words = Int32(kind).map { String(cString: strerror($0)) } ?? kind
        return "\(call) \(number): \(words)"
    }

    /// The faults of each kind of call.
    static let kinds: KeyValuePairs<String, [String]> = [
        "open": ["\(EIO)", "\(EMFILE)"], "read": ["\(EIO)", "\(EINTR)", "short"],
        "write": ["\(ENOSPC)", "\(EIO)", "\(EINTR)", "short"],
        "put": ["\(ENOSPC)", "\(EIO)", "\(EINTR)", "short"], "sync": ["\(EIO)"], "truncate": ["\(EIO)"],
        "rename": ["\(EIO)"], "exchange": ["\(EIO)", "\(EINVAL)"], "link": ["\(EPERM)"], "unlink": ["\(EIO)"],
        "make": ["\(ENOSPC)"], "lock": ["\(EAGAIN)", "\(ENOLCK)"], "allocation": ["\(ENOMEM)"],
        "any": ["kill", "delay", "rough"],
    ]

    /// The kinds of faults of a connection to a server.
    static let kindsOfConnections: KeyValuePairs<String, [String]> = [
        "send": ["\(ECONNRESET)", "\(EINTR)", "short"], "receive": ["\(ECONNRESET)", "\(EINTR)", "short"],
        "allocation": ["\(ENOMEM)"], "any": ["kill", "delay"],
    ]

    /// Every fault that a run can meet which makes so many calls, or a sample of them.
    ///
    /// - Parameter sample: how many calls are chosen of a kind; nil for all.
    static func all(
        _ kinds: KeyValuePairs<String, [String]>, _ counts: [String: Int], using numbers: inout SplitMix,
        sample: (_ call: String, _ kind: String, _ count: Int) -> Int?
    ) -> [Fault] {
        kinds.flatMap { call, kinds in
            let count = counts[call] ?? 0
            return count == 0
                ? []
                : kinds.flatMap { kind in
                    let samples = sample(call, kind, count)
                    let chosen =
                        samples.map { (0..<$0).map { _ in .random(in: 1...count, using: &numbers) } }
                        ?? Array(1...count)
                    return chosen.map { Fault(call: call, kind: kind, number: $0) }
                }
        }
    }

    /// An end of the process at one of the calls by which files change. Rare calls are as likely as frequent ones.
    static func kill(among counts: [String: Int], using numbers: inout SplitMix) -> Fault {
        let calls = ["write", "put", "sync", "truncate", "rename", "exchange", "link", "unlink", "make"]
            .filter { counts[$0, default: 0] > 0 }
        let call = calls.randomElement(using: &numbers) ?? "any"
        return Fault(call: call, kind: "kill", number: .random(in: 1...max(1, counts[call] ?? 1), using: &numbers))
    }

    /// How the runs ended, as lines to be read.
    static func table(
        _ title: String, _ kinds: KeyValuePairs<String, [String]>, _ faults: [Fault], _ results: [FaultFixture.Trial]
    ) -> String {
        var text = "faults of \(title):"
        for (call, kinds) in kinds {
            for kind in kinds {
                let some = zip(faults, results).filter { $0.0.call == call && $0.0.kind == kind }.map(\.1)
                if some.isEmpty { continue }
                let outcomes = FaultFixture.Outcome.allCases.map { outcome in
                    "\(some.count { $0.outcome == outcome }) \(outcome)"
                }
                let problems = some.count { !$0.problems.isEmpty }
                let name = "\(call) \(Int32(kind).map { String(cString: strerror($0)) } ?? kind)"
                text += "\n  \(name): \(outcomes.joined(separator: ", ")), \(problems) wrong"
            }
        }
        return text
    }
}
