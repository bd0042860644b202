import CoreData
import Foundation

/// Makes a predicate of models from a closure with one expression.
///
/// The compiler takes this macro for models, and Foundation's for other types. A macro for a single type would be taken
/// only where no value is compared with an optional. Beside Foundation's functions it knows
/// `evaluate(_:)` of another predicate or expression, `localizedStandardContains(_:)`, `localizedCompare(_:)`,
/// `caseInsensitiveCompare(_:)` and `hasPrefix(_:)`. A part that does not name the model may be any expression.
///
/// - Parameter body: The closure.
/// - Returns: The predicate.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/predicate(_:))
@freestanding(expression)
public macro Predicate<each T: PersistentModel>(_ body: (repeat each T) -> Bool) -> Predicate<repeat each T> =
    #externalMacro(module: "SwiftDataMacros", type: "ModelPredicateMacro")

/// Makes an expression of models from a closure with one expression.
///
/// - Parameter body: The closure.
/// - Returns: The expression.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/expression(_:))
@freestanding(expression)
public macro Expression<each T: PersistentModel, Value>(
    _ body: (repeat each T) -> Value
) -> Expression<repeat each T, Value> =
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

    /// Creates the part for a captured value that is unwrapped by force.
    ///
    /// - Parameters:
    ///   - value: The value, with an optional in place of each forced unwrap.
    ///   - whole: The value as it is written, which gives the part its type. It is not called.
    public static func unwrapped<Value>(
        _ value: Value?, as whole: () -> Value
    ) -> PredicateExpressions.ForcedUnwrap<PredicateExpressions.Value<Value?>, Value> {
        PredicateExpressions.build_ForcedUnwrap(PredicateExpressions.build_Arg(value))
    }

    /// Creates the part for an element of a captured list, which is missing if the list does not have the index.
    public static func element<List: RandomAccessCollection>(
        in list: List, at index: List.Index, _ subscript: (List, List.Index) -> List.Element
    ) -> PredicateExpressions.ForcedUnwrap<PredicateExpressions.Value<List.Element?>, List.Element> {
        let isThere = index >= list.startIndex && index < list.endIndex
        let element = isThere ? list[index] : nil
        return PredicateExpressions.build_ForcedUnwrap(PredicateExpressions.build_Arg(element))
    }

    /// Creates the part for any other subscript of a captured value.
    @_disfavoredOverload
    public static func element<Whole, Index, Element>(
        in whole: Whole, at index: Index, _ subscript: (Whole, Index) -> Element
    ) -> PredicateExpressions.Value<Element> {
        PredicateExpressions.build_Arg(`subscript`(whole, index))
    }

    // MARK: Parts whose evaluation by Foundation stops the process for some values

    /// Creates the part for `+`.
    public static func sum<Left, Right>(
        lhs: Left, rhs: Right
    ) -> PredicateExpressions.Checked<PredicateExpressions.Arithmetic<Left, Right>> {
        PredicateExpressions.Checked(PredicateExpressions.build_Arithmetic(lhs: lhs, rhs: rhs, op: .add))
    }

    /// Creates the part for `-`.
    public static func difference<Left, Right>(
        lhs: Left, rhs: Right
    ) -> PredicateExpressions.Checked<PredicateExpressions.Arithmetic<Left, Right>> {
        PredicateExpressions.Checked(PredicateExpressions.build_Arithmetic(lhs: lhs, rhs: rhs, op: .subtract))
    }

    /// Creates the part for `*`.
    public static func product<Left, Right>(
        lhs: Left, rhs: Right
    ) -> PredicateExpressions.Checked<PredicateExpressions.Arithmetic<Left, Right>> {
        PredicateExpressions.Checked(PredicateExpressions.build_Arithmetic(lhs: lhs, rhs: rhs, op: .multiply))
    }

    /// Creates the part for `/` of integers.
    public static func division<Left, Right>(
        lhs: Left, rhs: Right
    ) -> PredicateExpressions.Checked<PredicateExpressions.IntDivision<Left, Right>> where Left.Output: BinaryInteger {
        PredicateExpressions.Checked(PredicateExpressions.build_Division(lhs: lhs, rhs: rhs))
    }

    /// Creates the part for `/` of floating-point numbers.
    public static func division<Left, Right>(
        lhs: Left, rhs: Right
    ) -> PredicateExpressions.FloatDivision<Left, Right> where Left.Output: BinaryFloatingPoint {
        PredicateExpressions.build_Division(lhs: lhs, rhs: rhs)
    }

    /// Creates the part for `%`.
    public static func remainder<Left, Right>(
        lhs: Left, rhs: Right
    ) -> PredicateExpressions.Checked<PredicateExpressions.IntRemainder<Left, Right>> {
        PredicateExpressions.Checked(PredicateExpressions.build_Remainder(lhs: lhs, rhs: rhs))
    }

    /// Creates the part for `-` before a number.
    public static func negative<Part>(_ part: Part)
        -> PredicateExpressions.Checked<PredicateExpressions.UnaryMinus<Part>>
    {
        PredicateExpressions.Checked(PredicateExpressions.build_UnaryMinus(part))
    }

    /// Creates the part for `..<`.
    public static func range<Lower, Upper>(
        lower: Lower, upper: Upper
    ) -> PredicateExpressions.Checked<PredicateExpressions.Range<Lower, Upper>> {
        PredicateExpressions.Checked(PredicateExpressions.build_Range(lower: lower, upper: upper))
    }

    /// Creates the part for `...`.
    public static func closedRange<Lower, Upper>(
        lower: Lower, upper: Upper
    ) -> PredicateExpressions.Checked<PredicateExpressions.ClosedRange<Lower, Upper>> {
        PredicateExpressions.Checked(PredicateExpressions.build_ClosedRange(lower: lower, upper: upper))
    }
}
