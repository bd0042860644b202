import Foundation

extension NSRegularExpression {
    /// The longest pattern, in UTF-16 units. ICU takes half a second and 50 MB for one of so many classes of
    /// characters.
    private static let longestPattern = 16_384

    /// The expression of a pattern that may come from outside.
    ///
    /// Throws for one that is invalid, and for one that is too long.
    package static func limited(
        _ pattern: String, options: NSRegularExpression.Options = []
    ) throws -> NSRegularExpression {
        guard pattern.utf16.count <= longestPattern else {
            throw NSError.coreData(
                NSCoreDataError, reason: "A regular expression has more than \(longestPattern) characters.")
        }
        // Foundation refuses the empty pattern, which the empty text alone fits.
        return try NSRegularExpression(pattern: pattern.isEmpty ? "(?:)" : pattern, options: options)
    }
}
