import Foundation

extension [Double] {
    /// The middle value; the mean of the two middle ones for an even count. 0 when empty.
    var median: Double {
        guard !isEmpty else { return 0 }
        let ordered = sorted()
        let middle = ordered.count / 2
        return ordered.count % 2 == 1 ? ordered[middle] : (ordered[middle - 1] + ordered[middle]) / 2
    }
}

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

/// Prints columns that line up: the first one is aligned to the left, all further ones to the right.
func printTable(_ rows: [[String]]) {
    guard let columns = rows.first?.count else { return }
    let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
    for (number, row) in rows.enumerated() {
        let cells = row.enumerated().map { column, text in
            let padding = String(repeating: " ", count: widths[column] - text.count)
            return column == 0 ? text + padding : padding + text
        }
        print(cells.joined(separator: "   "))
        if number == 0 {
            print(widths.map { String(repeating: "-", count: $0) }.joined(separator: "   "))
        }
    }
}

extension Double {
    /// The number with a fixed count of decimals.
    func printed(_ decimals: Int) -> String { String(format: "%.\(decimals)f", self) }
}
