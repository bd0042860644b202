/// A token of Swift source for the scanner. Comments and spaces are no tokens.
package struct SwiftToken {
    package enum Kind {
        /// A name, keyword or number.
        case word
        /// A character of punctuation, or the arrow.
        case mark
        /// A string or regular expression, with everything inside it.
        case literal
        /// `#if`, `#elseif`, `#else` or `#endif`; the text is the condition.
        case directive(ConditionDirective)
    }

    package let kind: Kind
    package let text: String
    /// The line of the first character, from 1.
    package let line: Int
    package let column: Int
    /// The separation from the token before.
    package let follows: Separation
    /// The range in the text, in bytes of UTF-8.
    package let range: Range<Int>

    package enum Separation {
        case nothing, space, newline
    }

    /// Makes a directive with its condition and its end.
    func directive(condition: String, range: Range<Int>) -> SwiftToken {
        SwiftToken(kind: kind, text: condition, line: line, column: column, follows: follows, range: range)
    }

    package func isMark(_ mark: String) -> Bool {
        if case .mark = kind { return text == mark }
        return false
    }

    package func isWord(_ word: String) -> Bool {
        if case .word = kind { return text == word }
        return false
    }

    package var isWord: Bool {
        if case .word = kind { return true }
        return false
    }
}

/// The directives of conditional compilation.
package enum ConditionDirective {
    case ifCondition, elseIfCondition, elseBranch, end
}

/// The code inside a string literal.
package struct SwiftInterpolation {
    /// The range in the text, from the backslash to behind the parenthesis, in bytes of UTF-8.
    package let range: Range<Int>
    package let tokens: [SwiftToken]
}

/// A comment of Swift source, with the marks at its ends.
package struct SwiftComment {
    /// The line of the first character, from 1.
    package let line: Int
    /// The range in the text, in bytes of UTF-8.
    package let range: Range<Int>
}

extension [SwiftToken] {
    /// The index of the mark that closes the bracket at an index; nil if the text ends before.
    package func closing(of index: Int) -> Int? {
        var depth = 0
        for position in index..<count {
            if ["(", "[", "{"].contains(where: self[position].isMark) { depth += 1 }
            if [")", "]", "}"].contains(where: self[position].isMark) {
                depth -= 1
                if depth == 0 { return position }
            }
        }
        return nil
    }
}
