import Foundation

/// The words of the format strings that were met before: programs write few formats and parse each many times.
final class PredicateTokenCache: @unchecked Sendable {  // mutable state is guarded by `lock`
    static let shared = PredicateTokenCache()

    /// The number of formats that are remembered. A program with ever new formats empties the cache after each so many.
    private static let capacity = 512
    /// The length up to which a format is remembered. Nobody writes a longer one into a program.
    private static let longest = 4_096

    private let lock = NSLock()
    private var wordsByFormat: [String: Words] = [:]

    struct Words {
        /// Closed by one of kind `end`.
        let tokens: [PredicateToken]
        /// For each word that can be nothing but a key where an operand stands, the operand: expressions do not
        /// change, so that all predicates of the format may have it.
        let keys: [NSExpression?]
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
