import Foundation

/// A figure over several rounds: the middle one, and between which it lay.
struct Spread: Codable {
    var median: Double
    var lowest: Double
    var highest: Double

    init(_ samples: [Double]) {
        median = samples.median
        lowest = samples.min() ?? 0
        highest = samples.max() ?? 0
    }

    /// As a table shows it.
    func printed(_ decimals: Int) -> String { "\(lowest.printed(decimals))…\(highest.printed(decimals))" }
}

/// What the rounds of one work came to.
struct WorkFigures: Codable {
    struct Side: Codable {
        var seconds: Spread
        var cpuSeconds: Spread
        var peakBytes: Spread
        /// 0 when the work does not measure it.
        var heapPerBook: Double

        init(_ samples: [Measurement]) {
            seconds = Spread(samples.map(\.seconds))
            cpuSeconds = Spread(samples.map(\.cpuSeconds))
            peakBytes = Spread(samples.map(\.peakBytes))
            heapPerBook = samples.map(\.bytesPerBook).median
        }
    }

    var work: String
    var books: Int
    var objects: Int
    var c: Side
    var coreData: Side
    /// Of each round's times, so that both sides had the same machine.
    var ratio: Spread
    var cpuRatio: Spread

    init(_ work: Work, books: Int, _ samples: [Contender: [Measurement]]) {
        let (plain, library) = (samples[.c] ?? [], samples[.coreData] ?? [])
        self.work = work.rawValue
        self.books = books
        objects = work.objects(amongBooks: books)
        c = Side(plain)
        coreData = Side(library)
        ratio = Spread(zip(library, plain).map { $0.seconds / max($1.seconds, 1e-9) })
        cpuRatio = Spread(zip(library, plain).map { $0.cpuSeconds / max($1.cpuSeconds, 1e-9) })
    }
}

/// How the time for one object grows from a size to the next: 1 when it stays.
struct Growth: Codable {
    var work: String
    var from: Int
    var to: Int
    var c: Double
    var coreData: Double

    init(from small: WorkFigures, to large: WorkFigures) {
        work = small.work
        from = small.books
        to = large.books
        func growth(_ side: (WorkFigures) -> WorkFigures.Side) -> Double {
            let before = side(small).cpuSeconds.median / Double(max(small.objects, 1))
            return side(large).cpuSeconds.median / Double(max(large.objects, 1)) / max(before, 1e-15)
        }
        c = growth(\.c)
        coreData = growth(\.coreData)
    }
}

/// Latencies of readers beside a writer, and what two threads get done, of one contender.
struct ConcurrencyFigures: Codable {
    var contender: String
    var middleLatency: Spread
    var highLatency: Spread
    /// The same without a writer; nil where it was not measured.
    var highLatencyAlone: Spread?
    /// How often the writer saved in a second.
    var savesPerSecond: Spread
    /// Books read in a second by one thread, two threads of one process, and two processes.
    var oneThread: Spread
    var twoThreads: Spread
    var twoProcesses: Spread
}

/// Everything that a run measured.
struct FiguresFile: Codable {
    var works: [WorkFigures] = []
    var growth: [Growth] = []
    var concurrency: [ConcurrencyFigures] = []
    var postgreSQL: [PostgreSQLFigures] = []

    func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: file)
    }
}
