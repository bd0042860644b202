/// A text that is equal only to texts of the same bytes, as in a store.
struct StoredText: Hashable {
    let text: String

    static func == (one: StoredText, other: StoredText) -> Bool {
        StringComparison.areIdentical(one.text, other.text)
    }
}

/// A constant right side that is prepared once, and not for each object.
enum PreparedOperand {
    case nothing
    case constant(ExpressionValue)
    case pattern(WildcardPattern)
    case regularExpression(NSRegularExpression)
    case strings(Set<StoredText>)
    case integers(Set<Int64>)
    case values([ExpressionValue])

    init(_ right: NSExpression, _ type: NSComparisonPredicate.Operator, _ options: NSComparisonPredicate.Options) {
        if case .constant(_, let value) = right.payload {
            self = .constant(value)
        } else {
            self = .nothing
        }
        switch type {
        case .like, .matches, .in, .between: break
        default: return
        }
        switch (type, right.constantOperand) {
        case (.like, .string(let pattern)):
            self = .pattern(WildcardPattern(pattern, options: options))
        case (.matches, .string(let pattern)):
            if let expression = try? Self.regularExpression(pattern, options) { self = .regularExpression(expression) }
        case (.in, let operand?), (.between, let operand?):
            guard let elements = operand.elements else { return }
            let values = elements.map(ExpressionValue.init)
            self = .values(values)
            // Short lists are compared faster than hashed.
            guard type == .in, options.isEmpty, values.count > 4 else { return }
            let integers = values.compactMap { if case .int(let value) = $0 { value } else { nil } }
            let strings = values.compactMap { if case .string(let value) = $0 { value } else { nil } }
            if integers.count == values.count { self = .integers(Set(integers)) }
            if strings.count == values.count { self = .strings(Set(strings.map(StoredText.init))) }
        default:
            break
        }
    }

    /// A regular expression that has to match a whole string.
    static func regularExpression(
        _ pattern: String, _ options: NSComparisonPredicate.Options
    ) throws -> NSRegularExpression {
        let pattern = StringComparison.fold(pattern, options.intersection(.diacriticInsensitive))
        return try NSRegularExpression.limited(
            "\\A(?:\(pattern))\\z", options: options.contains(.caseInsensitive) ? [.caseInsensitive] : [])
    }
}

extension NSExpression {
    /// The key, when the expression is one key of the evaluated object.
    var singleKey: String? {
        guard case .keyPath(let path, nil) = payload, path.keys.count == 1, !path.isOperator else { return nil }
        return path.text == "self" || path.text == "SELF" ? nil : path.text
    }

    /// The expressions of a constant array as an aggregate of expressions, because bounds and members may be given in
    /// such an array.
    var withExpressionsSpread: NSExpression {
        guard case .constant(let elements as [Any], _) = payload, elements.contains(where: { $0 is NSExpression })
        else {
            return self
        }
        return NSExpression(forAggregate: elements)
    }

    /// The value of a constant, or of an aggregate of constants.
    fileprivate var constantOperand: ExpressionValue? {
        switch payload {
        case .constant(_, let value):
            return value
        case .aggregate(let elements):
            var values: [Any] = []
            for element in elements {
                guard case .constant(let value, _) = element.payload else { return nil }
                values.append(value ?? NSNull())
            }
            return .collection(values)
        default:
            return nil
        }
    }
}

extension NSComparisonPredicate {
    func compares(_ context: EvaluationContext) -> Bool {
        let left =
            if let leftKey, let readable = context.readable {
                readable.expressionValue(forKey: leftKey)
            } else {
                leftExpression.comparisonValue(in: context)
            }
        // The prepared operand replaces the right side.
        let right: ExpressionValue
        switch prepared {
        case .constant(let value): right = value
        case .nothing: right = rightExpression.comparisonValue(in: context)
        default: right = .null
        }
        switch comparisonPredicateModifier {
        case .direct:
            return compare(left, right)
        case .any:
            return elements(left).contains { compare(ExpressionValue($0), right) }
        case .all:
            return elements(left).allSatisfy { compare(ExpressionValue($0), right) }
        }
    }

    private func elements(_ value: ExpressionValue) -> [Any] {
        switch value {
        case .null: []
        case .collection(let elements): elements
        case .string(let text): [text]
        default: value.elements ?? [value.boxed]
        }
    }

