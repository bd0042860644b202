import Foundation

/// An object that reports one migration of any kind, and can end it.
///
/// OpenCoreData only. Pass its `progress` in the options of the store, or in those of `migrateStore` of
/// ``NSMigrationManager``:
///
/// ```swift
/// let monitor = MigrationMonitor()
/// Task { for await event in monitor.events { show(event) } }
/// try coordinator.addPersistentStore(
///     ofType: NSSQLiteStoreType, configurationName: nil, at: url,
///     options: [NSMigrationProgressOption: monitor.progress, …])
/// ```
///
/// Any thread may use it.
public final class MigrationMonitor: Sendable {
    /// The progress to pass under ``NSMigrationProgressOption``.
    ///
    /// Its units are those of the migration. A migration through several versions has a part for each version that it
    /// reaches by a hop of its own.
    public let progress: Progress
    /// The events of the migration: about twenty a second while it runs, and one for each new stage.
    ///
    /// The stream ends with the migration, whether it succeeds or fails. A slow reader gets the newest 256 events.
    public let events: AsyncStream<MigrationEvent>
    private let feed: MigrationFeed

    /// Creates a monitor for one migration.
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

    /// The newest event; nil before the migration begins.
    public var latest: MigrationEvent? { feed.latest }

    /// Ends the migration within a fraction of a second. It fails with `NSMigrationCancelledError` (134120), and the
    /// store is as it was.
    public func cancel() { progress.cancel() }
}
