import Foundation

/// A view of a launch that has to migrate: a window, or a line of a terminal.
///
/// The manager calls it on the main actor. It calls nothing if the migration ends within the grace delay.
@MainActor
public protocol LaunchDisplay: AnyObject, Sendable {
    /// Shows the display, because the migration takes longer than the grace delay.
    ///
    /// - Parameters:
    ///   - migration: The migration. It has a progress and can be cancelled.
    ///   - message: The message to the user.
    func begin(_ migration: any MigrationProgressReporting, message: String)

    /// Shows a new progress.
    ///
    /// - Parameters:
    ///   - status: The progress.
    ///   - text: The number of rows and the time left in the user's language; empty if neither is available.
    func update(_ status: MigrationStatus, text: String)

    /// Removes the display for the first screen, or offers a retry after a failure.
    ///
    /// The manager calls this once for each ``begin(_:message:)``, and not before
    /// ``CoreDataManager/CoreDataManager/Configuration/minimumScreenTime`` has passed since. A retry that is faster
    /// begins again only after that.
    ///
    /// - Parameters:
    ///   - message: The message to the user: the data is up to date, or the title of the failure.
    ///   - failure: The failure; nil if the launch succeeded.
    func end(message: String, failure: LaunchFailure?)
}

extension CoreDataManager {
    /// Begins the launch in the background, and lets a display draw it.
    ///
    /// If a launch is under way, this method joins it, as ``launch(progressScreen:completion:)`` does.
    ///
    /// - Parameters:
    ///   - display: The display. The manager holds it until the launch has ended; after a failure, for a retry.
    ///   - completion: Receives the outcome on the main queue, after the display has ended.
    public func launch(
        display: any LaunchDisplay, completion: @escaping @MainActor @Sendable (Result<Void, any Error>) -> Void
    ) {
        let session = DisplaySession(display, manager: self)
        begin(progressScreen: { session.begin($0) }, hide: { session.end($0) }, completion: completion)
    }

    /// Begins the launch in the background with a display, and returns when the contexts may be used.
    ///
    /// - Parameter display: The display. The manager holds it until the launch has ended; after a failure, for a retry.
    /// - Throws: The error that ended the launch. Or `CancellationError` if the calling task is cancelled; the launch
    ///   itself and its display continue.
    public func launch(display: any LaunchDisplay) async throws {
        let awaited = AwaitedResult<Void>()
        launch(display: display) { awaited.resume(with: $0) }
        try await awaited.wait()
    }
}

/// Passes the states of one launch to one display while the display is shown.
// Sendable: everything that changes belongs to the main actor.
private final class DisplaySession: Sendable {
    private let display: any LaunchDisplay
    /// The manager, held weakly. The launch under way holds this session, and a failed launch keeps its screens, which
    /// must not keep the manager alive.
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

    /// Ends the display with an outcome. By now another launch may have begun, or the manager may be released.
    @MainActor func end(_ outcome: Result<Void, any Error>) {
        guard let feed else { return }
        feed.cancel()
        self.feed = nil
        var failure: LaunchFailure?
        if case .failure(let error) = outcome { failure = LaunchFailure(error, texts: texts) }
        display.end(message: failure?.title ?? texts[.updated], failure: failure)
    }
}
