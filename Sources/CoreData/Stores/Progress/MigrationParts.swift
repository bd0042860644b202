import Foundation

/// The parts of a migration that consists of several parts. Each has a progress of its own, which is cancelled with the
/// whole, and covers a piece of the whole in events.
final class MigrationParts {
    let whole: Progress?
    private let weights: [Double]
    private let parts: [Progress?]

    /// Creates the parts. The weights are their times in proportion to each other.
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

    /// Runs a part, and completes its progress at the end.
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

    /// Completes the progress of a part that was done before this attempt.
    func skip(_ number: Int) {
        if let part = parts[number] { part.completedUnitCount = part.totalUnitCount }
    }
}
