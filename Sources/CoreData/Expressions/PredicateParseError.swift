/// Why a format string is not a predicate (or an expression): where reading stopped, and what would have gone on.
package struct PredicateParseError: Error, Equatable, CustomStringConvertible, LocalizedError {
    /// The format string.
    package let format: String
    /// Where reading stopped: the number of Unicode scalars before it.
    package let position: Int
    /// What could have stood there, or what is wrong with what does, as the end of a sentence.
    package let problem: String

    package var description: String {
        "Unable to parse the format string \"\(format)\": at character \(position + 1) \(problem)"
    }

    package var errorDescription: String? { description }
}
