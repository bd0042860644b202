// Implementation notes: FaultTests.
//
// - A child (`Tests/FaultChild`) does one `FaultOperation` while a call of the C library fails. `LD_PRELOAD` loads a
//   library of the tests' own (`Tests/Faults`) before all other libraries. It counts calls about files in one folder,
//   and makes the n-th fail, fall short, wait or end the process. It also writes a log of all changes.
// - `SimulatedDisk` plays a part of that log, drops a random part of the writes that were not synced, and leaves the
//   state that a disk with a cache leaves.
// - `FaultState` is the content of a folder, as text. `FaultFixture.complete` compares: the state must be the older one
//   or the newer one. Once the operation is done again it must be the newer one, with nothing left over.

import Foundation
import Synchronization
import TestSupport

/// An operation on a store, what the store is before and after it, and how often it calls what.
final class FaultFixture: Sendable {
    let operation: FaultOperation
    let older: FaultState
    let newer: FaultState
    /// How many calls of each name the operation makes where nothing fails.
    let counts: [String: Int]
    /// How many microseconds it takes where nothing fails.
    let duration: Int
    private let folder: TemporaryFolder

    private var base: URL { folder.url.appendingPathComponent("base") }

    /// Those that suites of this process share: making one takes as long as some of its faults.
    private static let made = Mutex<[FaultOperation: FaultFixture]>([:])

    /// The fixture of an operation, which is made at the first call and goes when the process ends.
    static func of(_ operation: FaultOperation) throws -> FaultFixture {
        try made.withLock { made in
            if made.isEmpty { atexit { FaultFixture.made.withLock { $0.removeAll() } } }
            if let fixture = made[operation] { return fixture }
            let fixture = try FaultFixture(operation)
            made[operation] = fixture
            return fixture
        }
    }

    private init(_ operation: FaultOperation) throws {
        self.operation = operation
        folder = try TemporaryFolder()
        let base = folder.url.appendingPathComponent("base/store")
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            at: base.deletingLastPathComponent().appendingPathComponent("tmp"), withIntermediateDirectories: true)
        try operation.prepare(in: base)
        older = try Self.inCopy(of: folder.url.appendingPathComponent("base")) {
            try FaultState(of: operation, in: $0.appendingPathComponent("store"))
        }
        (newer, counts, duration) = try Self.inCopy(of: folder.url.appendingPathComponent("base")) { copy in
            let report = copy.appendingPathComponent("count")
            let run = try Self.child(operation, copy, ["FAULTS_COUNT": report.path])
            guard run.hasToldDone else { throw Failure(description: "\(operation) without a fault: \(run)") }
            return (
                try FaultState(of: operation, in: copy.appendingPathComponent("store")), try FaultRun.counts(report),
                run.duration ?? 0
            )
        }
        guard older != newer else { throw Failure(description: "\(operation) changes nothing") }
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    // MARK: Running

    /// Runs the operation in a folder that has `store` and `tmp`.
    static func child(_ operation: FaultOperation, _ folder: URL, _ environment: [String: String]) throws -> FaultRun {
        let place = ["FAULTS_FOLDER": folder.path, "TMPDIR": folder.appendingPathComponent("tmp").path]
        return try FaultRun(
            [operation.rawValue, folder.appendingPathComponent("store").path],
            place.merging(environment) { $1 })
    }

    /// Gives a body a copy of the folder.
    private static func inCopy<Result>(of base: URL, _ body: (URL) throws -> Result) throws -> Result {
        try withTemporaryFolder { parent in
            // The path that the child's calls name has no link in it.
            let copy = parent.resolvingSymlinksInPath().appendingPathComponent("trial")
            try FileManager.default.copyItem(at: base, to: copy)
            return try body(copy)
        }
    }

    func inCopy<Result>(_ body: (URL) throws -> Result) throws -> Result { try Self.inCopy(of: base, body) }

    // MARK: A fault

    /// How an operation ended that met a fault.
    enum Outcome: String, CaseIterable, Sendable {
        case missed, done, refused, killed
    }

    struct Trial: Sendable {
        var outcome: Outcome
        var problems: [String] = []
    }

