import Synchronization

/// Counts what looking for a way costs, for tests: time is not to be relied on, work is.
final class MigrationEffort: Sendable {
    /// Who counts in the present task; nobody but in tests.
    @TaskLocal static var counting: MigrationEffort?

    /// Versions of models that were read.
    let models = Atomic<Int>(0)
    /// Pairs of models that were compared.
    let comparisons = Atomic<Int>(0)

    static func countModel() { counting?.models.add(1, ordering: .relaxed) }
    static func countComparison() { counting?.comparisons.add(1, ordering: .relaxed) }
}
