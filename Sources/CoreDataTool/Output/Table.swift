/// Rows of text in columns, as wide as the terminal allows.
package struct Table {
    package struct Column: Sendable {
        package let title: String
        /// Numbers are aligned at the right.
        package let isNumber: Bool

        package init(_ title: String, isNumber: Bool = false) {
            self.title = title
            self.isNumber = isNumber
        }
    }

    private let columns: [Column]
    private let console: Console
    /// The rows by which the widths of the columns are computed. Later rows are written at once.
    private var gathered: [[String]] = []
    private var widths: [Int]?
    private static let decidingRows = 500

    package init(_ columns: [Column], on console: Console) {
        self.columns = columns
        self.console = console
    }

    package mutating func add(_ row: [String]) throws {
        let row = row.map(Self.onOneLine)
        if let widths { return try console.line(line(row, widths)) }
        gathered.append(row)
        if gathered.count == Self.decidingRows { try finish() }
    }

    /// Writes the remaining rows. On a terminal the widest columns are narrowed until a row fits; elsewhere no text is
    /// cut. A table without rows has its titles.
    package mutating func finish() throws {
        guard widths == nil else { return }
        let widths = fitting(console.columns)
        self.widths = widths
        try console.line(console.styled(line(columns.map(\.title), widths), .bold))
        for row in gathered { try console.line(line(row, widths)) }
        gathered = []
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let shown = zip(zip(cells, widths), columns).map { cell, column -> String in
            let text = console.columns == nil ? cell.0 : TextWidth.cut(cell.0, to: cell.1)
            return TextWidth.padded(text, to: cell.1, isNumber: column.isNumber)
        }
        var line = shown.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        // If even the least widths are too many, the last columns are left out.
        return console.columns.map { TextWidth.cut(line, to: $0) } ?? line
    }

    private func fitting(_ room: Int?) -> [Int] {
        var widths = columns.indices.map { index in
            gathered.reduce(TextWidth.of(columns[index].title)) { max($0, TextWidth.of($1[index])) }
        }
        guard let room else { return widths }
        let least = 6
        var excess = widths.reduce(0, +) + 2 * (widths.count - 1) - room
        while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > least {
            // The widest column is narrowed to the width of the second widest, and from there on all of them together.
            let second = widths.filter { $0 < widths[widest] }.max() ?? least
            let step = max(1, min(excess, widths[widest] - max(second, least)))
            widths[widest] -= step
            excess -= step
        }
        return widths
    }

    /// The text without characters that would break a line, move a terminal's cursor, or turn the direction of text.
    package static func onOneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: \.isUnfit) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\n", "\u{2028}", "\u{2029}": result += "⏎"
            case "\t": result += " "
            case let scalar where scalar.isUnfit: result += "�"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether a character breaks the line, controls a terminal, or turns the direction of the text after it, so that a
    /// name could be mistaken for another one.
    var isUnfit: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
