import SwiftScanning

/// A Swift source, taken apart into its code and the text of its literals.
///
/// Code within `\( … )` of a literal is code. Comments are neither.
public struct SourceText: Sendable {
    /// A comment, or one line of a longer one.
    public struct Comment: Sendable {
        /// The number of its line, from 0.
        public let line: Int
        /// The text, from the mark on with which the comment begins.
        public let text: String
    }

    /// The code. A literal is two quotation marks in it, with the code of its interpolations behind them.
    public private(set) var code = ""
    /// The text of each literal. An interpolation is a space in it.
    public private(set) var literals: [String] = []
    /// The comments, in their order.
    public private(set) var comments: [Comment] = []
    /// The code of each line of the source. Lines within a literal or a comment are empty.
    public private(set) var lines: [Substring] = []

    /// Takes a source apart.
    public init(_ text: String) {
        var parts = Parts(text)
        parts.addCode(0..<parts.text.count)
        code = String(decoding: parts.code, as: UTF8.self)
        literals = parts.literals.map { String(decoding: $0, as: UTF8.self) }
        comments = parts.comments.flatMap { comment in
            parts.text[comment.range].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                .enumerated().map { Comment(line: comment.line - 1 + $0, text: String(decoding: $1, as: UTF8.self)) }
        }
        lines = String(decoding: parts.placed, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Separates the code from strings and comments, whose places the lexer gives.
    private struct Parts {
        private enum Part {
            case comment
            case literal
            case interpolation
        }

        let text: [UInt8]
        let comments: [SwiftComment]
        /// Comments, strings and interpolations, by their beginnings.
        private let parts: [(range: Range<Int>, part: Part)]
        private var next = 0
        var code: [UInt8] = []
        /// The code with every line's end, also of those within literals and comments.
        var placed: [UInt8] = []
        var literals: [[UInt8]] = []

        init(_ source: String) {
            text = Array(source.utf8)
            let scanned = SwiftLexer.scan(source)
            comments = scanned.comments.sorted { $0.range.lowerBound < $1.range.lowerBound }
            let strings = (scanned.tokens + scanned.interpolations.flatMap(\.tokens)).filter(\.isString)
            parts =
                (comments.map { ($0.range, .comment) } + strings.map { ($0.range, .literal) }
                + scanned.interpolations.map { ($0.range, .interpolation) })
                .sorted { $0.range.lowerBound < $1.range.lowerBound }
        }

        private mutating func add(_ bytes: some Sequence<UInt8>) {
            code += bytes
            placed += bytes
        }

        /// The next part that begins before a place.
        private mutating func part(before end: Int) -> (range: Range<Int>, part: Part)? {
            guard next < parts.count, parts[next].range.lowerBound < end else { return nil }
            next += 1
            return parts[next - 1]
        }

        mutating func addCode(_ range: Range<Int>) {
            var position = range.lowerBound
            while let (inner, part) = part(before: range.upperBound) {
                add(text[position..<inner.lowerBound])
                if part == .comment { placed += text[inner].filter { $0 == UInt8(ascii: "\n") } }
                if part == .literal { addLiteral(inner) }
                position = inner.upperBound
            }
            add(text[position..<range.upperBound])
        }

        private mutating func addLiteral(_ range: Range<Int>) {
            let hashes = text[range].prefix { $0 == UInt8(ascii: "#") }.count
            let isMultiline = text[range].dropFirst(hashes).starts(with: Array("\"\"\"".utf8))
            let quotes = isMultiline ? 3 : 1
            add(Array("\"\"".utf8))
            var literal: [UInt8] = []
            var position = range.lowerBound + hashes + quotes
            let end = max(position, range.upperBound - hashes - quotes)
            while let (inner, _) = part(before: range.upperBound) {
                addText(position..<inner.lowerBound, hashes, to: &literal)
                literal.append(UInt8(ascii: " "))
                add([UInt8(ascii: " ")])
                addCode(inner.lowerBound + hashes + 2..<max(inner.lowerBound + hashes + 2, inner.upperBound - 1))
                add([UInt8(ascii: " ")])
                position = inner.upperBound
            }
            if position < end { addText(position..<end, hashes, to: &literal) }
            literals.append(literal)
        }

        /// Adds the text of a literal. An escaped character is a space.
        private mutating func addText(_ range: Range<Int>, _ hashes: Int, to literal: inout [UInt8]) {
            let escape = [UInt8(ascii: "\\")] + Array(repeating: UInt8(ascii: "#"), count: hashes)
            var position = range.lowerBound
            while position < range.upperBound {
                let isEscape = text[position..<range.upperBound].starts(with: escape)
                if isEscape { position += escape.count }
                if position < range.upperBound {
                    literal.append(isEscape ? UInt8(ascii: " ") : text[position])
                    if text[position] == UInt8(ascii: "\n") { placed.append(text[position]) }
                }
                position += 1
            }
        }
    }
}

extension SwiftToken {
    /// Whether the token is a string, not a regular expression.
    fileprivate var isString: Bool {
        guard case .literal = kind else { return false }
        return text.drop { $0 == "#" }.first == "\""
    }
}

extension SourceText {
    /// The words and marks of the code, in their order. A word is a name, a keyword or a number.
    public var tokens: [Substring] {
        var tokens: [Substring] = []
        var start: String.UTF8View.Index?
        let bytes = code.utf8
        for index in bytes.indices {
            let byte = bytes[index]
            let isOfWord =
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
            if isOfWord {
                start = start ?? index
                continue
            }
            if let begin = start { tokens.append(code[begin..<index]) }
            start = nil
            if byte > 0x20, byte != UInt8(ascii: "`") { tokens.append(code[index...index]) }
        }
        if let begin = start { tokens.append(code[begin...]) }
        return tokens
    }
}
