import Foundation

/// What one child process measured, as it prints it in one line of JSON.
struct Measurement: Codable {
    var seconds = 0.0
    /// Processor time of all threads in these seconds: what is left of the comparison when the machine has other work
    /// to do.
    var cpuSeconds = 0.0
    /// Processor time of the server's processes that worked for this one; 0 where there is no server.
    var serverSeconds = 0.0
    /// The number of round trips to a server; 0 when they are not counted.
    var roundTrips = 0
    var checksum = 0.0
    var count = 0
    /// Bytes of heap per book, without what SQLite itself holds; 0 when the work does not measure it.
    var bytesPerBook = 0.0
    /// Growth of the resident set per realised book, SQLite's page cache included; 0 when it is not measured.
    var residentPerBook = 0.0
    /// The highest resident set of the process during the work, its source rows included; 0 when it is not measured.
    var peakBytes = 0.0
    /// The middle and the 99th of a hundred latencies, in seconds; 0 when they are not measured.
    var middleLatency = 0.0
    var highLatency = 0.0

    var line: String {
        // Numbers can be encoded, except infinity and NaN.
        (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "a number is not finite"
    }

    init() {}

    init?(line: String) {
        guard let decoded = try? JSONDecoder().decode(Measurement.self, from: Data(line.utf8)) else { return nil }
        self = decoded
    }

    /// Runs a body that gives a result to keep until the clock stands still, with its count and checksum.
    /// Freeing it counts.
    ///
    /// - Parameter countingHeap: whether the heap that the result took is noted, per book.
    static func of<Kept>(
        countingHeap: Bool = false, _ body: () throws -> (Kept, count: Int, sum: Double)
    ) rethrows -> Measurement {
        let heap = countingHeap ? Memory.heapBytes : 0
        var measurement = Measurement()
        let start = Stopwatch()
        let (kept, count, sum) = try body()
        start.stop(into: &measurement)
        measurement.count = count
        measurement.checksum = sum
        // An array is released behind its last use, which would be before all this.
        if countingHeap {
            withExtendedLifetime(kept) {
                measurement.bytesPerBook = Double(Memory.heapBytes - heap) / Double(max(count, 1))
            }
        }
        let restart = Stopwatch()
        withExtendedLifetime(kept) {}
        _ = consume kept
        restart.stop(into: &measurement)
        return measurement
    }
}

/// Something that makes the whole benchmark meaningless.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String
}
