import Foundation

/// What can go wrong before Core Data itself is asked. Its own errors are passed on as they are.
public enum CoreDataManagerError: Error, Sendable {
    /// The stack was wanted at once and is not open; the state says what it is doing instead.
    case notReady(LaunchState)
    /// The model at the URL is missing or cannot be read.
    case unreadableModel(URL)
    /// Background work was saved into the context above it and could not be written from there, for this reason: most
    /// often an edit of the user's, in the main context, that is not valid yet. The work is kept; the next save that
    /// succeeds (`saveMain`) writes it. It must not be done again.
    case notWritten(any Error)
}

extension CoreDataManagerError: CustomStringConvertible, LocalizedError {
    /// The error in one sentence.
    public var description: String {
        switch self {
        case .notReady(let state):
            "the Core Data stack is not ready, it is \(state); await ready() or launch() first"
        case .unreadableModel(let url):
            "there is no readable managed object model at \(url.path)"
        case .notWritten(let error):
            "the background work is kept in memory and not written yet, for the contexts above could not be saved; "
                + "save them again, do not repeat the work: \(error)"
        }
    }

    /// The same sentence, for callers that show errors.
    public var errorDescription: String? { description }
}
