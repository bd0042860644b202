import Foundation

// Comparisons and their combinations in a `#Predicate`.

extension PredicateTranslator {
    /// Whether two parts are equal.
    fileprivate mutating func equality(_ left: Any, _ right: Any) throws -> NSPredicate {
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
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .condition(try translator.equality(lhs, rhs))
    }
}

extension PredicateExpressions.NotEqual: PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let equality = try translator.equality(lhs, rhs)
        guard let comparison = equality as? NSComparisonPredicate, comparison.predicateOperatorType == .equalTo else {
            return .condition(PredicateTranslator.not(equality))
        }
        return .condition(
            PredicateTranslator.comparison(
                comparison.leftExpression, .notEqualTo, comparison.rightExpression, options: comparison.options))
    }
}

extension PredicateExpressions.Comparison: PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
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
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let parts = [try translator.condition(lhs), try translator.condition(rhs)]
        return .condition(NSCompoundPredicate(andPredicateWithSubpredicates: parts))
    }
}

extension PredicateExpressions.Disjunction: PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let parts = [try translator.condition(lhs), try translator.condition(rhs)]
        return .condition(NSCompoundPredicate(orPredicateWithSubpredicates: parts))
    }
}

extension PredicateExpressions.Negation: PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .condition(PredicateTranslator.not(try translator.condition(wrapped)))
    }
}

extension PredicateExpressions.Conditional: PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .value(
            NSExpression(
                forConditional: try translator.condition(test), trueExpression: try translator.value(trueBranch),
                falseExpression: try translator.value(falseBranch)))
    }
}

// MARK: - Ranges

extension PredicateExpressions.Range: PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .range(try translator.value(lower), try translator.value(upper), includesUpper: false)
    }
}

extension PredicateExpressions.ClosedRange: PredicateTranslatable {
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
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .condition(try translator.isContained(element, translator.part(range)))
    }
}

// MARK: - Collections

extension PredicateExpressions.SequenceContains: PredicateTranslatable {
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
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let matches = try translator.subquery(sequence, variable, test)
        return .condition(
            PredicateTranslator.number(.notEqualTo, PredicateTranslator.count(of: matches, isText: false)))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let failures = try translator.subquery(sequence, variable, test, negated: true)
        return .condition(PredicateTranslator.number(.equalTo, PredicateTranslator.count(of: failures, isText: false)))
    }
}

extension PredicateExpressions.Filter: PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .value(try translator.subquery(sequence, variable, filter))
    }
}

extension PredicateExpressions.SequenceMaximum: PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .value(PredicateTranslator.function("max:", try translator.value(elements)))
    }
}

extension PredicateExpressions.SequenceMinimum: PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .value(PredicateTranslator.function("min:", try translator.value(elements)))
    }
}

extension PredicateExpressions.CollectionIndexSubscript: PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .value(
            PredicateTranslator.function(
                "objectFrom:withIndex:", try translator.value(wrapped), try translator.value(index)))
    }
}

extension PredicateExpressions.DictionaryKeySubscript: PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .value(
            PredicateTranslator.function(
                "objectFrom:withIndex:", try translator.value(wrapped), try translator.value(key)))
    }
}
