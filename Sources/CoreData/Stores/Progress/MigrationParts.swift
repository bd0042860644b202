import Foundation

/// The parts of a migration that consists of several: each has a progress of its own, which is cancelled with the
/// whole, and is a piece of the whole in events.
final class MigrationParts {
    let whole: Progress?
    private let weights: [Double]
    private let parts: [Progress?]

    /// The weights are the times of the parts in proportion to each other.
    init(_ whole: Progress?, weights: [Double]) {
        self.whole = whole
        self.weights = weights
        guard let whole else {
            parts = weights.map { _ in nil }
            return
        }
        whole.completedUnitCount = 0
        whole.totalUnitCount = Int64(weights.count)
        let feed = MigrationFeed.of(whole)
        parts = weights.map { _ in
            let part = Progress(totalUnitCount: 1, parent: whole, pendingUnitCount: 1)
            feed?.attach(to: part)
            return part
        }
    }

    /// Runs a part. It is done when this returns.
    @discardableResult
    func run<Result>(_ number: Int, _ body: (Progress?) throws -> Result) throws -> Result {
        try MigrationCancellation.check(whole)
        let all = max(weights.reduce(0, +), .leastNormalMagnitude)
        let before = weights[..<number].reduce(0, +) / all
        let part = parts[number]
        return try MigrationFeed.piece(whole, from: before, to: before + weights[number] / all) {
            let result = try body(part)
            if let part { part.completedUnitCount = part.totalUnitCount }
            MigrationFeed.of(whole)?.update(fraction: 1)
            return result
        }
    }

    /// A part that was done before this attempt.
    func skip(_ number: Int) {
        if let part = parts[number] { part.completedUnitCount = part.totalUnitCount }
    }
}
