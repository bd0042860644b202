import Foundation

/// Acts as the system's watchdog in a test or a demonstration: it bites if a launch is too slow.
///
/// It bites if no screen is shown in time, or if the main queue does not answer for too long. It watches from a thread
/// of its own, so it bites while the main thread is stuck. It takes the times from the probe. A stall that lasts when
/// the watch begins counts from its own beginning. A stall that has ended before does not count.
// @unchecked Sendable: all mutable state is guarded by `lock`.
public final class Watchdog: @unchecked Sendable {
    /// The reason of a bite.
    public enum Bite: Sendable, Equatable {
        /// No screen was shown after so many seconds.
        case noScreen(after: TimeInterval)
        /// The main queue had not answered for so many seconds.
        case stalled(for: TimeInterval)
    }

    /// Limits in seconds: 20 was measured on phones for a launch, and developers report 5 and 30.
    public static let launchLimits: [TimeInterval] = [5, 20, 30]

    private let lock = NSLock()
    private let limit: TimeInterval
    private let probe: LaunchProbe
    private let bite: @Sendable (Bite) -> Void
    private let queue = DispatchQueue(label: "CoreDataManager.watchdog", qos: .userInteractive)
    private let timer: any DispatchSourceTimer
    private var hasBitten = false
    /// The key by which code detects that it runs on the watchdog's own queue.
    private static let ownQueue = DispatchSpecificKey<ObjectIdentifier>()
    /// The longest stall that was over when the watch began.
    private let stallBefore: TimeInterval

    /// Begins to watch a launch that a probe measures.
    ///
    /// - Parameters:
    ///   - probe: The probe. Start it before or after this call; until then the watchdog does not bite.
    ///   - limit: The number of seconds for the first screen, and for a stall.
    ///   - bite: Receives the reason. It is called once, on a thread of the watchdog. The default kills the process, as
    ///     the system does.
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
        timer.setEventHandler { [weak self] in self?.poll() }
        queue.setSpecific(key: Self.ownQueue, value: ObjectIdentifier(self))
        timer.activate()
    }

    deinit {
        timer.cancel()
    }

    /// Ends the watch. After this call the watchdog does not bite.
    ///
    /// The call waits for a bite that has just begun, unless the bite itself calls it.
    public func stop() {
        timer.cancel()
        lock.withLock { hasBitten = true }
        if DispatchQueue.getSpecific(key: Self.ownQueue) != ObjectIdentifier(self) {
            queue.sync {}
        }
    }

    private func poll() {
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
