import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataManager

/// The leftovers of one attempt of a launch meet the next one, and callers that come late or go early.
@Suite("One launch after another")
struct LaunchRetryTests {
    private struct Refused: Error {}

    private let migration = ProgressAdapter(Progress(totalUnitCount: 1))

    @Test("The grace delay of a failed launch that passes during the retry shows nothing yet")
    func graceOfTheAttemptBefore() async {
        let machine = LaunchMachine()
        let names = Box<[String]>([])
        #expect(machine.join(progressScreen: { _ in names.value.append("screen") }, completion: nil) == 1)
        machine.finish(.failure(Refused()))
        #expect(machine.join(progressScreen: nil, completion: nil, again: true) == 2)
        machine.beginMigration(migration)
        machine.endGrace(ofAttempt: 1)
        await drainMain()
        #expect(names.value.isEmpty)
        machine.endGrace(ofAttempt: 2)
        await drainMain()
        #expect(names.value == ["screen"])
    }

    @Test("A retry that is faster than the screen of the failed launch comes up after it, and stays its own time")
    func retryWithinTheMinimumTime() async {
        let machine = LaunchMachine(minimumScreenTime: 0.2)
        let names = Box<[String]>([])
        let times = Box<[ContinuousClock.Instant]>([])
        let note = { @Sendable (name: String) in
            names.update { $0.append(name) }
            times.update { $0.append(.now) }
        }
        let shown = AsyncStream.makeStream(of: Void.self)
        var showings = shown.stream.makeAsyncIterator()
        _ = machine.join(
            progressScreen: { _ in
                note("show")
                shown.continuation.yield()
            }, hide: { _ in note("hide") }, completion: { _ in note("failed") })
        machine.endGrace(ofAttempt: 1)
        machine.beginMigration(migration)
        await showings.next()
        machine.finish(.failure(Refused()))
        await withCheckedContinuation { continuation in
            _ = machine.join(
                progressScreen: nil,
                completion: { _ in
                    note("failed again")
                    continuation.resume()
                }, again: true)
            machine.endGrace(ofAttempt: 2)
            machine.beginMigration(migration)
            Task {
                var showings = shown.stream.makeAsyncIterator()
                await showings.next()
                machine.finish(.failure(Refused()))
            }
        }
        #expect(names.value == ["show", "hide", "failed", "show", "hide", "failed again"])
        #expect(times.value[1] - times.value[0] >= .milliseconds(190))
        #expect(times.value[4] - times.value[3] >= .milliseconds(190))
    }

    @Test("A caller that asks after the end gets the answer after the screen, not before")
    func lateCompletion() async throws {
        try await withTemporaryFolder { folder in
            let machine = LaunchMachine(minimumScreenTime: 0.2)
            let names = Box<[String]>([])
            _ = machine.join(progressScreen: { _ in }, hide: { _ in names.value.append("hide") }, completion: nil)
            machine.endGrace(ofAttempt: 1)
            machine.beginMigration(migration)
            await drainMain()
            machine.finish(
                .success(
                    try ContextHierarchy(
                        model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"),
                        configuration: .init())))
            await withCheckedContinuation { continuation in
                _ = machine.join(progressScreen: nil) { _ in
                    names.value.append("late")
                    continuation.resume()
                }
            }
            #expect(names.value == ["hide", "late"])
        }
    }

    @Test("The states end when the manager goes away")
    func statesOfAManagerThatIsGone() async {
        var manager: CoreDataManager? = CoreDataManager(
            model: NoteModel.first(), storeURL: URL(fileURLWithPath: "/nowhere/n.sqlite"))
        let states = manager?.states
        manager = nil
        var names: [String] = []
        if let states {
            for await state in states { names.append(state.description) }
        }
        #expect(names == ["idle"])
    }

    /// Reads the state of the launch when the manager reads its progress.
    // @unchecked Sendable: the manager is set once, before the launch.
    private final class CuriousAdapter: MigrationAdapter, MigrationProgressReporting, @unchecked Sendable {
        weak var manager: CoreDataManager?

        var migrationStatus: MigrationStatus {
            MigrationStatus(fractionCompleted: manager?.state.isUnderWay == true ? 0.5 : 0)
        }
        func cancelMigration() {}
        func forecast(_ job: MigrationJob) throws -> LaunchForecast { LaunchForecast(isMigrationRequired: true) }
        func migrate(_ job: MigrationJob, begun: (any MigrationProgressReporting) -> Void) throws {
            begun(self)
            try job.migrateByOpening()
        }
    }

    @Test("A migration may ask for the launch's state when it is asked for its progress", .timeLimit(.minutes(10)))
    func curiousMigration() async throws {
        let adapter = CuriousAdapter()
        try await withMigratingManager(adapter) { manager in
            adapter.manager = manager
            let states = manager.states
            try await manager.launch()
            var names: [String] = []
            for await state in states { names.append(state.description) }
            #expect(names == ["idle", "checking", "migrating (50 %)", "opening", "ready"])
        }
    }

    @Test("A launch reports the cost of a migration while that runs", .timeLimit(.minutes(10)))
    func forecastWhileMigrating() async throws {
        let adapter = HeldAdapter()
        try await withMigratingManager(adapter) { manager in
            let states = manager.states
            manager.launch { _ in }
            for await state in states where state.isMigrating { break }
            #expect(try await manager.forecast().isMigrationRequired)
            adapter.semaphore.signal()
            try await manager.ready()
            #expect(try await !manager.forecast().isMigrationRequired)
        }
    }

    @MainActor
    private final class Signal: LaunchDisplay {
        let ends = Box(0)
        let shown: @MainActor () -> Void
        init(shown: @escaping @MainActor () -> Void) { self.shown = shown }
        func begin(_ migration: any MigrationProgressReporting, message: String) { shown() }
        func update(_ status: MigrationStatus, text: String) {}
        func end(message: String, failure: LaunchFailure?) { ends.value += 1 }
    }

    @Test("A task that is cancelled while a display draws is released; the launch and the display come to their end")
    @MainActor
    func cancelledTask() async throws {
        let adapter = HeldAdapter()
        try await withMigratingManager(adapter) {
            $0.graceDelay = 0
            $0.minimumScreenTime = 0
        } body: { manager in
            let shown = AwaitedResult<Void>()
            let display = Signal { shown.resume(with: .success(())) }
            let task = Task { try await manager.launch(display: display) }
            try await shown.wait()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(manager.state.isMigrating)
            adapter.semaphore.signal()
            let outcome = await withCheckedContinuation { continuation in
                manager.launch { continuation.resume(returning: $0) }
            }
            try outcome.get()
            #expect(display.ends.value == 1)
        }
    }
}
