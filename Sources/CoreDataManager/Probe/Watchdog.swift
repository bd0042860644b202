import Foundation

/// The system's watchdog as a test or a demonstration can have it: bites when a launch shows no screen in time, or when
/// the main queue does not answer for too long.
///
/// It looks from a thread of its own, so it bites while the main thread is stuck. Times are those of the probe: a
/// launch is as long as the probe has measured, and a stall that lasts when the dog comes counts from its beginning.
/// What was over before the dog came does not count.
// @unchecked Sendable: all mutable state is guarded by `lock`.
public final class Watchdog: @unchecked Sendable {
    /// Why it bit.
    public enum Bite: Sendable, Equatable {
        /// There was no first screen after so many seconds.
        case noScreen(after: TimeInterval)
        /// The main queue had not answered for so many seconds.
        case stalled(for: TimeInterval)
    }

    /// The limits that phones were measured to have: 20 s for a launch; 5 s and 30 s are the ones that developers
    /// report.
    public static let launchLimits: [TimeInterval] = [5, 20, 30]

    private let lock = NSLock()
    private let limit: TimeInterval
    private let probe: LaunchProbe
    private let bite: @Sendable (Bite) -> Void
    private let queue = DispatchQueue(label: "CoreDataManager.watchdog", qos: .userInteractive)
    private let timer: any DispatchSourceTimer
    private var hasBitten = false
    /// Tells the dog's own queue from others.
    private static let ownQueue = DispatchSpecificKey<ObjectIdentifier>()
    /// The longest stall that was over when the dog came.
    private let stallBefore: TimeInterval

    /// Watches a launch that a probe measures, from now on.
    ///
    /// - Parameters:
    ///   - probe: started by the caller, before or after this; until then there is nothing to bite for. Its first
    ///     screen calms the dog as far as the screen is concerned.
    ///   - limit: seconds, for either.
    ///   - bite: called once, on a thread of the dog's own. `exit` or a test's flag; by default the process is killed,
    ///     as the system does it.
    public init(
        _ probe: LaunchProbe, limit: TimeInterval,
        bite: @escaping @Sendable (Bite) -> Void = { _ in kill(getpid(), SIGKILL) }
    ) {
        self.limit = limit
        self.probe = probe
        self.bite = bite
        stallBefore = probe.finishedStall
        timer = DispatchSource.makeTimerSource(queue: queue)
        let step = min(limit / 20, 0.05)
        timer.schedule(deadline: .now() + step, repeating: step, leeway: .nanoseconds(0))
        timer.setEventHandler { [weak self] in self?.look() }
        queue.setSpecific(key: Self.ownQueue, value: ObjectIdentifier(self))
        timer.activate()
    }

    deinit {
        timer.cancel()
    }

    /// Ends the watch; it bites no more when this has returned: a bite that has just begun is waited for, unless it is
    /// the bite that calls this.
    public func stop() {
        timer.cancel()
        lock.withLock { hasBitten = true }
        if DispatchQueue.getSpecific(key: Self.ownQueue) != ObjectIdentifier(self) {
            queue.sync {}
        }
    }

    private func look() {
        let report = probe.report
        let stall = max(probe.presentStall, report.longestStall > stallBefore ? report.longestStall : 0)
        let reason: Bite
        if stall >= limit {
            reason = .stalled(for: stall)
        } else if report.timeToFirstScreen == nil, probe.elapsed >= limit {
            reason = .noScreen(after: probe.elapsed)
        } else {
            return
        }
        let bites = lock.withLock {
            defer { hasBitten = true }
            return !hasBitten
        }
        if bites {
            timer.cancel()
            bite(reason)
        }
    }
}
