import Foundation

/// A condition on a text: one of SQL's functions on texts with its argument, made ready once.
package final class TextCondition {
    package typealias Options = NSComparisonPredicate.Options

    private enum Kind {
        case equal, contains, beginsWith, endsWith
        case wildcard(WildcardPattern)
        case expression(NSRegularExpression)
    }

    private let kind: Kind
    private let argument: String
    private let options: Options

    /// Nil for a function that states no condition on a text. Throws where the argument is no regular expression.
    package init?(_ function: SQLExpression.Function, _ argument: String, _ options: Options) throws {
        self.argument = argument
        self.options = options
        switch function {
        case .equalText: kind = .equal
        case .contains: kind = .contains
        case .beginsWith: kind = .beginsWith
        case .endsWith: kind = .endsWith
        case .like: kind = .wildcard(WildcardPattern(argument, options: options))
        case .matches:
            let pattern = StringComparison.fold(argument, options.intersection(.diacriticInsensitive))
            guard let expression = try? PreparedOperand.regularExpression(pattern, options) else {
                throw NSError.coreData(
                    NSCoreDataError, reason: "Can't do regex matching, reason: Can't open pattern (\(pattern))")
            }
            kind = .expression(expression)
        default: return nil
        }
    }

    package func holds(for text: String) -> Bool {
        switch kind {
        case .equal: return StringComparison.areEqual(text, argument, options)
        case .contains: return StringComparison.contains(text, argument, options)
        case .beginsWith: return StringComparison.hasPrefix(text, argument, options)
        case .endsWith: return StringComparison.hasSuffix(text, argument, options)
        case .wildcard(let pattern): return pattern.matches(text)
        case .expression(let expression):
            let subject = StringComparison.fold(text, options.intersection(.diacriticInsensitive))
            return expression.firstMatch(in: subject, range: NSRange(location: 0, length: subject.utf16.count)) != nil
        }
    }
}
