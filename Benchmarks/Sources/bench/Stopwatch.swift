import CBaseline
import Dispatch

/// Times a piece of work: by the clock, and by the processor time of the process.
struct Stopwatch {
    private let start = DispatchTime.now()
    private let cpuStart = baseline_cpu_seconds()

    /// Adds what has passed since the stopwatch was made.
    func stop(into measurement: inout Measurement) {
        measurement.cpuSeconds += baseline_cpu_seconds() - cpuStart
        measurement.seconds += Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
    }
}
