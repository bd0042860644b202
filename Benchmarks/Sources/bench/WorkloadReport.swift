import CBaseline
import Foundation

/// Runs the workloads, contenders interleaved and shuffled in each round, and prints the table.
struct WorkloadReport {
    let authors: Int
    let books: Int
    let rounds: Int

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
        return printReport(samples)
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

    private func printReport(_ samples: [Work: [Contender: [Measurement]]]) -> Bool {
        print("\(authors) authors, \(books) books, \(rounds) rounds, medians; ratio = median of the ratios per round\n")
        var holds = true
        var rows = [["work", "plain C, s", "Core Data, s", "ratio", "of CPU time", "bar", "verdict"]]
        for work in Work.allCases {
            let c = (samples[work]?[.c] ?? []).map(\.seconds)
            let coreData = (samples[work]?[.coreData] ?? []).map(\.seconds)
            let ratio = zip(coreData, c).map { $0 / $1 }.median
            let cpuRatio = zip(samples[work]?[.coreData] ?? [], samples[work]?[.c] ?? [])
                .map { $0.cpuSeconds / $1.cpuSeconds }.median
            let isUnder = work.bar.map { ratio <= $0 } ?? true
            holds = holds && isUnder
            rows.append([
                work.title, c.median.printed(3), coreData.median.printed(3), ratio.printed(2), cpuRatio.printed(2),
                work.bar?.printed(0) ?? "none", work.bar == nil ? "" : isUnder ? "holds" : "BROKEN",
            ])
        }
        printTable(rows)

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
