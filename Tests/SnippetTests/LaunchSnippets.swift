import CoreData
import CoreDataManager
import Testing

// Code of ALaunchThatCannotBeBlocked.md.
@Suite("Code of A launch that cannot be blocked")
struct LaunchSnippets {
    // snippet: a launch with everything
    @MainActor
    static func start(
        _ manager: CoreDataManager, showFirstScreen: () -> Void, showList: (NSManagedObjectContext) -> Void,
        showFailure: (LaunchFailure) -> Void
    ) async {
        showFirstScreen()  // before anything waits for the store
        do {
            try await manager.launch(display: TerminalDisplay())
            showList(manager.mainContext)
        } catch {
            showFailure(manager.failure ?? LaunchFailure(error))
        }
    }
    // snippet end

    @Test("A program shows its first screen, and then its list")
    @MainActor
    func started() async {
        let manager = CoreDataManager(model: NoteModel.shared, storeURL: URL(fileURLWithPath: "/dev/null"))
        var steps: [String] = []
        await Self.start(
            manager, showFirstScreen: { steps.append("screen") },
            showList: { _ in steps.append("list") }, showFailure: { steps.append($0.title) })
        #expect(steps == ["screen", "list"])
    }

    static func linked(manager: CoreDataManager, uri: URL) async throws {
        // snippet: work before the store is ready
        let note = try await manager.reference(to: Note.self, uri: uri)  // waits for the launch
        try await manager.performBackground { context in
            try note.object(in: context).isDone = true
        }
        // snippet end
    }

    @MainActor
    static func press(manager: CoreDataManager) -> String {
        // snippet: a call that cannot wait
        do {
            try manager.save(wait: false)
            return "Saved"
        } catch CoreDataManagerError.notReady(let state) {
            return "Not yet: \(state)"
        } catch {
            return error.localizedDescription
        }
        // snippet end
    }

    // snippet: a display of a program
    @MainActor
    final class MigrationScreen: LaunchDisplay {
        private var migration: (any MigrationProgressReporting)?
        private(set) var lines: [String] = []
        private(set) var fraction = 0.0

        func begin(_ migration: any MigrationProgressReporting, message: String) {
            self.migration = migration
            lines = [message]
        }

        func update(_ status: MigrationStatus, text: String) {
            fraction = status.fractionCompleted
            lines.append(text)  // "280000 of 1000000 entries, about 5 s left"
        }

        func end(message: String, failure: LaunchFailure?) {
            migration = nil
            lines = [message] + (failure.map { [$0.message, $0.retryLabel ?? ""] } ?? [])
        }

        func pressCancel() { migration?.cancelMigration() }
    }
    // snippet end

    static func forecast(manager: CoreDataManager) async throws {
        // snippet: a forecast before the launch
        let forecast = try await manager.forecast()
        if forecast.isMigrationRequired, forecast.isInstant != true {
            print("\(forecast.rows ?? 0) rows, about \(Int(forecast.seconds ?? 0)) s")
        }
        if forecast.lacksDiskSpace { print("\(forecast.bytesNeeded ?? 0) bytes have to be free") }
        for obstacle in forecast.obstacles { print(obstacle) }
        // snippet end
    }

    @MainActor
    static func measured(manager: CoreDataManager) async throws {
        // snippet: a measured launch
        let probe = LaunchProbe()
        probe.start()
        let watchdog = Watchdog(probe, limit: 5)  // kills the process, as the system does
        probe.markFirstScreen()
        try await manager.launch()
        probe.markReady()
        watchdog.stop()
        print(probe.stop())
        // snippet end
    }
}
