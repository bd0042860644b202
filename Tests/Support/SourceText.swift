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
        let utf8 = Array(text.utf8)
        var parser = Parser(utf8)
        parser.readCode(untilParenthesis: false)
        code = String(decoding: parser.code, as: UTF8.self)
        literals = parser.literals.map { String(decoding: $0, as: UTF8.self) }
        comments = parser.comments
        lines = String(decoding: parser.placed, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    }

    private struct Parser {
        let text: [UInt8]
        var position = 0
        var code: [UInt8] = []
        /// The code with every line's end, also of those within literals and comments.
        var placed: [UInt8] = []
        var line = 0
        var literals: [[UInt8]] = []
        var comments: [Comment] = []

        init(_ text: [UInt8]) { self.text = text }

        private func hasPrefix(_ prefix: [UInt8]) -> Bool {
            position + prefix.count <= text.count && text[position..<position + prefix.count].elementsEqual(prefix)
        }

        private mutating func add(_ bytes: [UInt8]) {
            code += bytes
            placed += bytes
        }

        /// Goes past a byte that is not code.
        private mutating func skip() {
            if position < text.count, text[position] == UInt8(ascii: "\n") {
                placed.append(UInt8(ascii: "\n"))
                line += 1
            }
            position += 1
        }

        private mutating func keepComment(_ range: Range<Int>, from line: Int) {
            let lines = text[range].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for (number, text) in lines.enumerated() {
                comments.append(Comment(line: line + number, text: String(decoding: text, as: UTF8.self)))
            }
        }

        mutating func readCode(untilParenthesis isNested: Bool) {
            var depth = 0
            while position < text.count {
                let isSlash = text[position] == UInt8(ascii: "/")
                if isSlash, hasPrefix(Array("//".utf8)) {
                    let start = position
                    position = text[position...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
                    keepComment(start..<position, from: line)
                } else if isSlash, hasPrefix(Array("/*".utf8)) {
                    skipComment()
                } else if let hashes = hashesOfLiteral() {
                    position += hashes
                    readLiteral(hashes)
                } else {
                    let byte = text[position]
                    position += 1
                    if byte == UInt8(ascii: "(") { depth += 1 }
                    if byte == UInt8(ascii: ")") {
                        if isNested, depth == 0 { return }
                        depth -= 1
                    }
                    add([byte])
                    if byte == UInt8(ascii: "\n") { line += 1 }
                }
            }
        }

        /// Comments may lie within each other.
        private mutating func skipComment() {
            let (start, first) = (position, line)
            defer { keepComment(start..<min(position, text.count), from: first) }
            var depth = 0
            repeat {
                if hasPrefix(Array("/*".utf8)) {
                    depth += 1
                    position += 2
                } else if hasPrefix(Array("*/".utf8)) {
                    depth -= 1
                    position += 2
                } else {
                    skip()
                }
            } while depth > 0 && position < text.count
        }

        /// How many number signs stand before the quotation mark of a literal that begins here; nil where none does.
        private func hashesOfLiteral() -> Int? {
            var end = position
            while end < text.count, text[end] == UInt8(ascii: "#") { end += 1 }
            return end < text.count && text[end] == UInt8(ascii: "\"") ? end - position : nil
        }

        private mutating func readLiteral(_ hashes: Int) {
            let mark = Array((hasPrefix(Array("\"\"\"".utf8)) ? "\"\"\"" : "\"").utf8)
            let hashes = Array(repeating: UInt8(ascii: "#"), count: hashes)
            let (end, escape) = (mark + hashes, [UInt8(ascii: "\\")] + hashes)
            position += mark.count
            add(Array("\"\"".utf8))
            var literal: [UInt8] = []
            while position < text.count, !hasPrefix(end) {
                guard hasPrefix(escape) else {
                    literal.append(text[position])
                    skip()
                    continue
                }
                position += escape.count
                guard position < text.count, text[position] == UInt8(ascii: "(") else {
                    // An escaped character does not end the literal.
                    literal.append(UInt8(ascii: " "))
                    skip()
                    continue
                }
                position += 1
                literal.append(UInt8(ascii: " "))
                add([UInt8(ascii: " ")])
                readCode(untilParenthesis: true)
                add([UInt8(ascii: " ")])
            }
            position += end.count
            literals.append(literal)
        }
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
