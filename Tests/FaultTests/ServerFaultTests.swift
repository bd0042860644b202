#if PostgreSQL
import Foundation
import TestSupport
import Testing

/// Real processes whose connection to a server fails. With `bin/test --long` each call does, otherwise some do
/// that differ from commit to commit.
@Suite(
    "Faults of a connection", .serialized,
    .enabled(if: FaultLibrary.obstacle == nil, "\(FaultLibrary.obstacle ?? "")"),
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct ServerFaultTests {
    @Test(
        "A call or an allocation of libpq that fails: the save is there once or not at all, and the result is right"
    )
    func call() throws {
        let database = try TestDatabase()
        try ServerSave.prepare(database.url)
        let whole = database.folder.url.appendingPathComponent("whole")
        let first = try FaultRun(["server", database.url.absoluteString, "whole"], ["FAULTS_COUNT": whole.path])
        try #require(first.hasToldDone, "\(first)")
        let counts = try FaultRun.counts(whole)
        try #require(counts["send", default: 0] > 5 && counts["receive", default: 0] > 5, "\(counts)")
        var numbers = Sample.generator("a connection")
        var faults = Fault.all(Fault.kindsOfConnections, counts, using: &numbers) { _, kind, _ in
            Sample.isWhole ? (kind == "delay" ? 5 : nil) : 1
        }
        if !Sample.isWhole { faults += Self.aroundTheCommit(counts) }
        // The programs share a row, so they come one after another.
        var results: [FaultFixture.Trial] = []
        for (number, fault) in faults.enumerated() {
            results.append(try Self.meet(fault, "trial \(number)", database))
        }
        for result in results {
            for problem in result.problems { Issue.record("\(problem)") }
        }
        #expect(results.contains { $0.outcome != .missed })
        if Sample.isWhole {
            print(Fault.table("a connection", Fault.kindsOfConnections, faults, results))
        }
    }

    /// Losses of the connection at the last calls. The commit is among them, and behind it comes the end alone.
    private static func aroundTheCommit(_ counts: [String: Int]) -> [Fault] {
        ["send", "receive"].flatMap { call in
            let count = counts[call, default: 0]
            return (max(1, count - 7)...count).map { Fault(call: call, kind: "\(ECONNRESET)", number: $0) }
        }
    }

    /// The store's content of a trial: its rows, and how often any program has counted.
    private static func state(_ name: String, _ database: TestDatabase) throws -> (rows: Int, count: Int) {
        let text = database.psql("SELECT (SELECT count(*) FROM item WHERE name = '\(name)'), value FROM counter")
        let numbers = try #require(text).split(separator: "|").compactMap { Int($0) }
        return try #require(numbers.count == 2 ? (numbers[0], numbers[1]) : nil)
    }

    private static func meet(_ fault: Fault, _ name: String, _ database: TestDatabase) throws -> FaultFixture.Trial {
        let report = database.folder.url.appendingPathComponent(name)
        let before = try state(name, database).count
        let run = try FaultRun(
            ["server", database.url.absoluteString, name],
            [
                "FAULTS_CALL": fault.call, "FAULTS_KIND": fault.kind, "FAULTS_N": "\(fault.number)",
                "FAULTS_COUNT": report.path,
            ])
        var trial = FaultFixture.Trial(outcome: .killed)
        func complain(_ what: String) { trial.problems.append("\(fault): \(what)\n\(run)") }
        if fault.kind == "kill", run.signal == SIGKILL, !run.hasHung {
            // The server's work for a process that is gone ends before the next one counts.
            while database.psql(others) != "0" {}
        } else if run.signal != nil {
            complain("the program did not end by itself")
        } else {
            let wasInjected = try FaultRun.counts(report)["injected"] == 1
            trial.outcome = !wasInjected ? .missed : run.failure == nil ? .done : .refused
            if run.failure == nil, !run.hasToldDone { complain("it said nothing") }
            if let failure = run.failure, !failure.contains(" NSCocoaErrorDomain: ") {
                complain("the error is none that a program expects: \(failure)")
            }
        }
        let after = try state(name, database)
        switch (after.rows, after.count - before) {
        case (3, 1):
            if trial.outcome == .refused, !run.hasToldDone { complain("it said that it failed, and did it") }
        case (0, 0):
            if run.hasToldDone { complain("it said “done”, and did nothing") }
        default: complain("\(after.rows) rows of three, and counted \(after.count - before) times")
        }
        return trial
    }

    /// The number of sessions besides the one that runs the query.
    private static let others = """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
        """
}
#endif
