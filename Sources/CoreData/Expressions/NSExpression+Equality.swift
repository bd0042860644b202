extension NSExpression.Payload {
    static func makeConstant(_ value: Any?) -> NSExpression.Payload {
        let value = ExpressionValue.bridged(value)
        return .constant(value, ExpressionValue(value))
    }

    /// Whether two expressions say the same. Constants are equal when a predicate would call them equal.
    func isEqual(to other: NSExpression.Payload) -> Bool {
        switch (self, other) {
        case (.constant(_, let a), .constant(_, let b)):
            return ExpressionValue.areEqual(a, b)
        case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey):
            return true
        case (.variable(let a), .variable(let b)):
            return a == b
        case (.keyPath(let a, let x), .keyPath(let b, let y)):
            return a.text == b.text && x == y
        case (.function(let a, let x, let p), .function(let b, let y, let q)):
            return a == b && x == y && p == q
        case (.set(let operation, let a, let b), .set(let other, let x, let y)):
            return operation == other && a == x && b == y
        case (.subquery(let a, let x, let p), .subquery(let b, let y, let q)):
            return a == b && x == y && p == q
        case (.aggregate(let a), .aggregate(let b)):
            return a == b
        case (.conditional(let p, let a, let b), .conditional(let q, let x, let y)):
            return p == q && a == x && b == y
        default:
            return false
        }
    }
}

extension ExpressionValue {
    /// `value` as Foundation would hold it: Swift's numbers and Booleans as `NSNumber`, `Decimal` as `NSDecimalNumber`.
    static func bridged(_ value: Any?) -> Any? {
        guard let value else { return nil }
        switch value {
        case let number as NSNumber:
            return number
        case let decimal as Decimal:
            return NSDecimalNumber(decimal: decimal)
        default:
            break
        }
        let mirror = type(of: value) is AnyClass ? nil : Mirror(reflecting: value)
        guard mirror?.displayStyle == .optional else { return value }
        return bridged(mirror?.children.first?.value)
    }

    /// A text that is the same for values that are equal.
    var hashText: String {
        switch self {
        case .collection(let elements): "{\(elements.count)}"
        case .object, .other: ""
        case .double, .decimal: "\(doubleValue ?? 0)"
        case .int(let value): "\(Double(value))"
        default: printed
        }
    }
}
