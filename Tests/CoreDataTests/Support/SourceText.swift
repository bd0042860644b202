/// A Swift source, taken apart into its code and the text of its literals.
///
/// Code within `\( … )` of a literal is code. Comments are neither.
struct SourceText {
    /// The code. A literal is two quotation marks in it, with the code of its interpolations behind them.
    private(set) var code = ""
    /// The text of each literal. An interpolation is a space in it.
    private(set) var literals: [String] = []

    init(_ text: String) {
        let utf8 = Array(text.utf8)
        var parser = Parser(utf8)
        parser.readCode(untilParenthesis: false)
        code = String(decoding: parser.code, as: UTF8.self)
        literals = parser.literals.map { String(decoding: $0, as: UTF8.self) }
    }

    private struct Parser {
        let text: [UInt8]
        var position = 0
        var code: [UInt8] = []
        var literals: [[UInt8]] = []

        init(_ text: [UInt8]) { self.text = text }

        private func hasPrefix(_ prefix: [UInt8]) -> Bool {
            position + prefix.count <= text.count && text[position..<position + prefix.count].elementsEqual(prefix)
        }

        mutating func readCode(untilParenthesis isNested: Bool) {
            var depth = 0
            while position < text.count {
                if hasPrefix(Array("//".utf8)) {
                    position = text[position...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
                } else if hasPrefix(Array("/*".utf8)) {
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
                    code.append(byte)
                }
            }
        }

        /// Comments may lie within each other.
        private mutating func skipComment() {
            var depth = 0
            repeat {
                if hasPrefix(Array("/*".utf8)) {
                    depth += 1
                    position += 2
                } else if hasPrefix(Array("*/".utf8)) {
                    depth -= 1
                    position += 2
                } else {
                    position += 1
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
            code += Array("\"\"".utf8)
            var literal: [UInt8] = []
            while position < text.count, !hasPrefix(end) {
                guard hasPrefix(escape) else {
                    literal.append(text[position])
                    position += 1
                    continue
                }
                position += escape.count
                guard position < text.count, text[position] == UInt8(ascii: "(") else {
                    // What is escaped does not end the literal.
                    literal.append(UInt8(ascii: " "))
                    position += 1
                    continue
                }
                position += 1
                literal.append(UInt8(ascii: " "))
                code.append(UInt8(ascii: " "))
                readCode(untilParenthesis: true)
                code.append(UInt8(ascii: " "))
            }
            position += end.count
            literals.append(literal)
        }
    }
}

extension SourceText {
    /// The words and marks of the code, in their order. A word is a name, a keyword or a number.
    var tokens: [Substring] {
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
