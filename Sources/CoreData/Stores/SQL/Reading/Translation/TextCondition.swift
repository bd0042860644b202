import Foundation

/// A compiled condition on a text: one of SQL's functions on texts with its argument.
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

    /// Nil for a function that is no condition on a text. Throws if the argument is no regular expression.
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
            guard let expression = try? PreparedOperand.regularExpression(argument, options) else {
                throw NSComparisonPredicate.noRegularExpression(argument)
            }
            kind = .expression(expression)
        default: return nil
        }
    }

    func isAbout(_ argument: String) -> Bool { StringComparison.areIdentical(argument, self.argument) }

    /// Whether the condition is true for a text. Throws if the time limit of the request has passed.
    package func holds(for text: String) throws -> Bool {
        switch kind {
        case .equal: return StringComparison.areEqual(text, argument, options)
        case .contains: return StringComparison.contains(text, argument, options)
        case .beginsWith: return StringComparison.hasPrefix(text, argument, options)
        case .endsWith: return StringComparison.hasSuffix(text, argument, options)
        case .wildcard(let pattern):
            if pattern.matches(text) { return true }
        case .expression(let expression):
            let subject = StringComparison.fold(text, options.intersection(.diacriticInsensitive))
            if expression.hasMatch(in: subject) { return true }
        }
        try ProcessorDeadline.check()
        return false
    }
}

extension TextCondition {
    /// A condition that a database can decide, and that is true for every text for which another condition on a column
    /// is true; nil if there is none.
    ///
    /// Most texts are plain ASCII. Foundation compares these as a database can, so the database need not return those
    /// that differ.
    static func narrowing(_ condition: SQLExpression) -> SQLExpression? {
        guard case .function(let function, let arguments, _) = condition, arguments.count == 3,
            case .column = arguments[0], case .value(.string(let argument)) = arguments[1],
            case .value(.int(let number)) = arguments[2]
        else { return nil }
        let options = Options(rawValue: UInt(truncatingIfNeeded: number))
        let text = arguments[0]
        let key = options.contains(.caseInsensitive) ? SQLExpression.function(.small, [text]) : text
        let folded = StringComparison.fold(argument, options)
        let part = SQLExpression.value(.string(folded))
        let isPlain: SQLExpression
        switch function {
        case .equalText: isPlain = .binary(.equal, key, part)
        case .contains: isPlain = .binary(.greater, .function(.place, [key, part]), .number(0))
        case .beginsWith: isPlain = .hasPrefix(key, folded)
        case .endsWith: isPlain = .binary(.equal, .function(.ending, [key, .number(folded.utf8.count)]), part)
        default: return nil
        }
        let isOther = SQLExpression.binary(.notEqual, .function(.octets, [text]), .function(.characters, [text]))
        // No plain ASCII text contains another character.
        return folded.utf8.allSatisfy { $0 > 0 && $0 < 0x80 } ? .or([isOther, isPlain]) : isOther
    }
}
