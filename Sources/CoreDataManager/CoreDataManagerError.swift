import Foundation

/// The errors that a manager throws itself. It passes on the errors of Core Data as they are.
public enum CoreDataManagerError: Error, Sendable {
    /// The caller needs the stack at once, but it is not open. The associated state is that of the launch.
    case notReady(LaunchState)
    /// The model at the URL is missing or cannot be read.
    case unreadableModel(URL)
    /// Background work was saved into the context above it, but could not be written to the store.
    ///
    /// The associated error is the reason. Most often the user has made a change in the main context that is not valid
    /// yet. The contexts keep the work, and the next ``CoreDataManager/CoreDataManager/saveMain(wait:)`` that succeeds
    /// writes it. Do not repeat the work.
    case notWritten(any Error)
}

extension CoreDataManagerError: CustomStringConvertible, LocalizedError {
    /// A description of the error in one sentence.
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

    /// A description of the error in one sentence, for callers that show errors.
    public var errorDescription: String? { description }
}
