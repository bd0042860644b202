import Foundation

/// How far a launch has come: `idle → checking → migrating → opening → ready`, or `failed` from any step.
///
/// A store that needs no migration goes from `checking` to `opening` at once. From `failed` a new `launch` starts over.
public enum LaunchState: Sendable {
    /// `launch` has not been called.
    case idle
    /// The model is read and compared with the store's metadata.
    case checking
    /// The store is brought to the current model.
    case migrating(MigrationStatus)
    /// The store is opened and the contexts are made.
    case opening
    /// The contexts may be used.
    case ready
    /// The launch ended with an error. The store is as it was before the step that failed.
    case failed(any Error)
}

extension LaunchState: CustomStringConvertible {
    /// The state as a word, with the progress or the error.
    public var description: String {
        switch self {
        case .idle: "idle"
        case .checking: "checking"
        case .migrating(let progress): "migrating (\(progress))"
        case .opening: "opening"
        case .ready: "ready"
        case .failed(let error): "failed (\(error))"
        }
    }
}

extension LaunchState {
    /// Whether the contexts may be used.
    public var isReady: Bool {
        if case .ready = self { true } else { false }
    }

    /// Whether a migration is under way.
    public var isMigrating: Bool {
        if case .migrating = self { true } else { false }
    }

    /// Whether a launch is under way: neither before its beginning nor after its end.
    public var isUnderWay: Bool {
        switch self {
        case .checking, .migrating, .opening: true
        case .idle, .ready, .failed: false
        }
    }

    /// The error that ended the launch, if one did.
    public var error: (any Error)? {
        if case .failed(let error) = self { error } else { nil }
    }
}
