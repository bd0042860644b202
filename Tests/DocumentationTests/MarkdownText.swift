import Foundation

/// A Markdown file, taken apart into headings, prose, links and code.
struct MarkdownText {
    /// A piece of prose that stands by itself: a paragraph, a list item, a cell of a table, a heading.
    struct Piece {
        /// The number of its first line, from 1.
        let line: Int
        var text: String
    }

    struct CodeBlock {
        /// The number of the line behind the fence, from 1.
        let line: Int
        /// The text behind the fence.
        let language: String
        let text: String
    }

    struct Link {
        let line: Int
        let target: String
    }

    private(set) var pieces: [Piece] = []
    private(set) var blocks: [CodeBlock] = []
    private(set) var links: [Link] = []
    /// The names by which links reach headings, as GitHub makes them.
    private(set) var anchors: Set<String> = []

    init(_ text: String) {
        var fence: (mark: String, language: String, line: Int, lines: [String])?
        var isComment = false
        var current: Piece?
        func finish() {
            if let piece = current { pieces.append(piece) }
            current = nil
        }
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if let open = fence {
                if trimmed.hasPrefix(open.mark) {
                    let text = Self.withoutIndentation(open.lines).joined(separator: "\n")
                    blocks.append(CodeBlock(line: open.line, language: open.language, text: text))
                    fence = nil
                } else {
                    fence?.lines.append(String(line))
                }
                continue
            }
            if isComment || trimmed.hasPrefix("<!--") {
                isComment = !trimmed.hasSuffix("-->")
                continue
            }
            if trimmed.hasPrefix("```") || trimmed.hasPrefix("~~~") {
                finish()
                fence = (String(trimmed.prefix(3)), String(trimmed.dropFirst(3)), index + 2, [])
            } else if trimmed.isEmpty {
                finish()
            } else if line.hasPrefix("    "), current == nil {
                // Indented code.
            } else if trimmed.hasPrefix("#"), let title = Self.title(trimmed) {
                finish()
                pieces.append(Piece(line: index + 1, text: title))
                addAnchor(title)
            } else if trimmed.hasPrefix("|") {
                finish()
                pieces += Self.cells(trimmed).map { Piece(line: index + 1, text: $0) }
            } else if let item = Self.item(trimmed) {
                finish()
                current = Piece(line: index + 1, text: item)
            } else if current == nil {
                current = Piece(line: index + 1, text: trimmed)
            } else {
                current?.text += " " + trimmed
            }
        }
        finish()
        links = pieces.flatMap { piece in Self.targets(piece.text).map { Link(line: piece.line, target: $0) } }
    }

    private static func withoutIndentation(_ lines: [String]) -> [String] {
        let indentations = lines.filter { !$0.allSatisfy(\.isWhitespace) }.map { $0.prefix { $0 == " " }.count }
        return lines.map { String($0.dropFirst(min(indentations.min() ?? 0, $0.prefix { $0 == " " }.count))) }
    }

    private static func title(_ line: String) -> String? {
        let title = line.drop { $0 == "#" }
        return title.first == " " ? title.trimmingCharacters(in: .whitespaces) : nil
    }

    /// The text behind the mark of a list item or of a quotation.
    private static func item(_ line: String) -> String? {
        let digits = line.prefix { $0.isNumber }
        for mark in ["- ", "* ", "+ ", "> "] where line.hasPrefix(mark) { return String(line.dropFirst(2)) }
        let rest = line.dropFirst(digits.count)
        return !digits.isEmpty && digits.count < 3 && rest.hasPrefix(". ") ? String(rest.dropFirst(2)) : nil
    }

    /// The cells of a table's row. The line below the heads has none.
    private static func cells(_ line: String) -> [String] {
        if line.allSatisfy({ "|-: ".contains($0) }) { return [] }
        var (cells, cell, isCode, isEscaped) = ([String](), "", false, false)
        for character in line.dropFirst() {
            if character == "`" { isCode.toggle() }
            if character == "|", !isCode, !isEscaped {
                cells.append(cell.trimmingCharacters(in: .whitespaces))
                cell = ""
            } else {
                cell.append(character)
            }
            isEscaped = character == "\\"
        }
        return cells.filter { !$0.isEmpty }
    }

    private mutating func addAnchor(_ title: String) {
        let letters = Self.plain(title, code: { $0 }).lowercased().filter {
            $0.isLetter || $0.isNumber || " -_".contains($0)
        }
        let name = letters.replacingOccurrences(of: " ", with: "-")
        var number = 0
        while anchors.contains(number == 0 ? name : "\(name)-\(number)") { number += 1 }
        anchors.insert(number == 0 ? name : "\(name)-\(number)")
    }

    // MARK: Links

    /// Where the links of a piece lead to.
    private static func targets(_ text: String) -> [String] {
        var targets: [String] = []
        let withoutCode = plain(text, code: { _ in "" }, keepsLinks: true)
        var rest = Substring(withoutCode)
        while let start = rest.range(of: "](") {
            rest = rest[start.upperBound...]
            guard let end = closing(rest) else { break }
            // A title may stand behind the address.
            targets.append(rest[..<end].split(separator: " ").first.map(String.init) ?? "")
            rest = rest[end...]
        }
        return targets
    }

    /// The parenthesis that ends an address, which may have pairs of them itself.
    private static func closing(_ text: Substring) -> Substring.Index? {
        var depth = 0
        return text.firstIndex { character in
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            return depth < 0
        }
    }

    // MARK: Sentences

    struct Sentence {
        let line: Int
        let text: String
        let words: Int
    }

    /// The sentences of all pieces. Code counts as one word.
    var sentences: [Sentence] {
        pieces.flatMap { piece in
            Self.sentences(Self.plain(piece.text, code: { _ in "code" })).map { text in
                let words = text.split(separator: " ").count { $0.contains { $0.isLetter || $0.isNumber } }
                return Sentence(line: piece.line, text: text, words: words)
            }
        }
    }

    private static func sentences(_ text: String) -> [String] {
        var (sentences, current) = ([String](), [Substring]())
        for word in text.split(separator: " ") {
            current.append(word)
            let end = word.trimmingSuffix { "\"')”»*_".contains($0) }
            let isAbbreviation = ["e.g.", "i.e.", "vs."].contains(end.lowercased())
            guard let last = end.last, ".!?".contains(last), !isAbbreviation else { continue }
            sentences.append(current.joined(separator: " "))
            current = []
        }
        if !current.isEmpty { sentences.append(current.joined(separator: " ")) }
        return sentences
    }

    /// The text without marks: links are their words, and `code` makes something of code.
    private static func plain(_ text: String, code: (String) -> String, keepsLinks: Bool = false) -> String {
        var result = ""
        var rest = Substring(text)
        while let character = rest.first {
            if character == "`" {
                let marks = rest.prefix { $0 == "`" }
                let behind = rest[marks.endIndex...]
                if let end = behind.range(of: marks) {
                    result += code(String(behind[..<end.lowerBound]))
                    rest = behind[end.upperBound...]
                    continue
                }
            }
            if character == "]", !keepsLinks, rest.hasPrefix("]("), let end = closing(rest.dropFirst(2)) {
                rest = rest[end...].dropFirst()
                continue
            }
            rest = rest.dropFirst()
            if keepsLinks || !"[]*".contains(character) { result.append(character) }
        }
        return result
    }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(_ isPart: (Character) -> Bool) -> SubSequence {
        var end = endIndex
        while end > startIndex, isPart(self[index(before: end)]) { end = index(before: end) }
        return self[..<end]
    }
}
