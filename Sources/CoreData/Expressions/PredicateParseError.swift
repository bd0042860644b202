import Foundation

/// The error of a format string that is no predicate or no expression.
///
/// OpenCoreData only. `parse(format:arguments:)` of `NSPredicate` and of ``NSExpression`` throws it.
public struct PredicateParseError: Error, Equatable, CustomStringConvertible, LocalizedError {
    /// The format string.
    public let format: String
    /// The number of Unicode scalars before the place where reading stopped.
    public let position: Int
    /// A description of the problem, as the end of a sentence: what could be there, or what is wrong.
    public let problem: String

    /// The format string, the place and the problem.
    public var description: String {
        "Unable to parse the format string \"\(format)\": at character \(position + 1) \(problem)"
    }

    /// The format string, the place and the problem.
    public var errorDescription: String? { description }
}
