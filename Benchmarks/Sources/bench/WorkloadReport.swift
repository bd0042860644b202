import CBaseline
import Foundation

/// Runs the workloads, contenders interleaved and shuffled in each round, and prints the tables.
struct WorkloadReport {
    let sizes: [Int]
    let rounds: Int
    let works: [Work]
    let measuresConcurrency: Bool

    /// The size that the bars are for.
    static let barredSize = 100_000
    /// What a renewed bar leaves above the highest ratio of a round: others use the machine, too. Bytes hardly differ.
    static let margin = 1.1
    static let bytesMargin = 1.01
    /// The works that tell what their books take on the heap.
    static let heapWorks: [(work: Work, title: String)] = [
        (.readAll, "heap per realised book"), (.readFaults, "heap per fault with its row"),
        (.readWithoutValues, "heap per fault, no property values"),
    ]

    /// - Returns: whether every bar holds.
    func run(renewing: Bool, isCheck: Bool, json: URL?) throws -> Bool {
        if isCheck || renewing, !sizes.contains(Self.barredSize) {
            throw BenchmarkFailure(description: "the bars are for \(Self.barredSize) books")
        }
        var bars = try KeptFigures(KeptFigures.bars)
        var file = FiguresFile()
        var holds = true
        for size in sizes {
            let figures = try measure(books: size)
            holds = print(figures, size, size == Self.barredSize ? bars : nil) && holds
            if renewing && size == Self.barredSize { renew(&bars, figures) }
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
        printGrowth(file.growth)
        if measuresConcurrency, let size = sizes.first(where: { $0 == Self.barredSize }) ?? sizes.first {
            file.concurrency = try ConcurrencyReport(books: size, rounds: rounds).run()
        }
        if let json { try file.write(to: json) }
        if renewing {
            let names = Work.allCases.map(\.rawValue) + Self.heapWorks.map { "heap.\($0.work.rawValue)" }
            try bars.write(to: KeptFigures.bars, order: names + PostgreSQLReport.bars, decimals: 2)
        }
        return holds
    }

    private func measure(books: Int) throws -> [WorkFigures] {
        let authors = max(books / 100, 1)
        let templates = try TemplateStore()
        defer { templates.remove() }
        let starts = try templates.starts(of: works, with: SourceData(authors: authors, books: books))
        var samples: [Work: [Contender: [Measurement]]] = [:]
        for round in 1...rounds {
            for work in works {
                for contender in Contender.allCases.shuffled() {
                    let measurement = try templates.withStore(copiedFrom: starts[work.start] ?? templates.empty) {
                        store in
                        try ChildProcess.run([
                            "child", contender.rawValue, work.rawValue, store.path, String(authors), String(books),
                        ])
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
        guard let c = samples[.c]?.last, let coreData = samples[.coreData]?.last else { return }
        guard c.count == coreData.count else {
            throw BenchmarkFailure(
                description: "\(work.title), round \(round): \(coreData.count) objects instead of \(c.count)")
        }
        let difference = abs(c.checksum - coreData.checksum)
        guard difference <= abs(c.checksum) * 1e-9 else {
            throw BenchmarkFailure(
                description: "\(work.title), round \(round): checksum \(coreData.checksum) instead of \(c.checksum)")
        }
    }

    /// - Returns: whether every bar holds.
    private func print(_ figures: [WorkFigures], _ books: Int, _ bars: KeptFigures?) -> Bool {
        Swift.print("\n\(books) books, \(rounds) rounds, medians; ratio = median of the rounds' ratios to plain C\n")
        var holds = true
        func verdict(_ value: Double, _ name: String) -> [String] {
            guard let bars else { return ["", ""] }
            guard let bar = bars[name]?.value else {
                holds = false
                return ["", "NO BAR"]
            }
            holds = holds && value <= bar
            return [bar.printed(2), value <= bar ? "holds" : "BROKEN"]
        }
        var rows = [
            [
                "work", "C, CPU s", "Core Data, CPU s", "ratio", "rounds", "by the clock", "peak MB, C", "Core Data",
                "bar", "verdict",
            ]
        ]
        for figure in figures {
            let title = Work(rawValue: figure.work)?.title ?? figure.work
            rows.append(
                [
                    title, figure.c.cpuSeconds.median.printed(4), figure.coreData.cpuSeconds.median.printed(3),
                    figure.cpuRatio.median.printed(2), figure.cpuRatio.printed(2), figure.ratio.median.printed(2),
                    (figure.c.peakBytes.median / 1e6).printed(1), (figure.coreData.peakBytes.median / 1e6).printed(1),
                ] + verdict(figure.cpuRatio.median, figure.work))
        }
        printTable(rows)
        Swift.print("")
        var memory = [["memory", "bytes", "bar", "verdict"]]
        for (work, title) in Self.heapWorks {
            guard let figure = figures.first(where: { $0.work == work.rawValue }) else { continue }
            let bytes = figure.coreData.heapPerBook
            memory.append([title, bytes.printed(0)] + verdict(bytes, "heap.\(work.rawValue)"))
        }
        if memory.count > 1 { printTable(memory) }
        return holds
    }

    private func printGrowth(_ growth: [Growth]) {
        guard !growth.isEmpty else { return }
        Swift.print("\nprocessor time for one object, so many times that of the smaller size\n")
        printTable(
            [["work", "from", "to", "C", "Core Data"]]
                + growth.map { each in
                    [
                        Work(rawValue: each.work)?.title ?? each.work, String(each.from), String(each.to),
                        each.c.printed(2), each.coreData.printed(2),
                    ]
                })
    }

    private func renew(_ bars: inout KeptFigures, _ figures: [WorkFigures]) {
        for figure in figures { bars.renew(figure.work, figure.cpuRatio.highest * Self.margin) }
        for (work, _) in Self.heapWorks {
            guard let figure = figures.first(where: { $0.work == work.rawValue }) else { continue }
            bars.renew("heap.\(work.rawValue)", (figure.coreData.heapPerBook * Self.bytesMargin).rounded(.up))
        }
    }
}
