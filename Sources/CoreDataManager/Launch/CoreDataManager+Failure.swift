import Foundation

extension CoreDataManager {
    /// The failure of the launch in the user's language; nil unless ``state`` is ``LaunchState/failed(_:)``.
    public var failure: LaunchFailure? {
        machine.state.error.map { LaunchFailure($0, texts: configuration.texts) }
    }

    /// Begins a failed launch anew, with the progress screens of the launch before.
    ///
    /// If a launch is under way, this method joins it. After ``LaunchState/ready`` it only calls the handler. The
    /// failure has left the store as it was before the step that failed, so a retry can succeed.
    ///
    /// - Parameter completion: Receives the outcome on the main queue, as in ``launch(progressScreen:completion:)``.
    public func retry(completion: @escaping @MainActor @Sendable (Result<Void, any Error>) -> Void) {
        begin(progressScreen: nil, completion: completion, again: true)
    }

    /// Begins a failed launch anew and returns when the contexts may be used.
    ///
    /// - Throws: The error that ended the launch this time.
    public func retry() async throws {
        begin(progressScreen: nil, completion: nil, again: true)
        try await machine.wait()
    }
}

extension CoreDataManager {
    /// The manager posts this on the main queue after every change of ``state``. The user info has the new state under
    /// ``stateKey``.
    ///
    /// Prefer ``states``, whose loop runs on your own task. Observe this notification with `queue: nil`; the main queue
    /// calls the block anyway. With `queue: .main` a program whose `main` is async hangs on Linux, because Foundation
    /// waits there for a block on the queue that it occupies.
    public static let stateDidChangeNotification = Notification.Name("CoreDataManagerStateDidChange")

    /// The key of the ``LaunchState`` in the user info of ``stateDidChangeNotification``.
    public static let stateKey = "CoreDataManagerState"
}