    /// Runs the operation with a fault, and reads what is left.
    func meet(_ fault: Fault) throws -> Trial {
        try inCopy { folder in
            let report = folder.appendingPathComponent("count")
            let run = try Self.child(
                operation, folder,
                [
                    "FAULTS_CALL": fault.call, "FAULTS_KIND": fault.kind, "FAULTS_N": "\(fault.number)",
                    "FAULTS_COUNT": report.path,
                ])
            var trial = Trial(outcome: .killed)
            func complain(_ what: String) { trial.problems.append("\(operation), \(fault): \(what)\n\(run)") }
            if fault.kind == "kill", run.signal == SIGKILL, !run.hasHung {
                trial.outcome = .killed
            } else if run.signal != nil {
                complain("the program did not end by itself")
            } else {
                let wasInjected = try FaultRun.counts(report)["injected"] == 1
                trial.outcome = !wasInjected ? .missed : run.failure == nil ? .done : .refused
                let remains = try FileManager.default.contentsOfDirectory(
                    atPath: folder.appendingPathComponent("tmp").path)
                if let failure = run.failure, !failure.contains(" NSCocoaErrorDomain: ") {
                    complain("the error is none that a program expects: \(failure)")
                }
                if fault.kind == "\(ENOSPC)", let failure = run.failure,
                    !failure.hasPrefix("failed \(NSFileWriteOutOfSpaceError) ")
                {
                    complain("the error does not say that the disk is full: \(failure)")
                }
                if fault.kind == "rough", trial.outcome == .refused {
                    complain("it gave up at calls that were interrupted or did a part of their work")
                }
                // Files that the fault kept from being removed are there, of course.
                if !remains.isEmpty, fault.call != "unlink" { complain("temporary files are left: \(remains)") }
            }
            do {
                let left = try complete(folder.appendingPathComponent("store"), complain)
                switch left {
                case .older: if run.hasToldDone { complain("it said “done”, and did nothing") }
                case .newer:
                    if trial.outcome == .refused, !run.hasToldDone, !operation.opensAtTheEnd {
                        complain("it said that it failed, and did it")
                    }
                case nil: break
                }
            } catch {
                complain("the store cannot be opened: \(error)")
            }
            return trial
        }
    }

    /// Kills the operation some microseconds after its beginning, and reads what is left.
    func kill(after moment: Int) throws -> Trial {
        try inCopy { folder in
            let run = try Self.child(operation, folder, ["FAULT_CHILD_MOMENT": "\(moment)"])
            var trial = Trial(outcome: run.signal == SIGKILL ? .killed : run.failure == nil ? .done : .refused)
            func complain(_ what: String) {
                trial.problems.append("\(operation), killed after \(moment) µs: \(what)\n\(run)")
            }
            if run.hasHung { complain("it hung") }
            if trial.outcome == .refused { complain("nothing failed") }
            let remains = try FileManager.default.contentsOfDirectory(
                atPath: folder.appendingPathComponent("tmp").path)
            if !remains.isEmpty { complain("temporary files are left: \(remains)") }
            do {
                let left = try complete(folder.appendingPathComponent("store"), complain)
                if left == .older, run.hasToldDone { complain("it said “done”, and nothing is there") }
            } catch {
                complain("the store cannot be opened: \(error)")
            }
            return trial
        }
    }

    /// The findings of an operation.
    enum Left: Sendable { case older, newer }

    /// The store is the older or the newer, whole. The next program can do what was not done, and leaves what it would
    /// have left if nothing had happened.
    ///
    /// - Parameter isPowerLost: whether files of external values may lie there that no row names. A note of them is
    ///   not waited for.
    func complete(_ store: URL, isPowerLost: Bool = false, _ complain: (String) -> Void) throws -> Left? {
        func isEnd(_ state: FaultState) -> Bool {
            state == newer || (isPowerLost && state.withoutExternalFiles == newer.withoutExternalFiles)
        }
        let state = try FaultState(of: operation, in: store)
        guard state.contents == older.contents || state.contents == newer.contents else {
            complain(
                "it is neither:\n\(state.differences(from: older))\nor\n\(state.differences(from: newer))")
            return nil
        }
        let left: Left = state.contents == newer.contents ? .newer : .older
        var final = state
        if left == .older || (operation.isRepeatable && !isEnd(state)) {
            do { try operation.run(in: store) } catch {
                complain("it cannot be done once more: \(error)")
                return left
            }
            final = try FaultState(of: operation, in: store)
        }
        if !isEnd(final) { complain("done once more (\(left)):\n\(final.differences(from: newer))") }
        return left
    }
}
