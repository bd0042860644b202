import Foundation

// The parts of a `#Predicate` that evaluate another predicate or expression. Foundation on Linux lacks the first one.

extension PredicateExpressions {
    /// `evaluate(_:)` of a captured predicate in a `#Predicate`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/predicateexpressions/predicateevaluate)
    public struct PredicateEvaluate<Condition: PredicateExpression, Input: PredicateExpression>: PredicateExpression
    where Condition.Output == Predicate<Input.Output> {
        /// The predicate.
        public let predicate: Condition
        /// The value for which it is evaluated.
        public let input: Input

        /// Creates the expression.
        ///
        /// - Parameters:
        ///   - predicate: The predicate.
        ///   - input: The value for which it is evaluated.
        public init(predicate: Condition, input: Input) {
            self.predicate = predicate
            self.input = input
        }

        /// Whether the predicate holds for the value.
        ///
        /// - Parameter bindings: The values of variables.
        /// - Throws: An error of evaluating the predicate or the value.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            try predicate.evaluate(bindings).evaluate(try input.evaluate(bindings))
        }
    }

    /// A constant that cannot be encoded, as a predicate on Linux.
    ///
    /// OpenCoreData only.
    public struct CapturedValue<Output: Sendable>: StandardPredicateExpression {
        /// The value.
        public let value: Output

        /// Creates the constant.
        ///
        /// - Parameter value: The value.
        public init(_ value: Output) { self.value = value }

        /// The value.
        ///
        /// - Parameter bindings: The values of variables.
        /// - Throws: Nothing.
        public func evaluate(_ bindings: PredicateBindings) throws -> Output { value }

        /// Throws an error, because the value cannot be decoded.
        ///
        /// - Parameter decoder: A decoder.
        /// - Throws: A `DecodingError`.
        public init(from decoder: any Decoder) throws {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "\(Output.self) cannot be decoded"))
        }

        /// Throws an error, because the value cannot be encoded.
        ///
        /// - Parameter encoder: An encoder.
        /// - Throws: An `EncodingError`.
        public func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(
                value, .init(codingPath: encoder.codingPath, debugDescription: "\(Output.self) cannot be encoded"))
        }
    }

    /// Creates the expression for `evaluate(_:)` of a predicate. The macro `#Predicate` of the module `SwiftData` calls
    /// it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/predicateexpressions/build_evaluate(_:_:))
    public static func build_evaluate<Condition, Input>(
        _ predicate: Condition, _ input: Input
    ) -> PredicateEvaluate<Condition, Input> {
        PredicateEvaluate(predicate: predicate, input: input)
    }
}

extension PredicateExpressions.PredicateEvaluate: Codable where Condition: Codable, Input: Codable {}
extension PredicateExpressions.PredicateEvaluate: Sendable where Condition: Sendable, Input: Sendable {}
extension PredicateExpressions.PredicateEvaluate: StandardPredicateExpression
where Condition: StandardPredicateExpression, Input: StandardPredicateExpression {}

extension PredicateExpressions.PredicateEvaluate: PredicateTranslatable {
    private var inner: Predicate<Input.Output>? {
        (predicate as? PredicateExpressions.CapturedValue<Predicate<Input.Output>>)?.value
    }

    var operands: [Any] { [input] + (inner.map { [$0.expression] } ?? []) }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        guard let inner else { throw Untranslatable() }
        try translator.bind(inner.variable, toValueOf: input)
        return .condition(try translator.condition(inner.expression))
    }
}

extension PredicateExpressions.ExpressionEvaluate: PredicateTranslatable {
    private var inner: Expression<repeat (each Input).Output, Output>? {
        (expression as? PredicateExpressions.CapturedValue<Expression<repeat (each Input).Output, Output>>)?.value
    }

    var operands: [Any] {
        var all: [Any] = inner.map { [$0.expression] } ?? []
        repeat all.append(each input)
        return all
    }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        guard let inner else { throw Untranslatable() }
        repeat try translator.bind(each inner.variable, toValueOf: each input)
        return try translator.part(inner.expression)
    }
}

extension PredicateExpressions.CapturedValue: PredicateTranslatable {
    var operands: [Any] { [] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        try PredicateConstant.part(value)
    }
}
