import Foundation

/// The translation of AND, OR and NOT into SQL.
///
/// Databases limit the depth of nested conditions, so nested conditions are flattened here. A chain of one kind becomes
/// one list. NOT stands before single comparisons. Many equalities of one key become one list of values.
extension SQLFetchTranslator {
    /// The greatest depth of nested AND, OR and NOT. Each level is a level of calls here and in the database.
    private static let levelLimit = 200

    /// From this depth on a part comes first in its list, where a parser has to keep only a parenthesis for it.
    private static let deepLevels = 8

    /// From this number on, equalities of one key become a list of values.
    private static let listLength = 8

    package func condition(_ predicate: NSPredicate, in frame: SQLFrame) throws -> SQLExpression {
        let predicate = predicate.drawnTogether
        if let compound = predicate as? NSCompoundPredicate, compound.height > Self.levelLimit {
            throw Self.failure(
                "\(compound.height) levels of AND, OR and NOT within each other, and \(Self.levelLimit) is the most. "
                    + "Conditions joined by AND alone or by OR alone are one level, however many there are.")
        }
        return try condition(predicate, isNegated: false, in: frame)
    }

    /// The condition that is true if the given one is not.
    package func negation(of condition: SQLExpression) -> SQLExpression {
        .not(decidesByObject ? .function(.coalesce, [condition, .value(.int(0))]) : condition)
    }

    /// NOT is moved inwards: NOT (a AND b) is NOT a OR NOT b. So it adds no level.
    private func condition(_ predicate: NSPredicate, isNegated: Bool, in frame: SQLFrame) throws -> SQLExpression {
        switch predicate.form {
        case .constant(let value):
            return value != isNegated ? .alwaysTrue : .alwaysFalse
        case .compound(let compound):
            guard compound.compoundPredicateType != .not else {
                return try condition(compound.parts[0], isNegated: !isNegated, in: frame)
            }
            let isAnd = (compound.compoundPredicateType == .and) != isNegated
            let joined = compound.compoundPredicateType == .or ? Self.joiningEqualities(compound.parts) : compound.parts
            var conditions: [SQLExpression] = []
            for part in Self.deepestFirst(joined) {
                switch try condition(part, isNegated: isNegated, in: frame) {
                case .and(let inner) where isAnd: conditions += inner
                case .or(let inner) where !isAnd: conditions += inner
                case let other: conditions.append(other)
                }
            }
            return isAnd ? .and(conditions) : .or(conditions)
        case .comparison(let comparison):
            let condition = try comparisonCondition(comparison, in: frame)
            return isNegated ? negation(of: condition) : condition
        case .opaque(let predicate):
            throw Self.failure(predicate.printed)
        }
    }

    private static func deepestFirst(_ parts: [NSPredicate]) -> [NSPredicate] {
        func height(_ part: NSPredicate) -> Int { (part as? NSCompoundPredicate)?.height ?? 0 }
        guard let deepest = parts.indices.max(by: { height(parts[$0]) < height(parts[$1]) }), deepest > 0,
            height(parts[deepest]) > deepLevels
        else { return parts }
        var result = parts
        result.insert(result.remove(at: deepest), at: 0)
        return result
    }

    /// `key == 1 OR key == 2 OR …` as `key IN {1, 2, …}`, if there are many values for one key.
    private static func joiningEqualities(_ parts: [NSPredicate]) -> [NSPredicate] {
        guard parts.count >= listLength else { return parts }
        let equalities = parts.map(Equality.init)
        var values: [String: [Any]] = [:]
        for case let equality? in equalities { values[equality.path, default: []].append(equality.value) }
        var result: [NSPredicate] = []
        for (part, equality) in zip(parts, equalities) {
            guard let equality, let list = values[equality.path], list.isEmpty || list.count >= listLength else {
                result.append(part)
                continue
            }
            // The list replaces all of these equalities, in the place of the first one.
            guard !list.isEmpty else { continue }
            values[equality.path] = []
            result.append(
                NSComparisonPredicate(
                    leftExpression: equality.key, rightExpression: NSExpression(forConstantValue: list),
                    modifier: .direct, type: .in))
        }
        return result
    }

    /// A comparison of one key with one value for equality.
    private struct Equality {
        let path: String
        let key: NSExpression
        let value: Any

        init?(_ predicate: NSPredicate) {
            guard let comparison = predicate as? NSComparisonPredicate, comparison.predicateOperatorType == .equalTo,
                comparison.comparisonPredicateModifier == .direct,
                comparison.options.subtracting(.normalized).isEmpty
            else { return nil }
            let sides = [comparison.leftExpression, comparison.rightExpression]
            for (key, value) in [(sides[0], sides[1]), (sides[1], sides[0])] {
                guard let path = Self.path(key), case .constant(let value?, let known) = value.payload else { continue }
                switch known {
                case .null, .collection, .other: return nil
                default: (self.path, self.key, self.value) = (path, key, value)
                }
                return
            }
            return nil
        }

        private static func path(_ expression: NSExpression) -> String? {
            switch expression.payload {
            case .evaluatedObject: return "SELF"
            case .keyPath(let path, operand: nil): return path.text
            case .keyPath(let path, operand: let operand?):
                guard case .variable(let name) = operand.payload else { return nil }
                return "$\(name).\(path.text)"
            default: return nil
            }
        }
    }
}
