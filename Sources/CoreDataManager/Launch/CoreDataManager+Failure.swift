import Foundation

extension CoreDataManager {
    /// What to tell the user about the launch that failed, in the user's language; nil unless the state is `failed`.
    public var failure: LaunchFailure? {
        machine.state.error.map { LaunchFailure($0, texts: configuration.texts) }
    }

    /// Begins a failed launch anew, with the progress screens that were given to the one before.
    ///
    /// A launch under way is joined; after `ready` only the handler is called. The file of the store is as it was
    /// before the failure, so that there is something to retry.
    ///
    /// - Parameter completion: as for `launch(progressScreen:completion:)`.
    public func retry(completion: @escaping @MainActor @Sendable (Result<Void, any Error>) -> Void) {
        begin(progressScreen: nil, completion: completion, again: true)
    }

    /// Begins a failed launch anew and returns when the contexts may be used.
    ///
    /// - Throws: the error that ended the launch this time.
    public func retry() async throws {
        begin(progressScreen: nil, completion: nil, again: true)
        try await machine.wait()
    }
}

extension CoreDataManager {
    /// Posted on the main queue after every change of `state`, by the manager; `stateKey` in its user info is the new
    /// `LaunchState`.
    ///
    /// Prefer `states`: it runs where its reader is. Observe this with `queue: nil`; the block is on the main queue
    /// anyway. With `queue: .main` a program whose `main` is async hangs on Linux: there Foundation waits for a block
    /// on the queue that it occupies.
    public static let stateDidChangeNotification = Notification.Name("CoreDataManagerStateDidChange")

    /// The key of the `LaunchState` in the user info of `stateDidChangeNotification`.
    public static let stateKey = "CoreDataManagerState"
}
