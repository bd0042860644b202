import Observation
import Synchronization

/// Finds out whether a tracking of `withObservationTracking(_:onChange:)` or `Observations` is under way on the thread.
///
/// Observation does not say so. But a registrar hashes the key path of an access only during a tracking, and hashing a
/// key path hashes the arguments of its subscripts. Used by one thread at a time.
final class TrackingProbe {
    /// The argument of a subscript, which notes that it was hashed. Arguments with equal numbers are equal.
    final class Argument: Hashable {
        let number: Int
        /// A tracking may end on another thread, and hashes the argument there.
        fileprivate let wasHashed = Atomic(false)

        init(_ number: Int) { self.number = number }

        static func == (one: Argument, other: Argument) -> Bool { one.number == other.number }

        func hash(into hasher: inout Hasher) {
            wasHashed.store(true, ordering: .relaxed)
            hasher.combine(number)
        }
    }

    /// The registrar for the next subject that has none.
    private var spare = ObservationRegistrar()

    /// Registers a read with the tracking that is under way.
    ///
    /// - Parameters:
    ///   - subject: The object that is read.
    ///   - keyPath: A key path with the argument.
    ///   - argument: The argument, which no other thread uses.
    ///   - registrar: The subject's registrar; nil if it has none.
    /// - Returns: The subject's registrar, a new one if it had none. Nil if no tracking is under way.
    func registrar<Subject: Observable, Value>(
        of subject: Subject, reading keyPath: KeyPath<Subject, Value>, _ argument: Argument,
        known registrar: ObservationRegistrar?
    ) -> ObservationRegistrar? {
        // The end of a tracking hashes the path again.
        argument.wasHashed.store(false, ordering: .relaxed)
        let used = registrar ?? spare
        used.access(subject, keyPath: keyPath)
        guard argument.wasHashed.load(ordering: .relaxed) else { return nil }
        if registrar == nil { spare = ObservationRegistrar() }
        return used
    }
}
