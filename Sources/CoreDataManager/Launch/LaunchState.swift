import Foundation

/// The state of a launch: `idle → checking → migrating → opening → ready`, or `failed` after any step.
///
/// A store that needs no migration changes from ``checking`` to ``opening`` directly. A new launch after ``failed(_:)``
/// starts over.
public enum LaunchState: Sendable {
    /// No launch has begun.
    case idle
    /// The manager reads the model and compares it with the store's metadata.
    case checking
    /// The manager migrates the store to the current model.
    case migrating(MigrationStatus)
    /// The manager opens the store and makes the contexts.
    case opening
    /// The contexts may be used.
    case ready
    /// An error ended the launch. The store is as it was before the step that failed.
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

    /// Whether a launch has begun and not ended yet.
    public var isUnderWay: Bool {
        switch self {
        case .checking, .migrating, .opening: true
        case .idle, .ready, .failed: false
        }
    }

    /// The error that ended the launch; nil in any other state than ``failed(_:)``.
    public var error: (any Error)? {
        if case .failed(let error) = self { error } else { nil }
    }
}
