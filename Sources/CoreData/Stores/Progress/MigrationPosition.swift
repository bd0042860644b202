import Foundation

/// The progress of a migration, as a short text that processes read while they wait for it.
package struct MigrationPosition: Sendable, Equatable {
    package var stage: MigrationEvent.Stage
    /// The fraction that is done, from 0 to 1.
    package var fraction: Double
    package var secondsLeft: Double?

    /// The position of the migration that a progress follows.
    package init(of progress: Progress) {
        let event = MigrationFeed.of(progress)?.latest
        stage = event?.stage ?? .rewriting
        fraction = max(event?.fraction ?? 0, progress.isIndeterminate ? 0 : progress.fractionCompleted)
        secondsLeft = event?.secondsLeft
    }

    /// Parses a text that `description` has made.
    package init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ")
        guard words.count == 3, let stage = MigrationEvent.Stage(rawValue: String(words[0])),
            let fraction = Double(words[1])
        else { return nil }
        self.stage = stage
        self.fraction = fraction
        secondsLeft = Double(words[2])
    }

    package var text: String {
        // The format has a decimal point in every locale.
        "\(stage.rawValue) \(Double(Int(fraction * 1000)) / 1000) \(secondsLeft.map { "\(Int($0.rounded(.up)))" } ?? "-")"
    }

    /// Shows the position in the progress of a process that waits.
    package func show(in progress: Progress?) {
        guard let progress else { return }
        if progress.totalUnitCount < 1000 { progress.totalUnitCount = 1000 }
        progress.completedUnitCount = max(progress.completedUnitCount, Int64(min(fraction, 1) * 999))
        MigrationFeed.of(progress)?.follow(stage, fraction: fraction, secondsLeft: secondsLeft)
    }
}
