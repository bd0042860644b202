import Observation

/// Finds out whether a tracking of `withObservationTracking(_:onChange:)` or `Observations` is under way on the thread.
///
/// Observation does not say so. But a registrar hashes the key path of an access only during a tracking, and hashing a
/// key path hashes the arguments of its subscripts. Used by one thread at a time.
final class TrackingProbe {
    /// The argument of the probe's subscript, which notes that it was hashed.
    private final class Argument: Hashable {
        var wasHashed = false

        static func == (one: Argument, other: Argument) -> Bool { one === other }

        func hash(into hasher: inout Hasher) { wasHashed = true }
    }

    private final class Subject: Observable {
        subscript(argument: Argument) -> Int { 0 }
    }

    /// The number of trackings that one registrar may see. Those that never fire stay in the registrar.
    private static let limit = 64

    private let argument: Argument
    private let subject = Subject()
    private let keyPath: KeyPath<Subject, Int>
    private var registrar = ObservationRegistrar()
    private var seen = 0

    init() {
        let argument = Argument()
        self.argument = argument
        keyPath = \Subject[argument]
    }

    /// Whether a tracking is under way.
    func isTracking() -> Bool {
        // The end of a tracking hashes the path again.
        argument.wasHashed = false
        registrar.access(subject, keyPath: keyPath)
        guard argument.wasHashed else { return false }
        seen += 1
        if seen == Self.limit {
            registrar = ObservationRegistrar()
            seen = 0
        }
        return true
    }
}
