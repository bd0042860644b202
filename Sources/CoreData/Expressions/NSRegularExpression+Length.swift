import Foundation

extension NSRegularExpression {
    /// The longest pattern, in UTF-16 units. ICU takes half a second and 50 MB for a pattern of that many character
    /// classes.
    private static let longestPattern = 16_384

    /// Creates the regular expression of a pattern that may come from outside the program.
    ///
    /// Throws for a pattern that is invalid, and for one that is too long.
    package static func limited(
        _ pattern: String, options: NSRegularExpression.Options = []
    ) throws -> NSRegularExpression {
        guard pattern.utf16.count <= longestPattern else {
            throw NSError.coreData(
                NSCoreDataError, reason: "A regular expression has more than \(longestPattern) characters.")
        }
        // Foundation rejects the empty pattern, which matches only the empty text.
        return try NSRegularExpression(pattern: pattern.isEmpty ? "(?:)" : pattern, options: options)
    }
}
