import CBaseline
import Foundation

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
    /// Other libraries, by the names of the contenders; empty where none took part.
    var peers: [String: Peer]

    /// Another library beside plain C.
    struct Peer: Codable {
        var side: Side
        var cpuRatio: Spread
    }

    init(_ work: Work, books: Int, _ samples: [Contender: [Measurement]]) {
        let (plain, library) = (samples[.c] ?? [], samples[.coreData] ?? [])
        self.work = work.rawValue
        self.books = books
        objects = work.objects(amongBooks: books)
        c = Side(plain)
        coreData = Side(library)
        ratio = Spread(zip(library, plain).map { $0.seconds / max($1.seconds, 1e-9) })
        cpuRatio = Self.cpuRatio(library, plain)
        peers = [:]
        for contender in Contender.peers {
            guard let measured = samples[contender] else { continue }
            peers[contender.rawValue] = Peer(side: Side(measured), cpuRatio: Self.cpuRatio(measured, plain))
        }
    }

    /// A work's words for itself.
    static func title(_ work: String) -> String { Work(rawValue: work)?.title ?? work }

    private static func cpuRatio(_ library: [Measurement], _ plain: [Measurement]) -> Spread {
        Spread(zip(library, plain).map { $0.cpuSeconds / max($1.cpuSeconds, 1e-9) })
    }

    /// The processor time of a contender in relation to plain C's, the median; nil where it took no part.
    func ratio(of contender: Contender) -> Double? {
        switch contender {
        case .c: 1
        case .coreData: cpuRatio.median
        case .grdbRows, .grdbRecords: peers[contender.rawValue]?.cpuRatio.median
        }
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
    /// The high latency without a writer.
    var highLatencyAlone: Spread
    /// How often the writer saved in a second.
    var savesPerSecond: Spread
    /// Books read in a second by one thread, two threads of one process, and two processes.
    var oneThread: Spread
    var twoThreads: Spread
    var twoProcesses: Spread
}

/// Everything that a run measured.
struct FiguresFile: Codable {
    /// The day, as 2026-11-26.
    var date: String
    var rounds: Int
    /// What was measured and with what, each with its version.
    var versions: [String]
    var works: [WorkFigures] = []
    var growth: [Growth] = []
    var concurrency: [ConcurrencyFigures] = []
    var postgreSQL: [PostgreSQLFigures] = []
    var servers: [ServerFigures] = []
    var serverMemory: [ServerMemory] = []

    /// - Parameter peer: the name and version of another library that takes part.
    init(rounds: Int, peer: String? = nil) {
        date = String(Date().ISO8601Format().prefix(10))
        self.rounds = rounds
        versions = [Self.swiftVersion, "SQLite " + String(cString: baseline_sqlite_version())]
        if let peer { versions.append(peer) }
    }

    /// - Throws: an error when the file cannot be read or is none that a run has written.
    init(contentsOf file: URL) throws {
        do {
            self = try JSONDecoder().decode(FiguresFile.self, from: Data(contentsOf: file))
        } catch {
            throw BenchmarkFailure(description: "\(file.path) holds no figures of `bench --json`: \(error)")
        }
    }

    /// The compiler's words for itself; it built this program.
    private static var swiftVersion: String {
        let text = (try? ChildProcess.output(of: ChildProcess.env, ["swift", "--version"])) ?? ""
        return text.firstMatch(of: #/Swift version ([0-9.]+)/#).map { "Swift \($0.output.1)" } ?? "Swift"
    }

    func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: file)
    }
}
