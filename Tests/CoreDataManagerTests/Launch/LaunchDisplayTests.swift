import Foundation
import TestSupport
import Testing

@testable import CoreDataManager

@Suite("Launch display")
struct LaunchDisplayTests {
    private func status(_ fraction: Double, rows: (Int, Int)? = nil, seconds: Int? = nil) -> MigrationStatus {
        var status = MigrationStatus(fractionCompleted: fraction)
        status.rows = rows.map { .init(completed: $0.0, total: $0.1) }
        status.secondsLeft = seconds
        return status
    }

    @Test("A line has a bar, the share, the rows and the time left, and is never as wide as the screen")
    func lines() {
        let status = status(0.25, rows: (250, 1_000), seconds: 100)
        let text = LaunchTexts(language: "en").text(for: status)
        #expect(text == "250 of 1000 entries, about 2 min left")
        let line = TerminalDisplay.line(status, text: text, columns: 80)
        #expect(line.hasPrefix("[████"))
        #expect(line.hasSuffix("·]   25 %  250 of 1000 entries, about 2 min left"))
        for columns in 0...200 {
            #expect(TerminalDisplay.line(status, text: text, columns: columns).count <= max(0, columns - 1))
        }
        let narrow = TerminalDisplay.line(status, text: text, columns: 30)
        #expect(narrow.hasSuffix("·]   25 %"), "\(narrow)")
    }

    @Test("No progress is written where the output is no terminal")
    @MainActor
    func quiet() throws {
        let pipe = Pipe()
        let display = TerminalDisplay(pipe.fileHandleForWriting)
        display.begin(ProgressAdapter(Progress(totalUnitCount: 1)), message: "message")
        display.update(status(0.5), text: "text")
        display.end(message: "end", failure: nil)
        try pipe.fileHandleForWriting.close()
        #expect(try pipe.fileHandleForReading.readToEnd() ?? Data() == Data())
    }

    @Test("A migration that is shown is drawn from its beginning to its end, at least for the minimum time")
    @MainActor
    func session() async throws {
        let adapter = HeldAdapter()
        try await withMigratingManager(adapter) {
            $0.graceDelay = 0
            $0.minimumScreenTime = 0.3
            $0.texts = LaunchTexts(language: "en")
        } body: { manager in
            let written = Box("")
            let shownAt = Box<ContinuousClock.Instant?>(nil)
            let display = TerminalDisplay(columns: 80) { text in
                written.value += text
                if shownAt.value == nil {
                    shownAt.value = .now
                    adapter.semaphore.signal()
                }
            }
            try await manager.launch(display: display)
            let shown = try #require(shownAt.value)
            #expect(ContinuousClock.now - shown >= .milliseconds(290))
            #expect(written.value.hasPrefix("Your data is being brought up to date."))
            #expect(written.value.contains(" 50 %"))
            #expect(written.value.hasSuffix("\nYour data is up to date.\n"))
        }
    }

    /// Fails the first time, when its screen is up, and migrates the second time, when it is up again.
    private struct RefusingAdapter: MigrationAdapter {
        let semaphore = DispatchSemaphore(value: 0)
        let times = Box(0)

        func forecast(_ job: MigrationJob) throws -> LaunchForecast { LaunchForecast(isMigrationRequired: true) }

        func migrate(_ job: MigrationJob, begun: (any MigrationProgressReporting) -> Void) throws {
            begun(ProgressAdapter(Progress(totalUnitCount: 1)))
            semaphore.wait()
            times.update { $0 += 1 }
            if times.value == 1 { throw CocoaError(.fileWriteOutOfSpace) }
            try job.migrateByOpening()
        }
    }

    @MainActor
    private final class Recorder: LaunchDisplay {
        var messages: [String] = []
        let semaphore: DispatchSemaphore

        init(_ semaphore: DispatchSemaphore) { self.semaphore = semaphore }

        func begin(_ migration: any MigrationProgressReporting, message: String) {
            messages.append(message)
            semaphore.signal()
        }

        func update(_ status: MigrationStatus, text: String) {}

        func end(message: String, failure: LaunchFailure?) { messages.append(failure?.retryLabel ?? message) }
    }

    @Test("A display of a failed launch offers the retry, and shows the retry from its beginning to its end")
    @MainActor
    func retriedDisplay() async throws {
        let adapter = RefusingAdapter()
        let texts = LaunchTexts(language: "fr")
        try await withMigratingManager(adapter) {
            $0.graceDelay = 0
            $0.minimumScreenTime = 0
            $0.texts = texts
        } body: { manager in
            let recorder = Recorder(adapter.semaphore)
            await #expect(throws: CocoaError.self) { try await manager.launch(display: recorder) }
            let outcome = await withCheckedContinuation { continuation in
                manager.retry { continuation.resume(returning: $0) }
            }
            try outcome.get()
            #expect(recorder.messages == [texts[.updating], texts[.retry], texts[.updating], texts[.updated]])
        }
    }

    @Test("Tasks that await readiness do not wait for the screen's minimum time")
    func awaitingTasksDoNotWait() async {
        let machine = LaunchMachine(minimumScreenTime: 3_600)
        await confirmation(expectedCount: 0) { completed in
            let attempt = machine.join(progressScreen: { _ in }, completion: { _ in completed() })
            #expect(attempt == 1)
            machine.endGrace(ofAttempt: 1)
            machine.beginMigration(ProgressAdapter(Progress(totalUnitCount: 1)))
            await drainMain()
            machine.finish(.failure(CancellationError()))
            await #expect(throws: CancellationError.self) { try await machine.wait() }
            await drainMain()
        }
    }

    @Test("A launch that shows no screen completes at once")
    func noScreenNoDelay() async {
        let machine = LaunchMachine(minimumScreenTime: 3_600)
        await withCheckedContinuation { continuation in
            let attempt = machine.join(progressScreen: { _ in }, completion: { _ in continuation.resume() })
            #expect(attempt == 1)
            machine.finish(.failure(CancellationError()))
        }
    }
}
