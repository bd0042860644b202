import CBaseline
import Foundation

/// Runs the workloads, contenders interleaved and shuffled in each round, and prints the table.
struct WorkloadReport {
    let authors: Int
    let books: Int
    let rounds: Int
    /// Where the figures go besides, as JSON; nil for nowhere.
    var json: URL?

    /// Bytes that a realised book may take on the heap.
    static let bytesBar = 300.0

    /// - Returns: whether every bar holds.
    func run() throws -> Bool {
        let data = SourceData(authors: authors, books: books)
        let templates = try TemplateStore()
        defer { templates.remove() }
        let filled = try templates.filled(with: data, name: "filled")

        var samples: [Work: [Contender: [Measurement]]] = [:]
        for round in 1...rounds {
            for work in Work.allCases {
                for contender in Contender.allCases.shuffled() {
                    let template = work.startsEmpty ? templates.empty : filled
                    let measurement = try templates.withStore(copiedFrom: template) { store in
                        try ChildProcess.run([
                            "child", contender.rawValue, work.rawValue, store.path, String(authors), String(books),
                        ])
                    }
                    samples[work, default: [:]][contender, default: []].append(measurement)
                }
                try compareResults(of: work, samples[work] ?? [:], round: round)
            }
        }
        return try printReport(samples)
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

    /// One work's figures: medians over the rounds.
    private struct Figures: Codable {
        var work: String
        /// Seconds of processor time.
        var c: Double
        var coreData: Double
        /// The median of the rounds' ratios, the least and the greatest.
        var ratio: Double
        var least: Double
        var greatest: Double
        var bar: Double
        var holds: Bool
    }

    private func figures(of work: Work, _ samples: [Contender: [Measurement]]) -> Figures {
        let c = (samples[.c] ?? []).map(\.cpuSeconds)
        let coreData = (samples[.coreData] ?? []).map(\.cpuSeconds)
        let ratios = zip(coreData, c).map { $0 / $1 }
        return Figures(
            work: work.rawValue, c: c.median, coreData: coreData.median, ratio: ratios.median,
            least: ratios.min() ?? 0, greatest: ratios.max() ?? 0, bar: work.bar, holds: ratios.median <= work.bar)
    }

    private func printReport(_ samples: [Work: [Contender: [Measurement]]]) throws -> Bool {
        print("\(authors) authors, \(books) books, \(rounds) rounds; processor time, medians\n")
        let figures = Work.allCases.map { (work: $0, figures: self.figures(of: $0, samples[$0] ?? [:])) }
        var holds = figures.allSatisfy(\.figures.holds)
        printTable(
            [["work", "plain C, s", "Core Data, s", "ratio", "least", "greatest", "bar", "verdict"]]
                + figures.map { work, figures in
                    [
                        work.title, figures.c.printed(3), figures.coreData.printed(3), figures.ratio.printed(2),
                        figures.least.printed(2), figures.greatest.printed(2), figures.bar.printed(1),
                        figures.holds ? "holds" : "BROKEN",
                    ]
                })
        if let json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(figures.map(\.figures)).write(to: json)
        }

        let realised = samples[.readAll]?[.coreData] ?? []
        let bytes = realised.map(\.bytesPerBook).median
        let isUnder = bytes <= Self.bytesBar
        holds = holds && isUnder
        print("")
        printTable([
            ["memory", "bytes", "bar", "verdict"],
            [
                "heap per realised book", bytes.printed(0), Self.bytesBar.printed(0), isUnder ? "holds" : "BROKEN",
            ],
            [
                "resident set per realised book, page cache included",
                realised.map(\.residentPerBook).median.printed(0), "", "",
            ],
        ])
        return holds
    }
}
