import CBaseline
import CoreData
import Dispatch
import Foundation

/// Measures readers beside a writer, and two threads beside two processes; plain C with the same settings beside both.
struct ConcurrencyReport {
    let books: Int
    let rounds: Int

    /// How many single reads are timed beside the writer.
    static let reads = 20_000
    /// How often a thread reads all books.
    static let passes = 5

    /// The figures that have a bar: latencies beside the writer in relation to plain C's, the highest in relation to
    /// that without a writer, and the work of two processes in relation to that of two threads.
    static let bars = ["latency.middle", "latency.high", "latency.beside-writer", "two-processes-to-two-threads"]

    /// - Returns: whether every bar holds.
    func run(renewing: Bool, json: URL?) throws -> Bool {
        var bars = try BarCheck(renewing: renewing)
        let figures = try run(&bars)
        if let json {
            var file = FiguresFile(rounds: rounds)
            file.concurrency = figures
            try file.write(to: json)
        }
        try bars.finish()
        return bars.holds
    }

    func run(_ bars: inout BarCheck) throws -> [ConcurrencyFigures] {
        let authors = max(books / 100, 1)
        let templates = try TemplateStore()
        defer { templates.remove() }
        let filled = try templates.filled(with: SourceData(authors: authors, books: books), name: "filled")
        var beside: [Contender: [Measurement]] = [:]
        var alone: [Contender: [Measurement]] = [:]
        var throughput: [Contender: [[Double]]] = [:]
        for _ in 1...rounds {
            for contender in Contender.own.shuffled() {
                func measured(_ child: String) throws -> Measurement {
                    try templates.withStore(copiedFrom: filled) { store in
                        try ChildProcess.run([child, contender.rawValue, store.path, String(authors), String(books)])
                    }
                }
                beside[contender, default: []].append(try measured("child-readers"))
                alone[contender, default: []].append(try measured("child-reader"))
                throughput[contender, default: []].append(
                    try templates.withStore(copiedFrom: filled) { store in
                        try [(1, 1), (2, 1), (1, 2)].map {
                            try booksPerSecond(contender, store, threads: $0, processes: $1)
                        }
                    })
            }
        }
        let figures = Contender.own.map { contender in
            let measured = beside[contender] ?? []
            let rates = throughput[contender] ?? []
            return ConcurrencyFigures(
                contender: contender.rawValue, middleLatency: Spread(measured.map(\.middleLatency)),
                highLatency: Spread(measured.map(\.highLatency)),
                highLatencyAlone: Spread((alone[contender] ?? []).map(\.highLatency)),
                savesPerSecond: Spread(measured.map { Double($0.count) / $0.seconds }),
                oneThread: Spread(rates.map { $0[0] }), twoThreads: Spread(rates.map { $0[1] }),
                twoProcesses: Spread(rates.map { $0[2] }))
        }
        print(figures)
        check(figures, &bars)
        return figures
    }

    private func check(_ figures: [ConcurrencyFigures], _ bars: inout BarCheck) {
        guard books == WorkloadReport.barredSize,
            let c = figures.first(where: { $0.contender == Contender.c.rawValue }),
            let coreData = figures.first(where: { $0.contender == Contender.coreData.rawValue })
        else { return }
        let found = [
            coreData.middleLatency.median / c.middleLatency.median, coreData.highLatency.median / c.highLatency.median,
            coreData.highLatency.median / coreData.highLatencyAlone.median,
            coreData.twoProcesses.median / coreData.twoThreads.median,
        ]
        Swift.print("")
        printTable(
            [["ratio", "measured", "bar", "verdict"]]
                + zip(Self.bars, found).map { name, value in
                    // Latencies by the clock lie further apart than processor times.
                    [name, value.printed(2)] + bars.verdict(value, name, margin: name.hasPrefix("latency") ? 1.5 : 1.1)
                })
    }

    private func print(_ figures: [ConcurrencyFigures]) {
        Swift.print(
            "\n\(books) books, \(rounds) rounds, medians by the clock: \(Self.reads) books read one by one by isbn "
                + "while another thread saves 100 changed books at a time\n")
        printTable(
            [["contender", "middle read, µs", "99th of 100, µs", "without a writer", "saves/s"]]
                + figures.map { figure in
                    [
                        figure.contender, (figure.middleLatency.median * 1e6).printed(0),
                        (figure.highLatency.median * 1e6).printed(0),
                        (figure.highLatencyAlone.median * 1e6).printed(0),
                        figure.savesPerSecond.median.printed(0),
                    ]
                })
        Swift.print("\nall books read as objects \(Self.passes) times by each, thousands of books a second\n")
        printTable(
            [["contender", "one thread", "two threads", "two processes"]]
                + figures.map { figure in
                    [figure.contender]
                        + [figure.oneThread, figure.twoThreads, figure.twoProcesses].map {
                            ($0.median / 1e3).printed(0)
                        }
                })
    }

