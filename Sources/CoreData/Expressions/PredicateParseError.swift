import Foundation

/// Why a format string is no predicate, or no expression: where reading stopped, and what is wrong there.
///
/// `NSPredicate.parse(format:arguments:)` throws it. An addition to Apple's API.
public struct PredicateParseError: Error, Equatable, CustomStringConvertible, LocalizedError {
    /// The format string.
    public let format: String
    /// Where reading stopped: the number of Unicode scalars before it.
    public let position: Int
    /// What could have stood there, or what is wrong with what does, as the end of a sentence.
    public let problem: String

    public var description: String {
        "Unable to parse the format string \"\(format)\": at character \(position + 1) \(problem)"
    }

    public var errorDescription: String? { description }
}
