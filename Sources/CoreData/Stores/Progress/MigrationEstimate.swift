import Foundation

/// Estimates the remaining time of a migration without jumps.
///
/// The target is a mixture: at first the forecast, if there is one, then increasingly the elapsed time in proportion to
/// the fraction. The displayed time runs down with the clock and approaches the target within some seconds.
struct MigrationEstimate {
    /// The forecast time of the whole migration.
    var expected: Double?
    private var shown: Double?
    private var lastTime = 0.0

    /// From this fraction on the forecast is ignored.
    private static let trustedFraction = 0.2
    /// Without a forecast there is no estimate before this fraction and this time.
    private static let firstFraction = 0.01
    private static let firstSeconds = 0.2

    /// The seconds that are left at a time since the beginning.
    mutating func secondsLeft(at time: Double, fraction: Double) -> Double? {
        let passed = max(0, time - lastTime)
        lastTime = max(lastTime, time)
        guard let aim = aim(at: time, fraction) else { return nil }
        guard let before = shown else {
            shown = aim
            return aim
        }
        let running = max(0, before - passed)
        // A long time is corrected slowly, a short one fast. If the migration takes longer than the forecast, the
        // displayed time rises by half of the elapsed time at most.
        let patience = max(0.5, running * 0.1)
        let moved = running + (aim - running) * (1 - exp(-passed / patience))
        let result = min(max(0, moved), before + passed * 0.5)
        shown = result
        return result
    }

    private func aim(at time: Double, _ fraction: Double) -> Double? {
        if fraction >= 1 { return 0 }
        let isMeasurable = fraction >= Self.firstFraction && time >= Self.firstSeconds
        let measured = isMeasurable ? time / fraction * (1 - fraction) : nil
        guard let expected else { return measured }
        let foreseen = max(0, expected * (1 - fraction))
        guard let measured else { return foreseen }
        let trust = max(0, 1 - fraction / Self.trustedFraction)
        return trust * foreseen + (1 - trust) * measured
    }
}
