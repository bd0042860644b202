/// A piece of Swift source that means something to the scanner: comments and spaces are gone.
struct SwiftToken {
    enum Kind {
        /// A name, keyword or number.
        case word
        /// One character of punctuation, or the arrow.
        case mark
        /// A string or regular expression, with everything inside it.
        case literal
        /// `#if`, `#elseif`, `#else` or `#endif`; the text is the condition.
        case directive(ConditionDirective)
    }

    let kind: Kind
    let text: String
    /// Of the first character, from 1.
    let line: Int
    let column: Int
    /// Whether something separates it from the token before.
    let follows: Separation

    enum Separation {
        case nothing, space, newline
    }

    func isMark(_ mark: String) -> Bool {
        if case .mark = kind { return text == mark }
        return false
    }

    func isWord(_ word: String) -> Bool {
        if case .word = kind { return text == word }
        return false
    }

    var isWord: Bool {
        if case .word = kind { return true }
        return false
    }
}

/// The lines of conditional compilation.
enum ConditionDirective {
    case ifCondition, elseIfCondition, elseBranch, end
}
