import Foundation

// Comparisons and their combinations in a `#Predicate`.

extension PredicateTranslator {
    /// Whether two parts are equal, whose values have a type.
    fileprivate mutating func equality(_ left: Any, _ right: Any, of type: any Any.Type) throws -> NSPredicate {
        if let parts = PredicateExtension.current?.parts(of: type) { return try equality(left, right, in: parts) }
        if let outcome = Self.outcome(in: left) ?? Self.outcome(in: right) {
            let other = Self.outcome(in: left) == nil ? left : right
            guard case .order(let a, let b, let options, let isLocalized) = try part(other),
                !isLocalized || outcome == .equalTo
            else { throw Untranslatable() }
            return Self.comparison(a, outcome, b, options: options)
        }
        switch (try part(left), try part(right)) {
        case (.value(let a), .value(let b)):
            return Self.comparison(a, .equalTo, b)
        case (.optionalCondition(let condition, let isThere), .value(let constant)),
            (.value(let constant), .optionalCondition(let condition, let isThere)):
            guard case .constant(let value, _) = constant.payload else { break }
            guard let value else { return Self.not(isThere) }
            guard let value = value as? Bool else { throw Untranslatable() }
            return value ? condition : Self.both(isThere, Self.not(condition))
        case (.condition(let condition), .value(let constant)), (.value(let constant), .condition(let condition)):
            guard case .constant(let value?, _) = constant.payload, let value = value as? Bool else { break }
            return value ? condition : Self.not(condition)
        default:
            break
        }
        return Self.comparison(try value(left), .equalTo, try value(right))
    }

    /// Whether two values are equal that a store keeps in several places.
    private mutating func equality(_ left: Any, _ right: Any, in parts: [String]) throws -> NSPredicate {
        let conditions: [NSPredicate]
        switch (left as? any CapturedPart, right as? any CapturedPart) {
        case (nil, nil):
            let (one, other) = (try value(left), try value(right))
            conditions = try parts.map {
                Self.comparison(try Self.part($0, of: one), .equalTo, try Self.part($0, of: other))
            }
        case (let captured?, _), (_, let captured?):
            let whole = try value(left is any CapturedPart ? right : left)
            conditions = try Self.tests(of: captured.captured, parts).map { test in
                let part = try Self.part(test.key, of: whole)
                guard case .equals(let value) = test.test else { return Self.isThere(part) }
                return Self.comparison(part, .equalTo, try PredicateConstant.expression(value as Any))
            }
        }
        return NSCompoundPredicate(andPredicateWithSubpredicates: conditions)
    }

    private static func tests(of value: Any?, _ parts: [String]) throws -> [PartCondition] {
        guard let value else { return parts.map { PartCondition($0, .equals(nil)) } }
        guard let tests = PredicateExtension.current?.conditions(on: value) else { throw Untranslatable() }
        return tests
    }

    /// The operator that a `ComparisonResult` among the constants stands for.
    private static func outcome(in part: Any) -> NSComparisonPredicate.Operator? {
        guard let constant = part as? PredicateExpressions.Value<ComparisonResult> else { return nil }
        return switch constant.value {
        case .orderedAscending: .lessThan
        case .orderedSame: .equalTo
        case .orderedDescending: .greaterThan
        }
    }
}

extension PredicateExpressions.Equal: PredicateTranslatable {
    var operands: [Any] { [lhs, rhs] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .condition(try translator.equality(lhs, rhs, of: LHS.Output.self))
    }
}

extension PredicateExpressions.NotEqual: PredicateTranslatable {
    var operands: [Any] { [lhs, rhs] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let equality = try translator.equality(lhs, rhs, of: LHS.Output.self)
        guard let comparison = equality as? NSComparisonPredicate, comparison.predicateOperatorType == .equalTo else {
            return .condition(PredicateTranslator.not(equality))
        }
        return .condition(
            PredicateTranslator.comparison(
                comparison.leftExpression, .notEqualTo, comparison.rightExpression, options: comparison.options))
    }
}

extension PredicateExpressions.Comparison: PredicateTranslatable {
    var operands: [Any] { [lhs, rhs] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        try PredicateTranslator.requireOrder(LHS.Output.self)
        let type: NSComparisonPredicate.Operator =
            switch op {
            case .lessThan: .lessThan
            case .lessThanOrEqual: .lessThanOrEqualTo
            case .greaterThan: .greaterThan
            case .greaterThanOrEqual: .greaterThanOrEqualTo
            @unknown default: throw Untranslatable()
            }
        return .condition(PredicateTranslator.comparison(try translator.value(lhs), type, try translator.value(rhs)))
    }
}

extension PredicateExpressions.Conjunction: PredicateTranslatable {
    var operands: [Any] { [lhs, rhs] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let parts = [try translator.condition(lhs), try translator.condition(rhs)]
        return .condition(NSCompoundPredicate(andPredicateWithSubpredicates: parts))
    }
}

extension PredicateExpressions.Disjunction: PredicateTranslatable {
    var operands: [Any] { [lhs, rhs] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let parts = [try translator.condition(lhs), try translator.condition(rhs)]
        return .condition(NSCompoundPredicate(orPredicateWithSubpredicates: parts))
    }
}

extension PredicateExpressions.Negation: PredicateTranslatable {
    var operands: [Any] { [wrapped] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .condition(PredicateTranslator.not(try translator.condition(wrapped)))
    }
}

