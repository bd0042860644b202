import Foundation

/// A progress bar on one line of a terminal; where the output is a file, a line for every quarter.
final class ProgressBar {
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private var shownQuarter = -1
    private var isShown = false

    func show(_ fraction: Double) {
        isShown = true
        let width = 40
        let filled = Int(fraction * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "·", count: width - filled)
        let text = "   [\(bar)] \(Int(fraction * 100)) %"
        if isTerminal {
            print("\r\(text)", terminator: "")
            fflush(nil)
        } else if Int(fraction * 4) > shownQuarter {
            shownQuarter = Int(fraction * 4)
            print(text)
        }
    }

    func end() {
        if isShown && isTerminal {
            print("")
        }
    }
}

/// Prints columns that line up: the first to the left, the others to the right.
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
