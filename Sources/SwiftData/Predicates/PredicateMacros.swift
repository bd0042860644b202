import CoreData
import Foundation

/// Makes a predicate of models from a closure with one expression.
///
/// The compiler takes this macro for models, and Foundation's for other types. Beside Foundation's functions it knows
/// `evaluate(_:)` of another predicate or expression, `localizedStandardContains(_:)`, `localizedCompare(_:)`,
/// `caseInsensitiveCompare(_:)` and `hasPrefix(_:)`. A part that does not name the model may be any expression.
///
/// - Parameter body: The closure.
/// - Returns: The predicate.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/predicate(_:))
@freestanding(expression)
public macro Predicate<T: PersistentModel>(_ body: (T) -> Bool) -> Predicate<T> =
    #externalMacro(module: "SwiftDataMacros", type: "ModelPredicateMacro")

/// Makes an expression of models from a closure with one expression.
///
/// - Parameter body: The closure.
/// - Returns: The expression.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/expression(_:))
@freestanding(expression)
public macro Expression<T: PersistentModel, Value>(_ body: (T) -> Value) -> Expression<T, Value> =
    #externalMacro(module: "SwiftDataMacros", type: "ModelExpressionMacro")

/// Makes the parts of predicates that Foundation on Linux lacks. The macro's expansions use it.
public enum _PredicateParts {
    /// Creates the part for `localizedStandardContains(_:)`.
    public static func localizedStandardContains<Root, Other>(
        _ root: Root, _ other: Other
    ) -> PredicateExpressions.StringLocalizedStandardContains<Root, Other> {
        PredicateExpressions.build_localizedStandardContains(root, other)
    }

    /// Creates the part for `localizedCompare(_:)`.
    public static func localizedCompare<Root, Other>(
        _ root: Root, _ other: Other
    ) -> PredicateExpressions.StringLocalizedCompare<Root, Other> {
        PredicateExpressions.build_localizedCompare(root, other)
    }

    /// Creates the part for `caseInsensitiveCompare(_:)`.
    public static func caseInsensitiveCompare<Root, Other>(
        _ root: Root, _ other: Other
    ) -> PredicateExpressions.StringCaseInsensitiveCompare<Root, Other> {
        PredicateExpressions.build_caseInsensitiveCompare(root, other)
    }

    /// Creates the part for `evaluate(_:)` of a predicate.
    public static func evaluate<Input: PredicateExpression>(
        _ predicate: PredicateExpressions.Value<Predicate<Input.Output>>, _ input: Input
    )
        -> PredicateExpressions.PredicateEvaluate<
            PredicateExpressions.CapturedValue<Predicate<Input.Output>>, Input
        >
    {
        PredicateExpressions.build_evaluate(PredicateExpressions.CapturedValue(predicate.value), input)
    }

    /// Creates the part for `evaluate(_:)` of an expression.
    public static func evaluate<Input: PredicateExpression, Output>(
        _ expression: PredicateExpressions.Value<Expression<Input.Output, Output>>, _ input: Input
    )
        -> PredicateExpressions.ExpressionEvaluate<
            PredicateExpressions.CapturedValue<Expression<Input.Output, Output>>, Input, Output
        >
    {
        PredicateExpressions.build_evaluate(PredicateExpressions.CapturedValue(expression.value), input)
    }
}
