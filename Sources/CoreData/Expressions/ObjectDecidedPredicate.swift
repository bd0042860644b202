import Foundation

/// Conditions joined by AND that every store decides as the evaluation of objects does: a missing value is unequal to
/// every other value, and NOT negates each result.
///
/// In a SQLite store a condition on a missing value otherwise is neither true nor false. A `#Predicate` of models has
/// one meaning, whether the store or the program decides it.
package final class ObjectDecidedPredicate: NSCompoundPredicate {
    /// A predicate for conditions: a plain one if both meanings are one.
    package static func joining(_ conditions: [NSPredicate]) -> NSPredicate? {
        let isPlain = conditions.allSatisfy { $0.meansOneThing }
        if conditions.count == 1, isPlain { return conditions[0] }
        if conditions.isEmpty { return nil }
        return isPlain
            ? NSCompoundPredicate(andPredicateWithSubpredicates: conditions)
            : ObjectDecidedPredicate(andPredicateWithSubpredicates: conditions)
    }
}

extension NSPredicate {
    /// Whether the predicate finds equal rows whether a condition on a missing value is false or has no answer.
    fileprivate var meansOneThing: Bool {
        switch form {
        case .constant: return true
        case .opaque: return false
        case .compound(let compound):
            return compound.compoundPredicateType != .not && compound.parts.allSatisfy { $0.meansOneThing }
        case .comparison(let comparison):
            guard comparison.comparisonPredicateModifier == .direct, comparison.predicateOperatorType != .notEqualTo,
                case .keyPath(_, nil) = comparison.leftExpression.payload,
                case .constant(_?, _) = comparison.rightExpression.payload
            else { return false }
            return true
        }
    }
}
