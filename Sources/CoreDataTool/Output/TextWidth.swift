import CCommandLine
import Foundation

/// The number of terminal columns of a text.
package enum TextWidth {
    // The C library has the columns of characters beyond ASCII only in a locale of UTF-8.
    private static let isReady: Bool = setlocale(LC_CTYPE, "C.UTF-8") != nil || setlocale(LC_CTYPE, "") != nil

    package static func of(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        _ = isReady
        return text.reduce(0) { $0 + of($1) }
    }

    package static func of(_ character: Character) -> Int {
        if character.isASCII { return 1 }
        let scalars = character.unicodeScalars
        // Several scalars that a terminal shows as one picture: families, flags, and those with the selector for
        // pictures.
        if scalars.count > 1, scalars.contains(where: { $0.value == 0x200D || $0.value == 0xFE0F || isFlag($0) }) {
            return 2
        }
        return scalars.reduce(0) { max($0, Int(opencoredata_columns($1.value))) }
    }

    private static func isFlag(_ scalar: Unicode.Scalar) -> Bool { (0x1F1E6...0x1F1FF).contains(scalar.value) }

    /// The text, filled with spaces up to a width.
    package static func padded(_ text: String, to width: Int, isNumber: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, width - of(text)))
        return isNumber ? spaces + text : text + spaces
    }

    /// The text, cut to a width, with an ellipsis if it was cut.
    package static func cut(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        var result = ""
        var used = 0
        for character in text {
            let columns = of(character)
            if used + columns > max(0, width - 1) { break }
            result.append(character)
            used += columns
        }
        return result + (width > 0 ? "…" : "")
    }

    /// The text in lines of at most a width, broken at spaces. The lines after the first are indented.
    package static func wrapped(_ text: String, to width: Int, indent: Int = 0) -> String {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if line.isEmpty {
                line = String(word)
            } else if of(line) + 1 + of(String(word)) <= width {
                line += " \(word)"
            } else {
                lines.append(line)
                line = String(word)
            }
        }
        lines.append(line)
        return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
    }
}
