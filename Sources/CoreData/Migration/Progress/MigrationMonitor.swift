import Foundation

/// Follows one migration of any kind and can end it. An addition to Apple's interface.
///
/// Its `progress` goes with the options of the store:
///
///     let monitor = MigrationMonitor()
///     Task { for await event in monitor.events { show(event) } }
///     try coordinator.addPersistentStore(
///         ofType: NSSQLiteStoreType, configurationName: nil, at: url,
///         options: [NSMigrationProgressOption: monitor.progress, …])
///
/// or with those of `NSMigrationManager.migrateStore`. May be used from any thread.
public final class MigrationMonitor: Sendable {
    /// What is to be passed under `NSMigrationProgressOption`. Its units are those of the migration; one through
    /// several versions has a part for each that is gone through by itself.
    public let progress: Progress
    /// What happens, some twenty times a second while a migration runs, and whenever a stage begins. Ends when the
    /// migration has ended, however it did. Only the newest events are kept for a reader that is late.
    public let events: AsyncStream<MigrationEvent>
    private let feed: MigrationFeed

    /// Makes a monitor for one migration.
    public init() {
        let (events, continuation) = AsyncStream.makeStream(
            of: MigrationEvent.self, bufferingPolicy: .bufferingNewest(256))
        self.events = events
        progress = Progress(totalUnitCount: 1)
        feed = MigrationFeed { event in
            if let event { continuation.yield(event) } else { continuation.finish() }
        }
        feed.attach(to: progress)
    }

    deinit { feed.end() }

    /// The newest event; nil before the migration has begun.
    public var latest: MigrationEvent? { feed.latest }

    /// Ends the migration within a fraction of a second. It fails with 134120, and the store is as it was.
    public func cancel() { progress.cancel() }
}
