// Implementation notes: Stores/Progress.
//
// - Migrators and stores report to a `MigrationFeed`, which they find in the `Progress` of the option. Its timer makes
//   twenty events a second of the reports. The time left mixes forecast and rate, and approaches the mixture. Programs
//   receive the events by a `MigrationMonitor` (`Migration/Progress`).
// - `MigrationParts` gives every copy stage a child of the `Progress` and a piece of the events. `FollowedWork` copies,
//   verifies and writes to the disk in pieces, and can be cancelled between two pieces. As soon as the journal is
//   written, a migration cannot be cancelled any more.

import Foundation

/// Receives the reports of migrators about their work and makes events of them at even intervals.
///
/// Migrators find the feed in the `Progress` that they are given. One migration may consist of several nested parts.
/// Each part reports its own fraction, and the feed converts it by the part's piece of the whole.
final class MigrationFeed: @unchecked Sendable {  // everything is guarded by `lock`
    private static let key = ProgressUserInfoKey("OpenCoreDataMigrationFeed")
    private static let interval = DispatchTimeInterval.milliseconds(50)

    private let lock = NSLock()
    private let send: @Sendable (MigrationEvent?) -> Void
    private var event = MigrationEvent(stage: .preparing)
    private var hasBegun = false
    private var hasEnded = false
    private var depth = 0
    private var estimate = MigrationEstimate()
    private var start = ContinuousClock.now
    private var timer: (any DispatchSourceTimer)?
    /// The beginning of the present part within the whole, and its share.
    private var piece = (start: 0.0, length: 1.0)
    /// The remaining seconds by the report of another process that migrates the store.
    private var toldSeconds: Double?

    /// Creates a feed. `send` is called with every event, and with nil at the end.
    init(_ send: @escaping @Sendable (MigrationEvent?) -> Void) { self.send = send }

    func attach(to progress: Progress) { progress.setUserInfoObject(self, forKey: Self.key) }

    /// The feed of a migration that this progress follows; nil if no monitor receives events.
    static func of(_ progress: Progress?) -> MigrationFeed? { progress?.userInfo[key] as? MigrationFeed }

    var latest: MigrationEvent? { lock.withLock { hasBegun ? event : nil } }

    // MARK: Beginning and ending

    /// Runs a migration. The outermost call ends the events.
    static func during<Result>(_ progress: Progress?, _ body: () throws -> Result) rethrows -> Result {
        guard let feed = of(progress) else { return try body() }
        feed.begin()
        do {
            let result = try body()
            feed.leave(succeeded: true)
            return result
        } catch {
            feed.leave(succeeded: false)
            throw error
        }
    }

    private func begin() {
        lock.withLock {
            depth += 1
            guard depth == 1, !hasEnded else { return }
            start = .now
            let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
            timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
            timer.setEventHandler { [weak self] in self?.tick() }
            timer.activate()
            self.timer = timer
        }
    }

    private func leave(succeeded: Bool) {
        lock.withLock {
            depth -= 1
            guard depth == 0, !hasEnded else { return }
            if succeeded, hasBegun {
                event = MigrationEvent(stage: .done, fraction: 1, secondsLeft: 0)
                send(event)
            }
            finish()
        }
    }

    /// Ends the events, because the monitor is gone.
    func end() {
        lock.withLock {
            if !hasEnded { finish() }
        }
    }

    private func finish() {
        hasEnded = true
        timer?.cancel()
        timer = nil
        send(nil)
    }

    // MARK: Reports of migrators

    /// Sets the forecast time of the present part. The time of the whole is extrapolated from the first of several
    /// parts.
    func expect(seconds: Double) {
        lock.withLock {
            if estimate.expected == nil, piece.length > 0 { estimate.expected = seconds / piece.length }
        }
    }

    /// Begins a stage, or another entity of it, and sends an event at once.
    func begin(_ stage: MigrationEvent.Stage, entity: String? = nil, rows: Int = 0) {
        lock.withLock {
            hasBegun = true
            toldSeconds = nil
            (event.stage, event.entity, event.rowsDone, event.rowsTotal) = (stage, entity, 0, rows)
            publish()
        }
    }

    /// Shows the position of a migration that another process runs.
    func follow(_ stage: MigrationEvent.Stage, fraction: Double, secondsLeft: Double?) {
        lock.withLock {
            hasBegun = true
            if event.stage != stage {
                (event.stage, event.entity, event.rowsDone, event.rowsTotal) = (stage, nil, 0, 0)
            }
            event.fraction = max(event.fraction, min(fraction, 0.999))
            toldSeconds = secondsLeft
        }
    }

    /// Records the progress of the present stage and part, for the next event.
    func update(rows: Int? = nil, fraction: Double) {
        lock.withLock {
            if let rows { event.rowsDone = min(rows, max(event.rowsTotal, event.rowsDone)) }
            let whole = piece.start + piece.length * min(max(fraction, 0), 1)
            // The fraction reaches 1 only at the end.
            event.fraction = max(event.fraction, min(whole, 0.999))
        }
    }

    /// Runs a part of the migration that is the given piece of the present part.
    static func piece<Result>(
        _ progress: Progress?, from start: Double, to end: Double, _ body: () throws -> Result
    ) rethrows -> Result {
        guard let feed = of(progress) else { return try body() }
        let outer = feed.lock.withLock {
            let outer = feed.piece
            feed.piece = (outer.start + outer.length * start, outer.length * (end - start))
            return outer
        }
        defer { feed.lock.withLock { feed.piece = outer } }
        return try body()
    }

    private func tick() {
        lock.withLock {
            if hasBegun, !hasEnded { publish() }
        }
    }

    private func publish() {
        if hasEnded { return }
        let passed = ContinuousClock.now - start
        let seconds = Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18
        event.secondsLeft = toldSeconds ?? estimate.secondsLeft(at: seconds, fraction: event.fraction)
        send(event)
    }
}
