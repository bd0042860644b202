import CoreData
import CoreDataManager
import Foundation

/// Runs a migration on a thread of its own, so that the main one can draw it, and cancels it at ^C.
// @unchecked Sendable: the condition guards everything that changes.
final class FollowedMigration: @unchecked Sendable {
    private let condition = NSCondition()
    private var migration: (any MigrationProgressReporting)?
    private var isInterrupted = false
    private var outcome: Result<Void, any Error>?
    private let source: any DispatchSourceSignal

    /// From here on ^C is a wish that the migration be cancelled.
    init() {
        signal(SIGINT, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { [weak self] in self?.interrupt() }
        source.resume()
    }

    deinit {
        source.cancel()
        signal(SIGINT, SIG_DFL)
    }

    private func interrupt() {
        condition.lock()
        isInterrupted = true
        let running = migration
        condition.broadcast()
        condition.unlock()
        running?.cancelMigration()
    }

    /// Throws where ^C was pressed while no migration ran.
    func check() throws {
        condition.lock()
        defer { condition.unlock() }
        if isInterrupted { throw ToolError(.cancelled, "cancelled") }
    }

    private func begin(_ migration: any MigrationProgressReporting) {
        condition.lock()
        self.migration = migration
        let isLate = isInterrupted
        condition.unlock()
        if isLate { migration.cancelMigration() }
    }

    private func end(_ outcome: Result<Void, any Error>) {
        condition.lock()
        self.outcome = outcome
        condition.broadcast()
        condition.unlock()
    }

    /// Does the job. Whoever holds the store is waited for here and not by the library, whose wait for a lock of
    /// SQLite's no ^C would end.
    private func work(_ job: MigrationJob, waiting seconds: Int) throws {
        let deadline = Date(timeIntervalSinceNow: Double(seconds))
        while true {
            do {
                return try MeasuredMigrationAdapter().migrate(job) { begin($0) }
            } catch {
                guard ToolError(error).status == .busy, Date() < deadline else { throw error }
                condition.lock()
                if !isInterrupted { _ = condition.wait(until: Date(timeIntervalSinceNow: 0.1)) }
                condition.unlock()
                try check()
            }
        }
    }

    /// Runs the job to its end, however it ends. The calling thread, which is the main one, draws.
    func run(_ job: MigrationJob, waiting seconds: Int, message: String, columns: Int?) throws {
        nonisolated(unsafe) let job = job
        let thread = Thread { [self] in end(Result { try work(job, waiting: seconds) }) }
        thread.name = "migration"
        thread.start()
        guard let columns else { return try wait(drawing: { _ in }).get() }
        let outcome = MainActor.assumeIsolated {
            let display = TerminalDisplay()
            var isShown = false
            let outcome = wait { migration in
                if !isShown { display.begin(migration, message: message) }
                isShown = true
                let status = migration.migrationStatus
                display.update(status, text: Self.text(status, columns: columns))
            }
            if isShown {
                if case .success = outcome { display.update(MigrationStatus(fractionCompleted: 1), text: "") }
                display.end(message: Self.word(for: outcome), failure: nil)
            }
            return outcome
        }
        try outcome.get()
    }

    private static func word(for outcome: Result<Void, any Error>) -> String {
        switch outcome {
        case .success: "Done."
        case .failure(let error): ToolError(error).status == .cancelled ? "Cancelled." : "Failed."
        }
    }

    /// Waits for the end, and has the migration drawn some twenty times a second.
    private func wait(drawing draw: (any MigrationProgressReporting) -> Void) -> Result<Void, any Error> {
        while true {
            condition.lock()
            if outcome == nil { _ = condition.wait(until: Date(timeIntervalSinceNow: 0.05)) }
            let (running, outcome) = (migration, outcome)
            condition.unlock()
            if let outcome { return outcome }
            if let running { draw(running) }
        }
    }

    /// Stage, entity, rows and the time left, as far as they fit beside a bar of ten columns.
    static func text(_ status: MigrationStatus, columns: Int) -> String {
        var timed = status
        timed.rows = nil
        let time = LaunchTexts(language: "en").text(for: timed)
        let stage = Table.onOneLine(status.stage)
        let short = stage.split(separator: ",").first.map(String.init) ?? ""
        let room = columns - 22
        let texts = [[stage, time], [short, time], [time]].map { $0.filter { !$0.isEmpty }.joined(separator: ", ") }
        return texts.first { TextWidth.of($0) <= room } ?? ""
    }
}
