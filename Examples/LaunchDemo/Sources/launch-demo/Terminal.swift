import CoreDataManager
import Foundation

/// Shows the progress that a child announces, by the library's own display.
@MainActor
final class ProgressBar {
    private let display = TerminalDisplay(.standardOutput)
    private var isShown = false

    func show(_ fraction: Double) {
        isShown = true
        display.update(MigrationStatus(fractionCompleted: fraction), text: "")
    }

    func end() {
        if isShown {
            display.end(message: LaunchTexts()[.updated], failure: nil)
        }
    }
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
