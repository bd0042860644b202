extension NSExpression.Payload {
    /// Whether two expressions have equal content. Constants are equal when a predicate takes them for equal.
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
        case (.fetch(let a, let b, let p), .fetch(let x, let y, let q)):
            return p == q && a == x && b == y
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
        let type = type(of: value)
        if type == String.self || type == Date.self || type == UUID.self || type is AnyClass { return value }
        if type == Decimal.self { return NSDecimalNumber(decimal: value as! Decimal) }
        if let number = value as? NSNumber { return number }
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional ? bridged(mirror.children.first?.value) : value
    }

    /// A text that is equal for equal values.
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

extension NSExpression.Payload {
    /// One more than the highest part.
    var height: Int {
        switch self {
        case .constant, .evaluatedObject, .variable, .anyKey, .subclass, .keyPath(_, nil): 1
        case .keyPath(_, let operand?): 1 + operand.height
        case .function(_, let target, let arguments):
            1 + max(target?.height ?? 0, arguments.reduce(0) { max($0, $1.height) })
        case .set(_, let left, let right): 1 + max(left.height, right.height)
        case .subquery(let collection, _, let predicate): 1 + max(collection.height, predicate.heightWithinExpression)
        case .aggregate(let elements), .block(_, let elements): 1 + elements.reduce(0) { max($0, $1.height) }
        case .fetch(let request, let context, _): 1 + max(request.height, context.height)
        case .conditional(let predicate, let whenTrue, let whenFalse):
            1 + max(predicate.heightWithinExpression, whenTrue.height, whenFalse.height)
        }
    }
}

extension NSPredicate {
    /// The height of the highest expression that is compared.
    var expressionHeight: Int {
        if let comparison = self as? NSComparisonPredicate {
            return max(comparison.leftExpression.height, comparison.rightExpression.height)
        }
        return (self as? NSCompoundPredicate)?.operandHeight ?? 0
    }

    /// The levels that a predicate within an expression adds to the expression's height. Compounds count up to the
    /// depth to which recursive calls follow them.
    fileprivate var heightWithinExpression: Int {
        let levels = (self as? NSCompoundPredicate)?.height ?? 0
        return 1 + min(levels, NSCompoundPredicate.shallowHeight) + expressionHeight
    }
}