    private func compare(_ left: ExpressionValue, _ right: ExpressionValue) -> Bool {
        switch predicateOperatorType {
        case .equalTo: areEqual(left, right)
        case .notEqualTo: !areEqual(left, right)
        case .lessThan: order(left, right) == .orderedAscending
        case .greaterThan: order(left, right) == .orderedDescending
        case .lessThanOrEqualTo: order(left, right).map { $0 != .orderedDescending } ?? false
        case .greaterThanOrEqualTo: order(left, right).map { $0 != .orderedAscending } ?? false
        case .between: isBetween(left, right)
        case .in: isElement(left, of: right)
        case .contains: isElement(right, of: left)
        case .like, .matches, .beginsWith, .endsWith: compareText(left, right)
        }
    }

    /// `[n]` alone compares as without options.
    private var stringOptions: Options { options.subtracting(.normalized) }

    private func areEqual(_ left: ExpressionValue, _ right: ExpressionValue) -> Bool {
        if case .string(let a) = left, case .string(let b) = right {
            return StringComparison.areEqual(a, b, stringOptions)
        }
        return ExpressionValue.areEqual(left, right)
    }

    private func order(_ left: ExpressionValue, _ right: ExpressionValue) -> ComparisonResult? {
        if case .string(let a) = left, case .string(let b) = right {
            return StringComparison.compare(a, b, stringOptions)
        }
        return ExpressionValue.compare(left, right)
    }

    private func isBetween(_ left: ExpressionValue, _ right: ExpressionValue) -> Bool {
        let bounds: [ExpressionValue]
        if case .values(let values) = prepared {
            bounds = values
        } else if let elements = right.elements {
            bounds = elements.map(ExpressionValue.init)
        } else {
            return false
        }
        guard bounds.count == 2, let low = order(left, bounds[0]), let high = order(left, bounds[1]) else {
            return false
        }
        return low != .orderedAscending && high != .orderedDescending
    }

    /// Whether `element` is in `collection`: one of its elements, or a part of a string.
    private func isElement(_ element: ExpressionValue, of collection: ExpressionValue) -> Bool {
        switch (prepared, element) {
        case (.strings(let set), .string(let value)): return set.contains(StoredText(text: value))
        case (.integers(let set), .int(let value)): return set.contains(value)
        case (.strings, _): return false
        case (.integers(let set), _):
            return set.contains { areEqual(element, .int($0)) }
        case (.values(let values), _): return values.contains { areEqual(element, $0) }
        default: break
        }
        if case .string(let text) = collection {
            guard case .string(let part) = element else { return false }
            return StringComparison.contains(text, part, stringOptions)
        }
        return collection.elements?.contains { areEqual(element, ExpressionValue($0)) } ?? false
    }

    private func compareText(_ left: ExpressionValue, _ right: ExpressionValue) -> Bool {
        guard case .string(let text) = left else { return false }
        switch prepared {
        case .pattern(let pattern): return pattern.matches(text)
        case .regularExpression(let expression): return matches(text, expression)
        default: break
        }
        guard case .string(let other) = right else { return false }
        switch predicateOperatorType {
        case .beginsWith: return StringComparison.hasPrefix(text, other, stringOptions)
        case .endsWith: return StringComparison.hasSuffix(text, other, stringOptions)
        case .like: return WildcardPattern(other, options: stringOptions).matches(text)
        default:
            do {
                return matches(text, try PreparedOperand.regularExpression(other, options))
            } catch {
                UndecidedPredicate.note(
                    "Can't do regex matching, reason: Can't open pattern (string \(text), pattern \(other))")
                return false
            }
        }
    }

    private func matches(_ text: String, _ expression: NSRegularExpression) -> Bool {
        let folded = StringComparison.fold(text, options.intersection(.diacriticInsensitive))
        return expression.hasMatch(in: folded)
    }
}

extension ExpressionValue {
    /// The value as `Any`, for code that sorts values by kind again.
    fileprivate var boxed: Any {
        switch self {
        case .null: NSNull()
        case .int(let value): value
        case .double(let value): value
        case .decimal(let value): value
        case .string(let value): value
        case .date(let value): Date(timeIntervalSinceReferenceDate: value)
        case .data(let value): value
        case .uuid(let value): value
        case .url(let value): value
        case .collection(let value): value
        case .object(let value): value
        case .other(let value): value
        }
    }
}
