import CBaseline
import Dispatch

/// Times a piece of work: by the clock, and by the processor time of the process.
struct Stopwatch {
    private let start: DispatchTime
    private let cpuStart: Double
    private let serverStart: Double
    /// What a server has used for this process so far, where there is one.
    // Set once, before anything is measured.
    nonisolated(unsafe) static var serverSeconds: (() -> Double)?

    /// Starts. Under callgrind the instructions of this thread are counted from now on.
    init() {
        serverStart = Self.serverSeconds?() ?? 0
        baseline_count(1)
        start = DispatchTime.now()
        cpuStart = baseline_cpu_seconds()
    }

    /// Adds what has passed since the stopwatch was made.
    func stop(into measurement: inout Measurement) {
        baseline_count(0)
        measurement.cpuSeconds += baseline_cpu_seconds() - cpuStart
        measurement.seconds += Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
        if let seconds = Self.serverSeconds?() { measurement.serverSeconds += seconds - serverStart }
    }
}
