import Foundation

/// The words of the format strings that were met before: programs write few formats and parse each many times.
final class PredicateTokenCache: @unchecked Sendable {  // mutable state is guarded by `lock`
    static let shared = PredicateTokenCache()

    /// Formats that are remembered; a program that makes up ever new ones begins anew with each so many.
    private static let capacity = 512

    private let lock = NSLock()
    private var tokensByFormat: [String: [PredicateToken]] = [:]

    /// The words of `format`, closed by one of kind `end`.
    func tokens(of format: String) throws(PredicateParseError) -> [PredicateToken] {
        if let known = lock.withLock({ tokensByFormat[format] }) { return known }
        let tokens = try PredicateLexer.tokens(of: format)
        lock.withLock {
            if tokensByFormat.count >= Self.capacity { tokensByFormat = [:] }
            tokensByFormat[format] = tokens
        }
        return tokens
    }
}
