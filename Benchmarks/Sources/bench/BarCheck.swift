import Foundation

/// Compares figures with the bars of the tree (`bars.txt`), or sets the bars to them.
struct BarCheck {
    private var bars: KeptFigures
    private let isRenewal: Bool
    private(set) var holds = true

    /// The factor between the highest figure of a round and a renewed bar: other programs use the machine, too. Figures
    /// in bytes hardly vary.
    static let margin = 1.1
    static let bytesMargin = 1.01

    init(renewing: Bool = false) throws {
        bars = try KeptFigures(KeptFigures.bars)
        isRenewal = renewing
    }

    /// The bar of a figure, and whether it holds, as two cells of a table. A renewal sets the bar to `highest`, the
    /// highest figure of a round, and a margin.
    mutating func verdict(
        _ value: Double, _ name: String, highest: Double? = nil, margin: Double = BarCheck.margin, decimals: Int = 2
    ) -> [String] {
        if isRenewal {
            bars.renew(name, (highest ?? value) * margin)
            return ["", "renewed"]
        }
        guard let bar = bars[name]?.value else {
            holds = false
            return ["", "NO BAR"]
        }
        let isKept = value <= bar
        if !isKept { holds = false }
        return [bar.printed(decimals), isKept ? "holds" : "BROKEN"]
    }

    /// Writes the bars where they were renewed.
    func finish() throws {
        if isRenewal { try bars.write(to: KeptFigures.bars, order: Self.names, decimals: 2) }
    }

    /// All bars, in the order of the file.
    private static var names: [String] {
        let works = Work.allCases.map(\.rawValue)
        return works + WorkloadReport.heapWorks.map { "heap.\($0.work.rawValue)" } + works.map { "peak.\($0)" }
            + WorkloadReport.barredSteps.flatMap { step in works.map { WorkloadReport.bar(ofGrowth: $0, from: step) } }
            + ConcurrencyReport.bars + GrowthReport.bars + PostgreSQLReport.bars
    }
}
