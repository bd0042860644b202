import Foundation
import Testing

@testable import CoreDataManager

@Suite("Launch machine")
struct LaunchMachineTests {
    /// A migration whose progress a test decides.
    // @unchecked Sendable: the fraction is guarded by the lock.
    private final class ScriptedMigration: MigrationProgressReporting, @unchecked Sendable {
        private let lock = NSLock()
        private var fraction = 0.0

        var migrationStatus: MigrationStatus {
            MigrationStatus(fractionCompleted: lock.withLock { fraction }, stage: "Note")
        }
        func cancelMigration() {}
        func advance(to fraction: Double) { lock.withLock { self.fraction = fraction } }
    }

    private struct Refused: Error {}

    /// Returns when everything that was put on the main queue before has run.
    private func drainMain() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume() }
        }
    }

    @Test("The screen is asked for once when a migration outlasts the grace delay")
    func screenAfterGrace() async {
        let machine = LaunchMachine()
        let migration = ScriptedMigration()
        await confirmation(expectedCount: 1) { asked in
            let begins = machine.join(progressScreen: { _ in asked() }, completion: nil)
            #expect(begins != nil)
            machine.beginMigration(migration)
            machine.endGrace(ofAttempt: 1)
            machine.endGrace(ofAttempt: 1)
            await drainMain()
        }
    }

    @Test("A migration that begins after the grace delay is shown at once")
    func screenForALateMigration() async {
        let machine = LaunchMachine()
        await confirmation(expectedCount: 1) { asked in
            let begins = machine.join(progressScreen: { _ in asked() }, completion: nil)
            #expect(begins != nil)
            machine.endGrace(ofAttempt: 1)
            machine.beginMigration(ScriptedMigration())
            await drainMain()
        }
    }

    @Test("A migration that ends within the grace delay shows nothing")
    func noScreenForAShortMigration() async {
        let machine = LaunchMachine()
        await confirmation(expectedCount: 0) { asked in
            let begins = machine.join(progressScreen: { _ in asked() }, completion: nil)
            #expect(begins != nil)
            machine.beginMigration(ScriptedMigration())
            machine.move(to: .opening)
            machine.endGrace(ofAttempt: 1)
            await drainMain()
        }
    }

    @Test("A launch without a migration shows nothing, however long it takes")
    func noScreenWithoutMigration() async {
        let machine = LaunchMachine()
        await confirmation(expectedCount: 0) { asked in
            let begins = machine.join(progressScreen: { _ in asked() }, completion: nil)
            #expect(begins != nil)
            machine.endGrace(ofAttempt: 1)
            machine.move(to: .opening)
            machine.finish(.failure(Refused()))
            await drainMain()
        }
    }

    @Test("A caller that joins a launch does not start it again, and gets its end")
    func joining() async {
        let machine = LaunchMachine()
        #expect(machine.join(progressScreen: nil, completion: nil) != nil)
        let error = await withCheckedContinuation { continuation in
            let starts = machine.join(progressScreen: nil) { result in
                if case .failure(let error) = result {
                    continuation.resume(returning: error)
                }
            }
            #expect(starts == nil)
            machine.finish(.failure(Refused()))
        }
        #expect(error is Refused)
        #expect(machine.join(progressScreen: nil, completion: nil) != nil, "after a failure a launch begins anew")
    }

    @Test("Every new progress is a state, an unchanged one is not")
    func progressStates() async {
        let machine = LaunchMachine()
        let migration = ScriptedMigration()
        let states = machine.observe()
        #expect(machine.join(progressScreen: nil, completion: nil) != nil)
        machine.beginMigration(migration)
        machine.updateMigration()
        migration.advance(to: 0.5)
        machine.updateMigration()
        machine.updateMigration()
        machine.move(to: .opening)
        migration.advance(to: 1)
        machine.updateMigration()
        machine.finish(.failure(Refused()))
        var names: [String] = []
        for await state in states {
            names.append(state.description)
            if state.error != nil { break }
        }
        #expect(
            names == [
                "idle", "checking", "migrating (0 %, Note)", "migrating (50 %, Note)", "opening",
                "failed (Refused())",
            ])
    }

    @Test("A cancelled waiter is released, the launch continues")
    func cancelledWaiter() async throws {
        let machine = LaunchMachine()
        #expect(machine.join(progressScreen: nil, completion: nil) != nil)
        let waiter = Task { try await machine.wait() }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(machine.state.isUnderWay)
    }
}
