import Foundation

// The parts of a `#Predicate` whose evaluation by Foundation stops the process for some values.

/// A part that can be evaluated without stopping the process.
///
/// OpenCoreData only.
public protocol CheckedPredicateExpression: PredicateExpression {
    /// The value of the part.
    ///
    /// - Parameter bindings: The values of variables.
    /// - Throws: An error where the part has no value, and the errors of evaluating its operands.
    func checkedValue(_ bindings: PredicateBindings) throws -> Output
}

/// The error of a part that has no value.
package enum MissingValue: Error, CustomStringConvertible {
    case divisionByZero
    /// A range whose lower bound is the greater one.
    case range
    /// A number that its type does not have.
    case overflow(any Any.Type)

    package var description: String {
        switch self {
        case .divisionByZero: "division by zero"
        case .range: "a range whose lower bound is greater than its upper bound"
        case .overflow(let type): "the result of a calculation is no \(type)"
        }
    }
}

extension PredicateExpressions {
    /// A part that throws an error where Foundation's stops the process.
    ///
    /// OpenCoreData only.
    public struct Checked<Part: CheckedPredicateExpression>: PredicateExpression {
        /// The part.
        public let part: Part

        /// Creates the expression.
        ///
        /// - Parameter part: The part.
        public init(_ part: Part) { self.part = part }

        /// The value of the part.
        ///
        /// - Parameter bindings: The values of variables.
        /// - Throws: An error where the part has no value, and the errors of evaluating its operands.
        public func evaluate(_ bindings: PredicateBindings) throws -> Part.Output { try part.checkedValue(bindings) }
    }
}

extension PredicateExpressions.Checked: Codable where Part: Codable {}
extension PredicateExpressions.Checked: Sendable where Part: Sendable {}
extension PredicateExpressions.Checked: StandardPredicateExpression where Part: StandardPredicateExpression {}

extension PredicateExpressions.Checked: PredicateTranslatable {
    var operands: [Any] { [part] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        guard let part = part as? any PredicateTranslatable else { throw Untranslatable() }
        return try part.translated(by: &translator)
    }
}

// MARK: - Integers

private enum IntegerOperation { case add, subtract, multiply, divide, remainder }

extension FixedWidthInteger {
    fileprivate func result(_ operation: IntegerOperation, _ other: Any) throws -> Self? {
        guard let other = other as? Self else { return nil }
        if other == 0, operation == .divide || operation == .remainder { throw MissingValue.divisionByZero }
        let (value, isTooGreat) =
            switch operation {
            case .add: addingReportingOverflow(other)
            case .subtract: subtractingReportingOverflow(other)
            case .multiply: multipliedReportingOverflow(by: other)
            case .divide: dividedReportingOverflow(by: other)
            case .remainder: remainderReportingOverflow(dividingBy: other)
            }
        if isTooGreat { throw MissingValue.overflow(Self.self) }
        return value
    }
}

/// The result for integers of a fixed width; nil for other numbers.
private func result<Operand>(_ one: Operand, _ operation: IntegerOperation, _ other: Operand) throws -> Operand? {
    try (one as? any FixedWidthInteger)?.result(operation, other) as? Operand
}

extension PredicateExpressions.Arithmetic: CheckedPredicateExpression {
    /// The result, without an overflow.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameter bindings: The values of variables.
    /// - Throws: An error for a result that the type does not have.
    public func checkedValue(_ bindings: PredicateBindings) throws -> Output {
        let (one, other) = (try lhs.evaluate(bindings), try rhs.evaluate(bindings))
        switch op {
        case .add: return try result(one, .add, other) ?? one + other
        case .subtract: return try result(one, .subtract, other) ?? one - other
        case .multiply: return try result(one, .multiply, other) ?? one * other
        @unknown default: return try evaluate(bindings)
        }
    }
}

extension PredicateExpressions.IntDivision: CheckedPredicateExpression {
    /// The quotient.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameter bindings: The values of variables.
    /// - Throws: An error for a division by zero.
    public func checkedValue(_ bindings: PredicateBindings) throws -> Output {
        let (one, other) = (try lhs.evaluate(bindings), try rhs.evaluate(bindings))
        return try result(one, .divide, other) ?? one / other
    }
}

extension PredicateExpressions.IntRemainder: CheckedPredicateExpression {
    /// The remainder.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameter bindings: The values of variables.
    /// - Throws: An error for a division by zero.
    public func checkedValue(_ bindings: PredicateBindings) throws -> Output {
        let (one, other) = (try lhs.evaluate(bindings), try rhs.evaluate(bindings))
        return try result(one, .remainder, other) ?? one % other
    }
}

extension PredicateExpressions.UnaryMinus: CheckedPredicateExpression {
    /// The negative number.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameter bindings: The values of variables.
    /// - Throws: An error for a result that the type does not have.
    public func checkedValue(_ bindings: PredicateBindings) throws -> Output {
        let number = try wrapped.evaluate(bindings)
        return try result(0, .subtract, number) ?? -number
    }
}

// MARK: - Ranges

extension PredicateExpressions.Range: CheckedPredicateExpression {
    /// The range.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameter bindings: The values of variables.
    /// - Throws: An error if the lower bound is the greater one.
    public func checkedValue(_ bindings: PredicateBindings) throws -> Output {
        let (low, high) = (try lower.evaluate(bindings), try upper.evaluate(bindings))
        guard low <= high else { throw MissingValue.range }
        return low..<high
    }
}

extension PredicateExpressions.ClosedRange: CheckedPredicateExpression {
    /// The range.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameter bindings: The values of variables.
    /// - Throws: An error if the lower bound is the greater one.
    public func checkedValue(_ bindings: PredicateBindings) throws -> Output {
        let (low, high) = (try lower.evaluate(bindings), try upper.evaluate(bindings))
        guard low <= high else { throw MissingValue.range }
        return low...high
    }
}
