import BenchmarkChart
import Foundation

/// Draws the ratios to plain C that runs have written down.
struct ChartReport {
    /// A work that several hold is taken from the last: all its bars come from one run.
    let figures: [FiguresFile]

    /// Most ratios lie far below the highest.
    private static let limit = 10.0

    func write(to file: URL) throws {
        try chart.svg.write(to: file, atomically: true, encoding: .utf8)
    }

    private var chart: RatioChart {
        var works: [String: WorkFigures] = [:]
        for figure in figures.flatMap(\.works) { works[figure.work] = figure }
        let drawn = Work.allCases.compactMap { works[$0.rawValue] }
        let contenders = Contender.allCases.dropFirst().filter { contender in
            drawn.contains { $0.ratio(of: contender) != nil }
        }
        return RatioChart(
            title: "Processor time of the same work, so many times that of plain C",
            notes: ["The line at 1 is plain C over SQLite. Shorter is faster. A bar with a gap is longer than drawn."]
                + figures.map { file in
                    let books = Set(file.works.map(\.books)).sorted().map { "\($0.formatted()) books" }
                    let facts = ["\(file.date): \(books.joined(separator: " and "))", "\(file.rounds) rounds"]
                    return (facts + file.versions).joined(separator: ", ")
                },
            series: contenders.map(\.title),
            groups: drawn.map { figure in
                RatioChart.Group(
                    title: WorkFigures.title(figure.work), ratios: contenders.map { figure.ratio(of: $0) })
            },
            limit: Self.limit)
    }
}
