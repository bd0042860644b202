import CoreData
import CoreDataManager

/// The launches themselves, as they run in the child processes.
@MainActor
enum ChildLaunches {
    /// (a) What the articles warn against: the coordinator migrates on the main thread, before anything is shown.
    static func blocking(store: URL, version: MailModel) async throws {
        let probe = LaunchProbe()
        probe.start()
        let start = DispatchTime.now()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: version.make())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: store,
            options: [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                NSMigrationAllowedLossesOption: MailModel.allowedLosses,
            ])
        Announcement.migrated(seconds: seconds(since: start)).say()
        showFirstScreen(probe)
        probe.markReady()
        announceEnd(of: probe)
    }

    /// (b) and (c): the migration through the manager. The main thread only starts it and shows the states that it
    /// gets.
    static func managed(store: URL, version: MailModel) async throws {
        let probe = LaunchProbe()
        probe.start()
        let manager = CoreDataManager(mail: version, storeURL: store)
        let states = manager.states
        let outcome = await withCheckedContinuation { continuation in
            manager.launch(
                progressScreen: { _ in
                    showFirstScreen(probe)
                    Announcement.note("the progress screen is up").say()
                },
                completion: { continuation.resume(returning: $0) })
            Task { await showProgress(states) }
        }
        try outcome.get()
        showFirstScreen(probe)
        probe.markReady()
        announceEnd(of: probe)
    }

    /// What a program does with the states: here the lines for the progress bar, and how long the migration took.
    private static func showProgress(_ states: AsyncStream<LaunchState>) async {
        var began: DispatchTime?
        for await state in states {
            switch state {
            case .migrating(let progress):
                began = began ?? .now()
                Announcement.progress(fraction: progress.fractionCompleted).say()
            case .opening:
                if let began {
                    Announcement.progress(fraction: 1).say()
                    Announcement.migrated(seconds: seconds(since: began)).say()
                }
            default:
                break
            }
        }
    }

    /// Announces at once to the watchdog that the user sees something, and only the first time.
    private static func showFirstScreen(_ probe: LaunchProbe) {
        guard probe.report.timeToFirstScreen == nil else { return }
        probe.markFirstScreen()
        Announcement.firstScreen(seconds: probe.report.timeToFirstScreen ?? 0).say()
    }

    private static func announceEnd(of probe: LaunchProbe) {
        let report = probe.stop()
        if let ready = report.timeToReady {
            Announcement.ready(seconds: ready).say()
        }
        Announcement.stall(phase: "launch", seconds: report.longestStall).say()
    }

    nonisolated static func seconds(since start: DispatchTime) -> Double {
        Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
    }
}
