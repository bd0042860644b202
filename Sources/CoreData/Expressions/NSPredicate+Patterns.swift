import Foundation

// The patterns of `MATCHES` that are no regular expressions.
extension NSComparisonPredicate {
    /// The pattern of a `MATCHES` that is no regular expression. Nil if the pattern is valid, or if it is not a
    /// constant.
    package var patternThatIsNone: String? {
        guard predicateOperatorType == .matches, case .constant(.string(let pattern)) = prepared else { return nil }
        return pattern
    }

    /// The error of a pattern that is no regular expression.
    package static func noRegularExpression(_ pattern: String) -> NSError {
        .coreData(NSCoreDataError, reason: "Can't do regex matching, reason: Can't open pattern (\(pattern))")
    }
}

extension NSPredicate {
    /// Throws error 134060 for a pattern anywhere in the predicate that is no regular expression.
    package func requirePatterns() throws {
        var wrong: String?
        func inspect(_ predicate: NSPredicate) {
            predicate.forEachSimplePart { part in
                guard wrong == nil, let comparison = part as? NSComparisonPredicate else { return }
                wrong = comparison.patternThatIsNone
                for side in [comparison.leftExpression, comparison.rightExpression] where wrong == nil {
                    side.forEachPredicate(inspect)
                }
            }
        }
        inspect(self)
        if let wrong { throw NSComparisonPredicate.noRegularExpression(wrong) }
    }
}

extension NSExpression {
    /// Calls the body with the predicates of the subqueries and conditions in an expression. Predicates that are nested
    /// in those are left to the body.
    fileprivate func forEachPredicate(_ body: (NSPredicate) -> Void) {
        switch payload {
        case .constant, .evaluatedObject, .variable, .anyKey, .subclass, .keyPath(_, nil), .fetch: break
        case .keyPath(_, let operand?): operand.forEachPredicate(body)
        case .function(_, let target, let arguments):
            for part in arguments + [target].compactMap(\.self) { part.forEachPredicate(body) }
        case .set(_, let left, let right):
            left.forEachPredicate(body)
            right.forEachPredicate(body)
        case .subquery(let collection, _, let predicate):
            collection.forEachPredicate(body)
            body(predicate)
        case .aggregate(let elements), .block(_, let elements):
            for element in elements { element.forEachPredicate(body) }
        case .conditional(let predicate, let whenTrue, let whenFalse):
            body(predicate)
            whenTrue.forEachPredicate(body)
            whenFalse.forEachPredicate(body)
        }
    }
}
