import Foundation

/// The tokens and templates of format strings that were parsed before, because programs have few formats and parse each
/// many times.
final class PredicateTokenCache: @unchecked Sendable {  // mutable state is guarded by `lock`
    static let shared = PredicateTokenCache()

    /// The number of formats that are remembered. The cache is emptied when it has that many, as in a program that
    /// makes ever new formats.
    private static let capacity = 512
    /// The length up to which a format is remembered. Longer formats are not written in source code.
    private static let longest = 4_096

    private let lock = NSLock()
    private var wordsByFormat: [String: Words] = [:]
    private var templates: [String: PredicateTemplate] = [:]
    /// The latest format with a template. A program often makes many predicates of one format in turn.
    private var latest: (format: String, template: PredicateTemplate)?

    struct Words {
        /// The tokens, with one of kind `end` at the end.
        let tokens: [PredicateToken]
        /// The operand for each word that can only be a key in the place of an operand. Expressions are immutable, so
        /// all predicates of the format share it.
        let keys: [NSExpression?]
    }

    /// The template of a format; nil if the format has none.
    func template(of format: String) -> PredicateTemplate? {
        lock.lock()
        defer { lock.unlock() }
        if let latest, latest.format == format { return latest.template }
        guard let template = templates[format] else { return nil }
        latest = (format, template)
        return template
    }

    func remember(_ template: PredicateTemplate, of format: String) {
        guard format.utf8.count <= Self.longest else { return }
        lock.withLock {
            if templates.count >= Self.capacity { templates = [:] }
            templates[format] = template
        }
    }

    func words(of format: String) throws(PredicateParseError) -> Words {
        if let known = lock.withLock({ wordsByFormat[format] }) { return known }
        let tokens = try PredicateLexer.tokens(of: format)
        let words = Words(tokens: tokens, keys: tokens.indices.map { Self.key(tokens, $0) })
        guard format.utf8.count <= Self.longest else { return words }
        lock.withLock {
            if wordsByFormat.count >= Self.capacity { wordsByFormat = [:] }
            wordsByFormat[format] = words
        }
        return words
    }

    private static func key(_ tokens: [PredicateToken], _ index: Int) -> NSExpression? {
        guard case .word(let word, let keyword) = tokens[index].kind, !PredicateParser.keywords.contains(keyword) else {
            return nil
        }
        // A parenthesis, or a colon before one, makes it a function's name.
        if index + 1 < tokens.count, case .symbol(let next) = tokens[index + 1].kind, next == "(" || next == ":" {
            return nil
        }
        return NSExpression(forKeyPath: word)
    }
}