extension PredicateExpressions.Conditional: PredicateTranslatable {
    var operands: [Any] { [test, trueBranch, falseBranch] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        try PredicateTranslator.requireOnePart(Output.self)
        return .value(
            NSExpression(
                forConditional: try translator.condition(test), trueExpression: try translator.value(trueBranch),
                falseExpression: try translator.value(falseBranch)))
    }
}

/// A part that is a constant.
private protocol CapturedPart {
    /// The value without its optional.
    var captured: Any? { get }
}

extension PredicateExpressions.Value: CapturedPart {
    fileprivate var captured: Any? {
        guard let optional = value as? any CapturedOptional else { return value }
        return optional.wrapped
    }
}

extension PredicateExpressions.NilLiteral: CapturedPart {
    fileprivate var captured: Any? { nil }
}

// MARK: - Types

extension PredicateExpressions.TypeCheck: PredicateTranslatable {
    var operands: [Any] { [input] }

    /// Whether an object is of a class: whether it is of the class's entity or of a subentity.
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        guard let entities = PredicateExtension.current?.entities(of: Desired.self) else { throw Untranslatable() }
        let entity = PredicateTranslator.path("entity", from: try translator.value(input))
        let conditions = entities.map {
            PredicateTranslator.comparison(entity, .equalTo, NSExpression(forConstantValue: $0))
        }
        return .condition(NSCompoundPredicate(orPredicateWithSubpredicates: conditions))
    }
}

// MARK: - Ranges

extension PredicateExpressions.Range: PredicateTranslatable {
    var operands: [Any] { [lower, upper] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .range(try translator.value(lower), try translator.value(upper), includesUpper: false)
    }
}

extension PredicateExpressions.ClosedRange: PredicateTranslatable {
    var operands: [Any] { [lower, upper] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .range(try translator.value(lower), try translator.value(upper), includesUpper: true)
    }
}

extension PredicateTranslator {
    /// Whether a value lies in a range.
    fileprivate mutating func isContained(_ element: Any, _ range: TranslatedPart) throws -> NSPredicate {
        guard case .range(let lower, let upper, let includesUpper) = range else { throw Untranslatable() }
        let element = try value(element)
        if let lower, let upper, includesUpper {
            // Two constant bounds become one constant, so that the store can use an index.
            let bounds: NSExpression =
                if case .constant(let a?, _) = lower.payload, case .constant(let b?, _) = upper.payload {
                    NSExpression(forConstantValue: [a, b])
                } else {
                    NSExpression(forAggregate: [lower, upper])
                }
            if case .constant = bounds.payload { return Self.comparison(element, .between, bounds) }
        }
        var parts: [NSPredicate] = []
        if let lower { parts.append(Self.comparison(element, .greaterThanOrEqualTo, lower)) }
        if let upper { parts.append(Self.comparison(element, includesUpper ? .lessThanOrEqualTo : .lessThan, upper)) }
        return parts.count == 1 ? parts[0] : NSCompoundPredicate(andPredicateWithSubpredicates: parts)
    }
}

extension PredicateExpressions.RangeExpressionContains: PredicateTranslatable {
    var operands: [Any] { [range, element] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .condition(try translator.isContained(element, translator.part(range)))
    }
}

// MARK: - Collections

extension PredicateExpressions.SequenceContains: PredicateTranslatable {
    var operands: [Any] { [sequence, element] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        switch try translator.part(sequence) {
        case .range(let lower, let upper, let includesUpper):
            return .condition(
                try translator.isContained(element, .range(lower, upper, includesUpper: includesUpper)))
        case .value(let collection):
            let element = try translator.value(element)
            if case .constant = collection.payload, !(LHS.Output.self is any StringProtocol.Type) {
                return .condition(PredicateTranslator.comparison(element, .in, collection))
            }
            return .condition(PredicateTranslator.comparison(collection, .contains, element))
        case .condition, .optionalCondition, .order: throw Untranslatable()
        }
    }
}

extension PredicateExpressions.SequenceContainsWhere: PredicateTranslatable {
    var operands: [Any] { [sequence, test] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let matches = try translator.subquery(sequence, variable, test)
        return .condition(
            PredicateTranslator.number(.notEqualTo, PredicateTranslator.count(of: matches, isText: false)))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: PredicateTranslatable {
    var operands: [Any] { [sequence, test] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let failures = try translator.subquery(sequence, variable, test, negated: true)
        return .condition(PredicateTranslator.number(.equalTo, PredicateTranslator.count(of: failures, isText: false)))
    }
}

extension PredicateExpressions.Filter: PredicateTranslatable {
    var operands: [Any] { [sequence, filter] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .value(try translator.subquery(sequence, variable, filter))
    }
}

extension PredicateExpressions.SequenceMaximum: PredicateTranslatable {
    var operands: [Any] { [elements] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .value(PredicateTranslator.function("max:", try translator.value(elements)))
    }
}

extension PredicateExpressions.SequenceMinimum: PredicateTranslatable {
    var operands: [Any] { [elements] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .value(PredicateTranslator.function("min:", try translator.value(elements)))
    }
}

extension PredicateExpressions.CollectionIndexSubscript: PredicateTranslatable {
    var operands: [Any] { [wrapped, index] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        try PredicateTranslator.requireOrder(Wrapped.Output.self)
        return .value(
            PredicateTranslator.function(
                "objectFrom:withIndex:", try translator.value(wrapped), try translator.value(index)))
    }
}

extension PredicateExpressions.DictionaryKeySubscript: PredicateTranslatable {
    var operands: [Any] { [wrapped, key] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .value(
            PredicateTranslator.function(
                "objectFrom:withIndex:", try translator.value(wrapped), try translator.value(key)))
    }
}
