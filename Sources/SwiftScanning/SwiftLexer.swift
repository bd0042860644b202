/// Splits Swift source into tokens: enough of the language to find declarations among any other code.
///
/// The compiler's own parser (SwiftParser) comes with the toolchain only as a host library, which a package cannot link
/// without unsafe flags. Such flags would keep every package that uses this one from being a dependency.
package struct SwiftLexer {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0
    private var separation = SwiftToken.Separation.newline
    private var tokens: [SwiftToken] = []
    private var interpolations: [SwiftInterpolation] = []
    private var comments: [SwiftComment] = []
    private var interpolationDepth = 0
    /// The deepest nesting of strings in strings. Deeper strings are read as text, because real sources have none, and
    /// each level takes stack space.
    private static let deepestInterpolation = 64

    private init(_ source: String) {
        bytes = Array(source.utf8)
        // A byte order mark is no part of the first word.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            position = 3
            lineStart = 3
        }
    }

    /// The tokens of a source text. Unfinished literals and comments reach to the end of the text.
    package static func tokens(in source: String) -> [SwiftToken] { scan(source).tokens }

    /// The tokens of a source text, those of the code inside its strings, wherever it is nested, and its comments.
    package static func scan(
        _ source: String
    ) -> (tokens: [SwiftToken], interpolations: [SwiftInterpolation], comments: [SwiftComment]) {
        var lexer = SwiftLexer(source)
        lexer.run(untilClosingParenthesis: false)
        return (lexer.tokens, lexer.interpolations, lexer.comments)
    }

    private func byte(_ ahead: Int = 0) -> UInt8 {
        position + ahead < bytes.count ? bytes[position + ahead] : 0
    }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where position < bytes.count {
            if bytes[position] == .newline {
                line += 1
                lineStart = position + 1
            }
            position += 1
        }
    }

    /// Reads to the end, or to the parenthesis that closes a string interpolation.
    private mutating func run(untilClosingParenthesis: Bool) {
        var depth = 0
        while position < bytes.count {
            let current = byte()
            switch current {
            case .newline:
                separation = .newline
                advance()
            case .space, .tab, .carriageReturn:
                if separation == .nothing { separation = .space }
                advance()
            case .slash where byte(1) == .slash:
                skipLineComment()
            case .slash where byte(1) == .star:
                skipBlockComment()
            case .slash where startsRegularExpression():
                readRegularExpression()
            case .quote:
                readString(pounds: 0)
            case .pound:
                readPound()
            case .backtick:
                readEscapedName()
            case .leftParenthesis:
                depth += 1
                append(.mark, length: 1)
            case .rightParenthesis:
                if untilClosingParenthesis, depth == 0 { return }
                depth -= 1
                append(.mark, length: 1)
            case .minus where byte(1) == .greater:
                append(.mark, length: 2)
            default:
                current.isWordByte ? readWord() : append(.mark, length: 1)
            }
        }
    }

    private mutating func append(_ kind: SwiftToken.Kind, length: Int) {
        append(kind, text: String(decoding: bytes[position..<position + length], as: UTF8.self), length: length)
    }

    private mutating func append(_ kind: SwiftToken.Kind, text: String, length: Int) {
        tokens.append(
            SwiftToken(
                kind: kind, text: text, line: line, column: position - lineStart + 1, follows: separation,
                range: position..<min(position + length, bytes.count)))
        separation = .nothing
        advance(length)
    }

    private mutating func readWord() {
        var length = 1
        while byte(length).isWordByte { length += 1 }
        append(.word, length: length)
    }

    private mutating func readEscapedName() {
        var length = 1
        while position + length < bytes.count, byte(length) != .backtick, byte(length) != .newline { length += 1 }
        append(.word, length: min(length + 1, bytes.count - position))
    }

    private mutating func skipLineComment() {
        let start = position
        while position < bytes.count, byte() != .newline { advance() }
        comments.append(SwiftComment(line: line, range: start..<position))
    }

    private mutating func skipBlockComment() {
        var depth = 0
        let (start, startLine) = (position, line)
        defer { comments.append(SwiftComment(line: startLine, range: start..<position)) }
        repeat {
            if byte() == .slash, byte(1) == .star {
                depth += 1
                advance(2)
            } else if byte() == .star, byte(1) == .slash {
                depth -= 1
                advance(2)
            } else {
                advance()
            }
        } while depth > 0 && position < bytes.count
        if line > startLine { separation = .newline } else if separation == .nothing { separation = .space }
    }

    // MARK: Tokens that begin with #

    private mutating func readPound() {
        var pounds = 1
        while byte(pounds) == .pound { pounds += 1 }
        if byte(pounds) == .quote { return readString(pounds: pounds) }
        if byte(pounds) == .slash { return readExtendedRegularExpression(pounds: pounds) }
        var length = 1
        while byte(length).isWordByte { length += 1 }
        switch String(decoding: bytes[(position + 1)..<min(position + length, bytes.count)], as: UTF8.self) {
        case "if": readDirective(.ifCondition, length: length)
        case "elseif": readDirective(.elseIfCondition, length: length)
        case "else": readDirective(.elseBranch, length: length)
        case "endif": readDirective(.end, length: length)
        default: append(.mark, length: 1)
        }
    }

    /// Reads the line of a directive. A condition continues in the next line only inside of parentheses.
    private mutating func readDirective(_ directive: ConditionDirective, length: Int) {
        let (start, number) = (position, tokens.count)
        append(.directive(directive), length: length)
        var condition: [UInt8] = []
        var (depth, end) = (0, position)
        while position < bytes.count, byte() != .newline || depth > 0 {
            if byte() == .slash, byte(1) == .slash {
                skipLineComment()
            } else if byte() == .slash, byte(1) == .star {
                skipBlockComment()
                condition.append(.space)
            } else {
                depth += byte() == .leftParenthesis ? 1 : byte() == .rightParenthesis ? -1 : 0
                let isBlank = [.newline, .space, .tab, .carriageReturn].contains(byte())
                condition.append(isBlank ? .space : byte())
                advance()
                if !isBlank { end = position }
            }
        }
        separation = .nothing
        tokens[number] = tokens[number].directive(
            condition: String(decoding: condition, as: UTF8.self).trimmed, range: start..<end)
    }

    // MARK: Literals

    private mutating func readString(pounds: Int) {
        let start = (line: line, column: position - lineStart + 1, separation: separation)
        let isMultiline = byte(pounds + 1) == .quote && byte(pounds + 2) == .quote
        let quotes = isMultiline ? 3 : 1
        let begin = position
        advance(pounds + quotes)
        while position < bytes.count {
            if byte() == .backslash, matches(.pound, count: pounds, from: 1) {
                if byte(pounds + 1) == .leftParenthesis, interpolationDepth < Self.deepestInterpolation {
                    let begin = position
                    advance(pounds + 2)
                    readInterpolation(from: begin)
                } else {
                    advance(pounds + 2)
                }
            } else if matches(.quote, count: quotes, from: 0), matches(.pound, count: pounds, from: quotes) {
                advance(quotes + pounds)
                break
            } else if !isMultiline, byte() == .newline {
                break
            } else {
                advance()
            }
        }
        let text = String(decoding: bytes[begin..<min(position, bytes.count)], as: UTF8.self)
        tokens.append(
            SwiftToken(
                kind: .literal, text: text, line: start.line, column: start.column, follows: start.separation,
                range: begin..<position))
        separation = .nothing
    }

    /// Reads the code inside `\( … )`, which may contain strings itself. It is no part of the tokens around it.
    private mutating func readInterpolation(from begin: Int) {
        let kept = tokens
        tokens = []
        interpolationDepth += 1
        run(untilClosingParenthesis: true)
        interpolationDepth -= 1
        let inner = tokens
        tokens = kept
        advance()
        interpolations.append(SwiftInterpolation(range: begin..<position, tokens: inner))
    }

    private func matches(_ wanted: UInt8, count: Int, from start: Int) -> Bool {
        (0..<count).allSatisfy { byte(start + $0) == wanted }
    }

    /// Whether a slash begins a regular expression: no operand precedes it, and the expression ends on the same line.
    private func startsRegularExpression() -> Bool {
        guard ![.space, .tab, .newline, 0].contains(byte(1)) else { return false }
        if let last = tokens.last {
            switch last.kind {
            case .literal: return false
            case .word: guard Self.wordsBeforeExpression.contains(last.text) else { return false }
            case .mark: guard !")]}?!.".contains(last.text) else { return false }
            case .directive: break
            }
        }
        return regularExpressionLength() != nil
    }

    private static let wordsBeforeExpression: Set<String> = [
        "return", "case", "in", "where", "if", "guard", "while", "try", "await", "throw", "else",
    ]

    private func regularExpressionLength() -> Int? {
        var length = 1
        while position + length < bytes.count, byte(length) != .newline {
            if byte(length) == .backslash {
                length += 2
            } else if byte(length) == .slash {
                return length + 1
            } else {
                length += 1
            }
        }
        return nil
    }

    private mutating func readRegularExpression() {
        append(.literal, length: regularExpressionLength() ?? 1)
    }

    private mutating func readExtendedRegularExpression(pounds: Int) {
        var length = pounds + 1
        while position + length < bytes.count {
            if byte(length) == .backslash {
                length += 2
            } else if byte(length) == .slash, matches(.pound, count: pounds, from: length + 1) {
                length += 1 + pounds
                break
            } else {
                length += 1
            }
        }
        append(.literal, length: min(length, bytes.count - position))
    }
}

extension UInt8 {
    fileprivate static let newline = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
    fileprivate static let space = UInt8(ascii: " ")
    fileprivate static let tab = UInt8(ascii: "\t")
    fileprivate static let slash = UInt8(ascii: "/")
    fileprivate static let star = UInt8(ascii: "*")
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let pound = UInt8(ascii: "#")
    fileprivate static let backtick = UInt8(ascii: "`")
    fileprivate static let backslash = UInt8(ascii: "\\")
    fileprivate static let leftParenthesis = UInt8(ascii: "(")
    fileprivate static let rightParenthesis = UInt8(ascii: ")")
    fileprivate static let minus = UInt8(ascii: "-")
    fileprivate static let greater = UInt8(ascii: ">")

    /// Whether the byte is a letter, a digit, the underscore, the dollar sign or part of a character beyond ASCII.
    fileprivate var isWordByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xFF:
            true
        default: false
        }
    }
}

extension String {
    /// The text without spaces at either end.
    var trimmed: String {
        var view = self[...]
        while let first = view.first, first.isWhitespace { view.removeFirst() }
        while let last = view.last, last.isWhitespace { view.removeLast() }
        return String(view)
    }
}
