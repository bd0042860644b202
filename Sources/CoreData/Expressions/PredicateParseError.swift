import Foundation

/// The error of a format string that is no predicate or no expression.
///
/// OpenCoreData only. `parse(format:arguments:)` of `NSPredicate` and of ``NSExpression`` throws it.
public struct PredicateParseError: Error, Equatable, CustomStringConvertible, LocalizedError {
    /// The format string.
    public let format: String
    /// The number of Unicode scalars before the place where reading stopped.
    public let position: Int
    /// A description of the problem, as the end of a sentence: the expected words, or the fault.
    public let problem: String

    /// The format string, the place and the problem. A long format string is shortened to the part around the place.
    public var description: String {
        "Unable to parse the format string \"\(excerpt)\": at character \(position + 1) \(problem)"
    }

    /// The format string, the place and the problem.
    public var errorDescription: String? { description }

    private static let longest = 240
    private static let reach = 80

    /// The format string as messages show it.
    private var excerpt: String {
        let scalars = format.unicodeScalars
        guard scalars.count > Self.longest else { return format }
        let (first, last) = (scalars.startIndex, scalars.endIndex)
        let place = scalars.index(first, offsetBy: position, limitedBy: last) ?? last
        let start = scalars.index(place, offsetBy: -Self.reach, limitedBy: first) ?? first
        let end = scalars.index(place, offsetBy: Self.reach, limitedBy: last) ?? last
        return (start > first ? "…" : "") + String(scalars[start..<end]) + (end < last ? "…" : "")
    }
}
