import CoreData
import Foundation

/// The most frequent condition, that a property equals a value. Its predicate is made at once, because the translation
/// of a tree takes as long as the rest of a fetch of one model.
enum PropertyEquality {
    /// The predicate, if the condition is of this form, and the value is of a plain type.
    static func predicate<Model: PersistentModel>(of condition: Predicate<Model>) -> NSPredicate? {
        guard let equality = condition.expression as? any EqualityOfProperty, let (keyPath, value) = equality.sides,
            let property = ModelKeyPaths.expression(of: keyPath)
        else { return nil }
        return NSComparisonPredicate(
            leftExpression: property, rightExpression: NSExpression(forConstantValue: value), modifier: .direct,
            type: .equalTo, options: [])
    }
}

private protocol EqualityOfProperty {
    /// The property and the value; nil if the value is not of a plain type.
    var sides: (AnyKeyPath, Any)? { get }
}

private protocol VariableOfModel {}

private protocol PropertyOfVariable {
    var property: AnyKeyPath { get }
}

private protocol CapturedValue {
    var plainValue: Any? { get }
}

extension PredicateExpressions.Variable: VariableOfModel where Output: PersistentModel {}

extension PredicateExpressions.KeyPath: PropertyOfVariable where Root: VariableOfModel {
    fileprivate var property: AnyKeyPath { keyPath }
}

extension PredicateExpressions.Value: CapturedValue {
    fileprivate var plainValue: Any? { PredicateConstant.isPlain(Output.self) ? value : nil }
}

extension PredicateExpressions.Equal: EqualityOfProperty where LHS: PropertyOfVariable, RHS: CapturedValue {
    fileprivate var sides: (AnyKeyPath, Any)? { rhs.plainValue.map { (lhs.property, $0) } }
}
