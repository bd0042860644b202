/// One token of a format string.
struct PredicateToken {
    enum Kind {
        /// A word that may be a key or a keyword; the second text is the word in capitals.
        case word(String, String)
        /// A word that is a key, even if it is a reserved word: `#size`.
        case escapedKey(String)
        /// A collection operator: `@count`.
        case collectionOperator(String)
        case variable(String)
        case string(String)
        case number(NSNumber)
        /// `%@`, `%K`, `%d` …, by the letter for the type.
        case placeholder(Unicode.Scalar)
        case symbol(String)
        case end
    }

    let kind: Kind
    let position: Int
}

/// Divides a format string into tokens. Positions count Unicode scalars.
struct PredicateLexer {
    private let format: String
    private let scalars: [Unicode.Scalar]
    private var position = 0

    /// The tokens of `format`, with one of kind `end` at the end.
    static func tokens(of format: String) throws(PredicateParseError) -> [PredicateToken] {
        var lexer = PredicateLexer(format)
        var tokens: [PredicateToken] = []
        while true {
            let token = try lexer.next(after: tokens.last)
            tokens.append(token)
            if case .end = token.kind { return tokens }
        }
    }

    private init(_ format: String) {
        self.format = format
        scalars = Array(format.unicodeScalars)
    }

    private static let reserved: Set<String> = [
        "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH",
        "BETWEEN", "NULL", "NIL", "SELF", "TRUE", "YES", "FALSE", "NO", "FIRST", "LAST", "SIZE", "ANYKEY", "SUBQUERY",
        "CAST", "TERNARY", "FUNCTION", "TRUEPREDICATE", "FALSEPREDICATE", "UNION", "INTERSECT", "MINUS",
    ]

    /// Whether a key has to be written with `#`: it is a reserved word.
    static func needsEscape(_ key: String) -> Bool {
        reserved.contains(key.uppercased())
    }

    // MARK: Reading

    private func failure(_ problem: String, at position: Int? = nil) -> PredicateParseError {
        PredicateParseError(format: format, position: position ?? self.position, problem: problem)
    }

    private func scalar(_ offset: Int = 0) -> Unicode.Scalar? {
        position + offset < scalars.count ? scalars[position + offset] : nil
    }

    private mutating func next(after previous: PredicateToken?) throws(PredicateParseError) -> PredicateToken {
        while let scalar = scalar(), scalar.properties.isWhitespace { position += 1 }
        let start = position
        guard let first = scalar() else { return PredicateToken(kind: .end, position: start) }
        let kind: PredicateToken.Kind
        switch first {
        case "\"", "'":
            kind = .string(try string(endingAt: first))
        case "0"..."9":
            kind = .number(try number())
        case "." where isDigit(scalar(1)) && !continuesPath(previous):
            kind = .number(try number())
        case "%":
            kind = .placeholder(try placeholder())
        case "$":
            kind = .variable(try prefixedWord("a variable's name"))
        case "#":
            kind = .escapedKey(try prefixedWord("a key"))
        case "@":
            let name = "@" + (try prefixedWord("a collection operator"))
            guard CollectionOperator.names.contains(name) else {
                throw failure("there is no collection operator \(name)", at: start)
            }
            kind = .collectionOperator(name)
        case "`":
            throw failure("there is a character that means nothing: \(first)")
        default:
            if isWordStart(first) {
                let word = word()
                kind = .word(word, word.uppercased())
            } else {
                kind = .symbol(try symbol())
            }
        }
        return PredicateToken(kind: kind, position: start)
    }

