import SwiftScanning

/// The condition of an `#if`: its questions, and its value by the answers.
package struct BuildCondition {
    /// A question of a condition.
    package enum Question: Hashable {
        /// Whether a custom flag is set, such as `DEBUG`.
        case flag(String)
        /// `os(Linux)` and the like, with the first word of the argument.
        case call(String, argument: String)
    }

    private indirect enum Term {
        case question(Question)
        case fixed(Bool)
        /// Text that is no condition; the compiler reports it.
        case unknown
        case not(Term)
        case all(Term, Term)
        case either(Term, Term)
    }

    private let root: Term
    /// All questions of the condition.
    package let questions: Set<Question>

    package init(_ text: String) {
        var reader = Reader(tokens: SwiftLexer.tokens(in: text))
        root = reader.alternatives()
        questions = reader.questions
    }

    /// Whether the condition holds; nil if that depends on a question without an answer.
    package func holds(answer: (Question) -> Bool?) -> Bool? { Self.value(of: root, answer) }

    private static func value(of term: Term, _ answer: (Question) -> Bool?) -> Bool? {
        switch term {
        case .question(let question): return answer(question)
        case .fixed(let value): return value
        case .unknown: return nil
        case .not(let inner): return value(of: inner, answer).map { !$0 }
        case .all(let left, let right): return [left, right].map { value(of: $0, answer) }.conjunction
        case .either(let left, let right): return [left, right].map { value(of: $0, answer) }.disjunction
        }
    }

    private struct Reader {
        private var tokens: ArraySlice<SwiftToken>
        private(set) var questions: Set<Question> = []

        init(tokens: [SwiftToken]) { self.tokens = tokens[...] }

        /// Reads terms between `||`, which binds less than `&&`.
        mutating func alternatives() -> Term {
            var term = conjunction()
            while take("|") {
                _ = take("|")
                term = .either(term, conjunction())
            }
            return term
        }

        private mutating func conjunction() -> Term {
            var term = single()
            while take("&") {
                _ = take("&")
                term = .all(term, single())
            }
            return term
        }

        private mutating func single() -> Term {
            if take("!") { return .not(single()) }
            if take("(") {
                let inner = alternatives()
                _ = take(")")
                return inner
            }
            guard let word = tokens.popFirst(), word.isWord else { return .unknown }
            if word.text == "true" || word.text == "false" { return .fixed(word.text == "true") }
            var question = Question.flag(word.text)
            if take("(") {
                question = .call(word.text, argument: tokens.first { $0.isWord }?.text ?? "")
                while let token = tokens.popFirst(), !token.isMark(")") {}
            }
            questions.insert(question)
            return .question(question)
        }

        private mutating func take(_ mark: String) -> Bool {
            guard tokens.first?.isMark(mark) == true else { return false }
            tokens.removeFirst()
            return true
        }
    }
}

extension BuildCondition {
    /// The custom flags in the condition.
    var flags: [String] { questions.compactMap { if case .flag(let name) = $0 { name } else { nil } } }

    /// The modules in the condition.
    var modules: [String] {
        questions.compactMap { if case .call("canImport", let module) = $0 { module } else { nil } }
    }

    /// Whether the condition tests the language mode, as `swift(>=6)` does.
    var asksForLanguage: Bool { questions.contains { if case .call("swift", _) = $0 { true } else { false } } }
}

extension [Bool?] {
    /// Whether all are true; nil if an unknown one decides.
    var conjunction: Bool? { contains(false) ? false : contains(nil) ? nil : true }

    /// Whether any is true; nil if an unknown one decides.
    fileprivate var disjunction: Bool? { contains(true) ? true : contains(nil) ? nil : false }
}