    private func booksPerSecond(_ contender: Contender, _ store: URL, threads: Int, processes: Int) throws -> Double {
        let arguments = ["child-threads", contender.rawValue, store.path, String(threads), String(books)]
        let all = try ChildProcess.runTogether(Array(repeating: arguments, count: processes))
        let longest = all.map(\.seconds).max() ?? 0
        return Double(all.reduce(0) { $0 + $1.count }) / max(longest, 1e-9)
    }

    // MARK: - In a child process

    /// Reads single books beside a writer, or without one; the count is how often that one saved.
    static func readBooks(
        _ contender: Contender, store: String, data: SourceData, besideWriter: Bool
    ) throws -> Measurement {
        let indexes = Array(data.shuffledIndexes.prefix(reads))
        var latencies = [Double](repeating: 0, count: indexes.count)
        var measurement = Measurement()
        switch contender {
        case .c:
            let result = baseline_read_single(
                store, StoreSettings.cacheSize, data.rows, indexes.map(Int64.init), Int64(indexes.count),
                besideWriter ? 1 : 0, &latencies)
            measurement = try PlainC.measurement(of: result)
        case .coreData:
            let coordinator = try Library.opened(store)
            let writer = Writer(context: Library.context(coordinator))
            let isbns = SwiftRows(data).books.map(\.isbn)
            let thread = DispatchQueue(label: "writer")
            if besideWriter {
                thread.async { writer.saveOn() }
                writer.isReady.wait()
            }
            let reader = Library.context(coordinator)
            try reader.performAndWait {
                let request = NSFetchRequest<Book>(entityName: "Book")
                request.fetchLimit = 1
                request.returnsObjectsAsFaults = false
                for (place, index) in indexes.enumerated() {
                    let start = DispatchTime.now()
                    request.predicate = NSPredicate(format: "isbn == %@", isbns[index])
                    measurement.checksum += try reader.fetch(request).first?.fieldSum ?? 0
                    latencies[place] = seconds(since: start)
                }
            }
            writer.isDone.withLock { $0 = true }
            thread.sync {}
            if let failure = writer.failure { throw failure }
            measurement.count = writer.saves
        case .grdbRows, .grdbRecords:
            throw BenchmarkFailure(description: "\(contender.rawValue) has no writer")
        }
        measurement.seconds = latencies.reduce(0, +)
        latencies.sort()
        measurement.middleLatency = latencies.median
        measurement.highLatency = latencies.isEmpty ? 0 : latencies[latencies.count * 99 / 100]
        return measurement
    }

    /// Reads all books on each of so many threads.
    static func readOnThreads(
        _ contender: Contender, store: String, threads: Int, books: Int
    ) throws -> Measurement {
        let coordinator = contender == .coreData ? try Library.opened(store) : nil
        let failures = Locked<[any Error]>([])
        let start = DispatchTime.now()
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            do {
                for _ in 0..<passes {
                    if let coordinator {
                        try readAll(in: Library.context(coordinator))
                    } else {
                        try PlainC.measurement(of: baseline_read_all(store, StoreSettings.cacheSize))
                    }
                }
            } catch {
                failures.withLock { $0.append(error) }
            }
        }
        if let failure = failures.withLock({ $0.first }) { throw failure }
        var measurement = Measurement()
        measurement.seconds = seconds(since: start)
        measurement.count = threads * passes * books
        return measurement
    }

    private static func readAll(in context: NSManagedObjectContext) throws {
        try context.performAndWait {
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.returnsObjectsAsFaults = false
            for book in try context.fetch(request) { _ = book.fieldSum }
        }
    }

    private static func seconds(since start: DispatchTime) -> Double {
        Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
    }
}

/// Saves a hundred changed books at a time until `isDone` is true.
///
/// Unchecked: only the writer's queue uses it, except for `isReady` and `isDone`, until the reader has waited for that
/// queue.
private final class Writer: @unchecked Sendable {
    let context: NSManagedObjectContext
    /// Signalled when the books are there and the saves begin.
    let isReady = DispatchSemaphore(value: 0)
    let isDone = Locked(false)
    private(set) var saves = 0
    private(set) var failure: (any Error)?

    init(context: NSManagedObjectContext) {
        self.context = context
    }

    func saveOn() {
        // The waiting caller finds an error in `failure`, and no saves.
        defer { isReady.signal() }
        do {
            try context.performAndWait {
                let request = NSFetchRequest<Book>(entityName: "Book")
                request.returnsObjectsAsFaults = false
                let books = try context.fetch(request)
                isReady.signal()
                while !books.isEmpty && !isDone.withLock({ $0 }) {
                    for index in 0..<100 { books[(saves * 100 + index) % books.count].pages += 1 }
                    try context.save()
                    saves += 1
                }
            }
        } catch {
            failure = error
        }
    }
}

/// A value that several threads use, under a lock.
///
/// Unchecked: the lock is held whenever the value is touched.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
