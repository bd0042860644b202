import Foundation

/// Measures a launch as a user experiences it: the time to the first screen, the time to the data, and the longest
/// stall.
///
/// A heartbeat runs on the main queue. The longest gap between two beats is the longest stall. The heartbeat wakes the
/// processor about a thousand times a second, so use a probe for demonstrations and tests, not in a shipped program.
///
/// Use all members from any thread. Times are in seconds of a monotonic clock.
// @unchecked Sendable: all mutable state is guarded by `lock`; the timer is only made and cancelled under it.
public final class LaunchProbe: @unchecked Sendable {
    /// The measurements so far.
    public struct Report: Sendable, Equatable {
        /// The time from ``LaunchProbe/start()`` to the first ``LaunchProbe/markFirstScreen()``; nil before.
        public var timeToFirstScreen: TimeInterval?
        /// The time from ``LaunchProbe/start()`` to the first ``LaunchProbe/markReady()``; nil before.
        public var timeToReady: TimeInterval?
        /// The longest time that the main queue was late for a heartbeat.
        public var longestStall: TimeInterval
        /// The number of heartbeats.
        public var heartbeats: Int
    }

    private let interval: TimeInterval
    private let lock = NSLock()
    private var timer: (any DispatchSourceTimer)?
    private var startTime: UInt64 = 0
    private var lastBeat: UInt64 = 0
    private var measured = Report(timeToFirstScreen: nil, timeToReady: nil, longestStall: 0, heartbeats: 0)

    /// Makes a probe.
    ///
    /// - Parameter interval: The number of seconds between two heartbeats. The default is a millisecond.
    public init(interval: TimeInterval = 0.001) {
        self.interval = interval
    }

    deinit {
        timer?.cancel()
    }

    /// Begins to measure. Call it before the launch, because the time before the first heartbeat counts as a stall.
    public func start() {
        let now = Self.now()
        lock.withLock {
            timer?.cancel()
            startTime = now
            lastBeat = now
            measured = Report(timeToFirstScreen: nil, timeToReady: nil, longestStall: 0, heartbeats: 0)
            let timer = DispatchSource.makeTimerSource(flags: .strict, queue: .main)
            timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .nanoseconds(0))
            timer.setEventHandler { [weak self] in self?.beat() }
            self.timer = timer
            timer.activate()
        }
    }

    /// Records that the first screen is shown. Only the first call counts.
    public func markFirstScreen() {
        let now = Self.now()
        lock.withLock {
            if measured.timeToFirstScreen == nil {
                measured.timeToFirstScreen = Self.seconds(from: startTime, to: now)
            }
        }
    }

    /// Records that the data may be used. Only the first call counts.
    public func markReady() {
        let now = Self.now()
        lock.withLock {
            if measured.timeToReady == nil {
                measured.timeToReady = Self.seconds(from: startTime, to: now)
            }
        }
    }

    /// Clears the stalls so far, to measure only those that follow.
    public func resetStalls() {
        let now = Self.now()
        lock.withLock {
            lastBeat = now
            measured.longestStall = 0
            measured.heartbeats = 0
        }
    }

    /// The measurements so far. A stall that has not ended counts with its present length.
    public var report: Report {
        let now = Self.now()
        return lock.withLock {
            if timer != nil {
                noteGap(until: now)
            }
            return measured
        }
    }

    /// The number of seconds since ``start()``; 0 before.
    public var elapsed: TimeInterval {
        let now = Self.now()
        return lock.withLock { startTime == 0 ? 0 : Self.seconds(from: startTime, to: now) }
    }

    /// How late the next heartbeat is at this moment; 0 if it is not late, or if no measurement runs.
    var presentStall: TimeInterval {
        let now = Self.now()
        return lock.withLock { timer == nil ? 0 : max(0, Self.seconds(from: lastBeat, to: now) - interval) }
    }

    /// The longest stall between two heartbeats so far.
    var finishedStall: TimeInterval { lock.withLock { measured.longestStall } }

    /// Ends the measurement.
    ///
    /// - Returns: The measurements.
    @discardableResult
    public func stop() -> Report {
        let last = report
        lock.withLock {
            timer?.cancel()
            timer = nil
        }
        return last
    }

    private func beat() {
        let now = Self.now()
        lock.withLock {
            noteGap(until: now)
            lastBeat = now
            measured.heartbeats += 1
        }
    }

    private func noteGap(until now: UInt64) {
        let late = Self.seconds(from: lastBeat, to: now) - interval
        measured.longestStall = max(measured.longestStall, late)
    }

    private static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

    private static func seconds(from start: UInt64, to end: UInt64) -> TimeInterval {
        end > start ? TimeInterval(end - start) / 1e9 : 0
    }
}
