import Synchronization

/// Counts how many models are read and compared, for tests, because the counts are reproducible and times are not.
final class ModelEffort: Sendable {
    /// The counter of the present task; nil outside of tests.
    @TaskLocal static var counting: ModelEffort?

    /// Versions of models that were read.
    let models = Atomic<Int>(0)
    /// Pairs of models that were compared.
    let comparisons = Atomic<Int>(0)

    static func countModel() { counting?.models.add(1, ordering: .relaxed) }
    static func countComparison() { counting?.comparisons.add(1, ordering: .relaxed) }
}
