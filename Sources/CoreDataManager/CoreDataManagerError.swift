import Foundation

/// What can go wrong before Core Data itself is asked. Its own errors are passed on as they are.
public enum CoreDataManagerError: Error, Sendable {
    /// The stack was wanted at once and is not open; the state says what it is doing instead.
    case notReady(LaunchState)
    /// The model at the URL is missing or cannot be read.
    case unreadableModel(URL)
}

extension CoreDataManagerError: CustomStringConvertible, LocalizedError {
    /// The error in one sentence.
    public var description: String {
        switch self {
        case .notReady(let state):
            "the Core Data stack is not ready, it is \(state); await ready() or launch() first"
        case .unreadableModel(let url):
            "there is no readable managed object model at \(url.path)"
        }
    }

    /// The same sentence, for callers that show errors.
    public var errorDescription: String? { description }
}
