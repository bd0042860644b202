import CBaseline
import Foundation

/// Runs the workloads, contenders interleaved and shuffled in each round, and prints the tables.
struct WorkloadReport {
    let sizes: [Int]
    let rounds: Int
    let works: [Work]
    var measuresConcurrency = false
    /// The program of the peers, where they take part.
    var peers: URL?

    private var contenders: [Contender] { peers == nil ? Contender.own : Contender.allCases }

    /// The size that the bars are for.
    static let barredSize = 100_000
    /// The sizes from which growth to ten times as many has a bar.
    static let barredSteps = [10_000, 100_000]
    /// Growth is made of two medians that lie apart.
    private static let growthMargin = 1.3
    static func bar(ofGrowth work: String, from size: Int) -> String { "growth.\(size / 1_000)k.\(work)" }
    /// The works that measure the bytes of their books on the heap.
    static let heapWorks: [(work: Work, title: String)] = [
        (.readAll, "heap per realised book"),
        // The result of a fetch: the row is read with the key, and most of these bytes are the row.
        (.readFaults, "heap per fault with its row"),
        (.readWithoutValues, "heap per fault without its row"),
    ]

    /// - Returns: whether every bar holds.
    func run(renewing: Bool, isCheck: Bool, json: URL?) throws -> Bool {
        if isCheck || renewing, !sizes.contains(Self.barredSize) {
            throw BenchmarkFailure(description: "the bars are for \(Self.barredSize) books")
        }
        var bars = try BarCheck(renewing: renewing)
        var file = FiguresFile(rounds: rounds)
        for size in sizes {
            let figures = try measure(books: size)
            print(figures, size, &bars)
            file.works += figures
        }
        for (small, large) in zip(sizes, sizes.dropFirst()) {
            file.growth += works.compactMap { work in
                guard let before = file.works.first(where: { $0.work == work.rawValue && $0.books == small }),
                    let after = file.works.first(where: { $0.work == work.rawValue && $0.books == large })
                else { return nil }
                return Growth(from: before, to: after)
            }
        }
        printGrowth(file.growth, &bars)
        if measuresConcurrency, let size = sizes.first(where: { $0 == Self.barredSize }) ?? sizes.first {
            file.concurrency = try ConcurrencyReport(books: size, rounds: rounds).run(&bars)
        }
        if let json { try file.write(to: json) }
        try bars.finish()
        return bars.holds
    }

    /// Runs the works, contenders in another order in each round.
    func measure(books: Int) throws -> [WorkFigures] {
        let authors = max(books / 100, 1)
        let templates = try TemplateStore()
        defer { templates.remove() }
        let starts = try templates.starts(of: works, with: SourceData(authors: authors, books: books))
        var samples: [Work: [Contender: [Measurement]]] = [:]
        for round in 1...rounds {
            for work in works {
                for contender in contenders.shuffled() {
                    let measurement = try templates.withStore(copiedFrom: starts[work.start] ?? templates.empty) {
                        store in
                        func child(_ contender: Contender, _ work: Work) throws -> Measurement {
                            try ChildProcess.run(
                                [
                                    "child", contender.rawValue, work.rawValue, store.path, String(authors),
                                    String(books),
                                ], by: Contender.peers.contains(contender) ? peers : nil)
                        }
                        var measurement = try child(contender, work)
                        if work.isComparedInStore {
                            let left = try child(.c, .readAll)
                            measurement.checksum = left.checksum + Double(left.count)
                        }
                        return measurement
                    }
                    samples[work, default: [:]][contender, default: []].append(measurement)
                }
                try compareResults(of: work, samples[work] ?? [:], round: round)
            }
        }
        return works.map { WorkFigures($0, books: books, samples[$0] ?? [:]) }
    }

    /// Two contenders that disagree have not done the same work.
    private func compareResults(of work: Work, _ samples: [Contender: [Measurement]], round: Int) throws {
        guard let c = samples[.c]?.last else { return }
        for contender in contenders {
            guard let other = samples[contender]?.last else { continue }
            let place = "\(work.title), round \(round), \(contender.title)"
            guard c.count == other.count else {
                throw BenchmarkFailure(description: "\(place): \(other.count) objects instead of \(c.count)")
            }
            let difference = abs(c.checksum - other.checksum)
            guard difference <= abs(c.checksum) * 1e-9 else {
                throw BenchmarkFailure(description: "\(place): checksum \(other.checksum) instead of \(c.checksum)")
            }
        }
    }

    private func print(_ figures: [WorkFigures], _ books: Int, _ bars: inout BarCheck) {
        Swift.print("\n\(books) books, \(rounds) rounds, medians; ratio = median of the rounds' ratios to plain C\n")
        let isBarred = books == Self.barredSize
        var rows = [
            ["work", "C, CPU s", "Core Data, CPU s", "ratio", "rounds", "by the clock", "bar", "verdict"]
        ]
        for figure in figures {
            rows.append(
                [
                    WorkFigures.title(figure.work), figure.c.cpuSeconds.median.printed(4),
                    figure.coreData.cpuSeconds.median.printed(3), figure.cpuRatio.median.printed(2),
                    figure.cpuRatio.printed(2), figure.ratio.median.printed(2),
                ]
                    + (isBarred
                        ? bars.verdict(figure.cpuRatio.median, figure.work, highest: figure.cpuRatio.highest)
                        : ["", ""]))
        }
        printTable(rows)
        Swift.print("\nthe most memory of the process at a time, its source rows included, MB\n")
        printTable(
            [["work", "C", "Core Data", "bar", "verdict"]]
                + figures.map { figure in
                    let peak = figure.coreData.peakBytes
                    return [
                        WorkFigures.title(figure.work), (figure.c.peakBytes.median / 1e6).printed(1),
                        (peak.median / 1e6).printed(1),
                    ]
                        + (isBarred
                            ? bars.verdict(peak.median / 1e6, "peak.\(figure.work)", highest: peak.highest / 1e6)
                            : ["", ""])
                })
        Swift.print("")
        var memory = [["memory", "bytes", "bar", "verdict"]]
        for (work, title) in Self.heapWorks {
            guard let figure = figures.first(where: { $0.work == work.rawValue }) else { continue }
            let bytes = figure.coreData.heapPerBook
            memory.append(
                [title, bytes.printed(0)]
                    + (isBarred
                        ? bars.verdict(bytes, "heap.\(work.rawValue)", margin: BarCheck.bytesMargin) : ["", ""]))
        }
        if memory.count > 1 { printTable(memory) }
    }

    private func printGrowth(_ growth: [Growth], _ bars: inout BarCheck) {
        guard !growth.isEmpty else { return }
        Swift.print("\nprocessor time for one object, so many times that of the smaller size\n")
        printTable(
            [["work", "from", "to", "C", "Core Data", "bar", "verdict"]]
                + growth.map { each in
                    let isBarred = Self.barredSteps.contains(each.from) && each.to == each.from * 10
                    return [
                        WorkFigures.title(each.work), String(each.from), String(each.to), each.c.printed(2),
                        each.coreData.printed(2),
                    ]
                        + (isBarred
                            ? bars.verdict(
                                each.coreData, Self.bar(ofGrowth: each.work, from: each.from),
                                margin: Self.growthMargin)
                            : ["", ""])
                })
    }
}
