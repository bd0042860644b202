import CoreData
import Foundation

/// The most frequent conditions: comparisons of properties with values, joined by AND. The predicate of such a
/// condition is made at once, because the translation of a tree takes as long as the rest of a fetch of one model.
enum PropertyComparisons {
    /// A longer list is translated as a tree.
    private static let mostComparisons = 8

    /// The predicate; nil for a condition of any other form, and for values that are not of plain types.
    static func predicate(of condition: any PredicateExpression<Bool>) -> CoreData.NSPredicate? {
        if let comparison = comparison(condition) { return comparison }
        let conditions = PredicateExtension.conditions(in: condition)
        if conditions.count < 2 || conditions.count > mostComparisons { return nil }
        var comparisons: [CoreData.NSPredicate] = []
        for condition in conditions {
            guard let comparison = comparison(condition) else { return nil }
            comparisons.append(comparison)
        }
        return CoreData.NSCompoundPredicate(andPredicateWithSubpredicates: comparisons)
    }

    /// The predicate of one comparison; nil for anything else.
    private static func comparison(_ condition: any PredicateExpression<Bool>) -> CoreData.NSPredicate? {
        func open<Condition: PredicateExpression>(_ condition: Condition) -> CoreData.NSPredicate? {
            func call<Comparison: ComparisonOfProperty>(_ type: Comparison.Type) -> CoreData.NSPredicate? {
                // `type` is the type of the condition. A cast of the condition would copy it, and takes four times as
                // long as the search for the type.
                withUnsafeBytes(of: condition) { bytes in
                    bytes.baseAddress?.assumingMemoryBound(to: type).pointee.predicate
                }
            }
            return comparison(Condition.self).flatMap { call($0) }
        }
        return open(condition)
    }

    /// A type of condition as one that compares a property; nil for any other type.
    private static func comparison(_ type: any Any.Type) -> (any ComparisonOfProperty.Type)? {
        if let known = types.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        let found = type as? any ComparisonOfProperty.Type
        types.withLock { $0[ObjectIdentifier(type)] = .some(found) }
        return found
    }

    /// The types of conditions that were met. A program has as many as it has forms of conditions.
    private static let types = Locked<[ObjectIdentifier: (any ComparisonOfProperty.Type)?]>([:])
}

private protocol ComparisonOfProperty {
    /// Nil if no store has the property, or the value is not of a plain type.
    var predicate: CoreData.NSPredicate? { get }
}

private protocol VariableOfModel {}

private protocol PropertyOfVariable {
    var property: AnyKeyPath { get }
}

private protocol CapturedValue {
    var plainExpression: CoreData.NSExpression? { get }
}

extension PredicateExpressions.Variable: VariableOfModel where Output: PersistentModel {}

extension PredicateExpressions.KeyPath: PropertyOfVariable where Root: VariableOfModel {
    fileprivate var property: AnyKeyPath { keyPath }
}

extension PredicateExpressions.Value: CapturedValue {
    fileprivate var plainExpression: CoreData.NSExpression? { PredicateConstant.plainExpression(value) }
}

extension PredicateExpressions.Equal: ComparisonOfProperty where LHS: PropertyOfVariable, RHS: CapturedValue {
    fileprivate var predicate: CoreData.NSPredicate? { comparison(lhs.property, .equalTo, rhs) }
}

extension PredicateExpressions.Comparison: ComparisonOfProperty where LHS: PropertyOfVariable, RHS: CapturedValue {
    fileprivate var predicate: CoreData.NSPredicate? {
        switch op {
        case .lessThan: comparison(lhs.property, .lessThan, rhs)
        case .lessThanOrEqual: comparison(lhs.property, .lessThanOrEqualTo, rhs)
        case .greaterThan: comparison(lhs.property, .greaterThan, rhs)
        case .greaterThanOrEqual: comparison(lhs.property, .greaterThanOrEqualTo, rhs)
        @unknown default: nil
        }
    }
}

private func comparison(
    _ keyPath: AnyKeyPath, _ type: CoreData.NSComparisonPredicate.Operator, _ value: some CapturedValue
) -> CoreData.NSPredicate? {
    guard let value = value.plainExpression, let property = ModelKeyPaths.ownProperty(keyPath) else { return nil }
    return CoreData.NSComparisonPredicate(
        leftExpression: property, rightExpression: value, modifier: .direct, type: type)
}
