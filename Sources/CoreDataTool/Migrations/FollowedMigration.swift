import CoreData
import CoreDataManager
import Foundation

/// Runs a migration on a thread of its own, so that the main one can draw it, and cancels it at ^C.
// @unchecked Sendable: the condition guards everything that changes.
final class FollowedMigration: @unchecked Sendable {
    private let condition = NSCondition()
    private var migration: (any MigrationProgressReporting)?
    private var isWaiting = false
    private var outcome: Result<Void, any Error>?

    /// From here on ^C cancels the migration.
    init() { Interruption.watch { [weak self] in self?.interrupt() } }

    private func interrupt() {
        condition.lock()
        let running = migration
        condition.broadcast()
        condition.unlock()
        running?.cancelMigration()
    }

    private func begin(_ migration: any MigrationProgressReporting) {
        condition.lock()
        self.migration = migration
        isWaiting = false
        condition.unlock()
        if Interruption.wasRequested { migration.cancelMigration() }
    }

    private func end(_ outcome: Result<Void, any Error>) {
        condition.lock()
        self.outcome = outcome
        condition.broadcast()
        condition.unlock()
    }

    /// Migrates. It waits here for a program that holds the store, and not in the library, because ^C would not end the
    /// library's wait for a lock of SQLite's.
    private func work(_ job: MigrationJob, waiting seconds: Int, whileOpen: Bool) throws {
        let deadline = Date(timeIntervalSinceNow: Double(seconds))
        while true {
            do {
                if !whileOpen { try Self.requireClosed(job.storeURL) }
                return try MeasuredMigrationAdapter().migrate(job) { begin($0) }
            } catch {
                guard ToolError(error).status == .busy, Date() < deadline else { throw error }
                try pause()
            }
        }
    }

    /// Throws if another process has the store open.
    static func requireClosed(_ url: URL) throws {
        let users = StoreUsers.of(url)
        if users.isEmpty { return }
        throw ToolError(
            .busy, "the store is open in \(users.joined(separator: ", "))",
            details: ["Close it there, wait for it (--wait SECONDS), or migrate while it is open (--while-open)."])
    }

    /// Waits a moment for the processes that hold the store, or for ^C.
    private func pause() throws {
        condition.lock()
        isWaiting = true
        if !Interruption.wasRequested { _ = condition.wait(until: Date(timeIntervalSinceNow: 0.1)) }
        condition.unlock()
        try Interruption.check()
    }

    /// Runs the job to its end, successful or not. The calling thread, which is the main one, draws.
    ///
    /// - Parameters:
    ///   - seconds: how long to wait for processes that have the store open.
    ///   - whileOpen: whether to migrate also while other programs have the store open, if they hold no lock.
    ///   - write: writes to the terminal.
    func run(
        _ job: MigrationJob, waiting seconds: Int, whileOpen: Bool, message: String, columns: Int?,
        write: @escaping (String) -> Void
    ) throws {
        // Only the thread uses the job, and only this thread uses the terminal.
        nonisolated(unsafe) let (job, write) = (job, write)
        let thread = Thread { [self] in end(Result { try work(job, waiting: seconds, whileOpen: whileOpen) }) }
        thread.name = "migration"
        thread.start()
        guard let columns else { return try wait(drawing: { _ in }).get() }
        let outcome = MainActor.assumeIsolated {
            let display = TerminalDisplay()
            var isShown = false
            var isWaitShown = false
            let outcome = wait { migration in
                guard let migration else {
                    if !isWaitShown { write("Other programs have the store open: waiting for them; ^C cancels.\n") }
                    isWaitShown = true
                    return
                }
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

    /// Waits for the end, and draws the migration about twenty times a second.
    ///
    /// - Parameter draw: draws the migration; the argument nil means that it waits for other programs.
    private func wait(drawing draw: ((any MigrationProgressReporting)?) -> Void) -> Result<Void, any Error> {
        while true {
            condition.lock()
            if outcome == nil { _ = condition.wait(until: Date(timeIntervalSinceNow: 0.05)) }
            let (running, waits, outcome) = (migration, isWaiting, outcome)
            condition.unlock()
            if let outcome { return outcome }
            if running != nil || waits { draw(waits ? nil : running) }
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