    private func isWordStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || (scalar >= "a" && scalar <= "z") || (scalar >= "A" && scalar <= "Z") || scalar.value >= 0x80
    }

    private func isDigit(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar else { return false }
        return scalar >= "0" && scalar <= "9"
    }

    private func continuesPath(_ previous: PredicateToken?) -> Bool {
        switch previous?.kind {
        case .word, .escapedKey, .variable, .collectionOperator, .placeholder: true
        case .symbol(let symbol): symbol == ")" || symbol == "]" || symbol == "}"
        default: false
        }
    }

    private mutating func word() -> String {
        var text = String.UnicodeScalarView()
        while let scalar = scalar(), isWordStart(scalar) || isDigit(scalar), !scalar.properties.isWhitespace {
            text.append(scalar)
            position += 1
        }
        return String(text)
    }

    private mutating func prefixedWord(_ expected: String) throws(PredicateParseError) -> String {
        position += 1
        guard let first = scalar(), isWordStart(first) || isDigit(first) else {
            throw failure("\(expected) is expected")
        }
        return word()
    }

    private mutating func symbol() throws(PredicateParseError) -> String {
        for length in [6, 2, 1] where position + length <= scalars.count {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars[position..<position + length])
            if Self.symbols.contains(String(text)) {
                position += length
                return String(text)
            }
        }
        throw failure("there is a character that means nothing: \(scalars[position])")
    }

    private static let symbols: Set<String> = [
        "<null>", "==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||", "**", "<<", ">>", "=", "<", ">", "!", "(", ")",
        "{", "}", "[", "]", ",", ".", ":", "+", "-", "*", "/", "&", "|", "^", "~",
    ]

    // MARK: Literals

    private mutating func string(endingAt quote: Unicode.Scalar) throws(PredicateParseError) -> String {
        let start = position
        position += 1
        var text = String.UnicodeScalarView()
        while let scalar = scalar() {
            position += 1
            if scalar == quote { return String(text) }
            guard scalar == "\\" else {
                text.append(scalar)
                continue
            }
            guard let escaped = self.scalar() else { break }
            position += 1
            switch escaped {
            case "n": text.append("\n")
            case "r": text.append("\r")
            case "t": text.append("\t")
            case "u": text.append(try codePoint())
            default: text.append(escaped)
            }
        }
        throw failure("a string begins that does not end", at: start)
    }

    private mutating func codePoint() throws(PredicateParseError) -> Unicode.Scalar {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = scalar().flatMap({ Character($0).hexDigitValue }) else {
                throw failure("four hexadecimal digits are expected after \\u")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        guard let result = Unicode.Scalar(value) else { throw failure("\\u names no character") }
        return result
    }

    private mutating func number() throws(PredicateParseError) -> NSNumber {
        let start = position
        if scalar() == "0", let prefix = scalar(1), let radix = radix(prefix) {
            position += 2
            let digits = word()
            guard let value = UInt64(digits, radix: radix) else {
                throw failure("there is a number that cannot be read", at: start)
            }
            return value > UInt64(Int64.max) ? NSNumber(value: value) : NSNumber(value: Int64(value))
        }
        var text = ""
        var isReal = false
        while let scalar = scalar() {
            if isDigit(scalar) {
                text.unicodeScalars.append(scalar)
            } else if scalar == ".", isDigit(self.scalar(1)), !isReal {
                isReal = true
                text += text.isEmpty ? "0." : "."
            } else if scalar == "e" || scalar == "E", let exponent = exponentLength() {
                isReal = true
                text += "e"
                for _ in 1..<exponent {
                    position += 1
                    if let part = self.scalar() { text.unicodeScalars.append(part) }
                }
                position += 1
                break
            } else {
                break
            }
            position += 1
        }
        if !isReal, let value = Int64(text) { return NSNumber(value: value) }
        if !isReal, let value = UInt64(text) { return NSNumber(value: value) }
        guard let value = Double(text) else { throw failure("there is a number that cannot be read", at: start) }
        return NSNumber(value: value)
    }

    private func radix(_ prefix: Unicode.Scalar) -> Int? {
        switch prefix {
        case "x", "X": 16
        case "o", "O": 8
        case "b", "B": 2
        default: nil
        }
    }

    /// The number of characters that `e`, an optional sign and digits take here; `nil` when it is no exponent.
    private func exponentLength() -> Int? {
        var length = 1
        if scalar(length) == "+" || scalar(length) == "-" { length += 1 }
        guard isDigit(scalar(length)) else { return nil }
        while isDigit(scalar(length)) { length += 1 }
        return length
    }

    /// Reads `%@`, `%K`, `%ld`, `%.2f` …; lengths, widths and precision have no effect.
    private mutating func placeholder() throws(PredicateParseError) -> Unicode.Scalar {
        let start = position
        position += 1
        while let scalar = scalar() {
            position += 1
            switch scalar {
            case "@", "K", "d", "i", "u", "x", "X", "o", "D", "U", "c", "C", "f", "F", "e", "E", "g", "G", "a", "A",
                "s", "S":
                return scalar
            case "l", "h", "q", "z", "t", "j", "L", ".", "0"..."9":
                continue
            default:
                throw failure("a type such as @, K, d or f is expected after %", at: start)
            }
        }
        throw failure("a type such as @, K, d or f is expected after %", at: start)
    }
}
