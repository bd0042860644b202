import Foundation

/// Draws a launch that has to migrate: a window, a view, a line of a terminal. The manager calls it on the main actor.
///
/// None of it is called when the migration ends within the grace delay.
@MainActor
public protocol LaunchDisplay: AnyObject, Sendable {
    /// The migration takes long enough to be shown.
    ///
    /// - Parameters:
    ///   - migration: tells the progress and can be cancelled.
    ///   - message: what to tell the user.
    func begin(_ migration: any MigrationProgressReporting, message: String)

    /// The progress changed; `text` has its rows and the time that is left in the user's language, empty when unknown.
    func update(_ status: MigrationStatus, text: String)

    /// The launch has ended: time to make room for the first screen (`failure` nil) or to offer a retry.
    ///
    /// Called once for each `begin`, not before `Configuration.minimumScreenTime` has passed since; a retry that is
    /// faster begins again only after it. `message` is what to tell the
    /// user: that the data is up to date, or the failure's title.
    func end(message: String, failure: LaunchFailure?)
}

extension CoreDataManager {
    /// Begins the launch in the background, as `launch(progressScreen:completion:)` does, and lets a display draw it.
    ///
    /// - Parameters:
    ///   - display: held until the launch has ended; after a failure, for a retry.
    ///   - completion: called on the main queue after the display has ended, whenever this is called.
    public func launch(
        display: any LaunchDisplay, completion: @escaping @MainActor @Sendable (Result<Void, any Error>) -> Void
    ) {
        let session = DisplaySession(display, manager: self)
        begin(progressScreen: { session.begin($0) }, hide: { session.end($0) }, completion: completion)
    }

    /// The same for a caller that awaits the end.
    ///
    /// - Throws: the error that ended the launch, or `CancellationError` when the calling task is cancelled; the launch
    ///   itself, and its display, go on then.
    public func launch(display: any LaunchDisplay) async throws {
        let gate = Gate<Void>()
        launch(display: display) { gate.open($0) }
        try await gate.wait()
    }
}

/// One display during one launch: passes the states on while it is shown.
// Sendable: everything that changes belongs to the main actor.
private final class DisplaySession: Sendable {
    private let display: any LaunchDisplay
    /// Held by the launch under way; a failed launch keeps its screens, and must not keep itself by them.
    @MainActor private weak var manager: CoreDataManager?
    private let texts: LaunchTexts
    @MainActor private var feed: Task<Void, Never>?

    init(_ display: any LaunchDisplay, manager: CoreDataManager) {
        self.display = display
        self.manager = manager
        texts = manager.configuration.texts
    }

    @MainActor func begin(_ migration: any MigrationProgressReporting) {
        guard let manager else { return }
        feed?.cancel()
        display.begin(migration, message: texts[.updating])
        let states = manager.states
        feed = Task { @MainActor [display, texts] in
            for await state in states {
                guard !Task.isCancelled, case .migrating(let status) = state else { continue }
                display.update(status, text: texts.text(for: status))
            }
        }
    }

    /// The launch has ended so; by now another may have begun, or the manager be gone.
    @MainActor func end(_ outcome: Result<Void, any Error>) {
        guard let feed else { return }
        feed.cancel()
        self.feed = nil
        var failure: LaunchFailure?
        if case .failure(let error) = outcome { failure = LaunchFailure(error, texts: texts) }
        display.end(message: failure?.title ?? texts[.updated], failure: failure)
    }
}
