import Foundation

/// Translates the comparison of two operands.
package struct SQLComparison {
    package let translator: SQLFetchTranslator
    package let comparison: NSComparisonPredicate

    var options: NSComparisonPredicate.Options { comparison.options.subtracting(.normalized) }
    private var type: NSComparisonPredicate.Operator { comparison.predicateOperatorType }

    func failure() -> NSError { SQLFetchTranslator.failure(comparison.printed) }

    /// A comparison without ANY or ALL, in which a side may be a whole collection.
    package func compareWhole(_ left: SQLOperand, _ right: SQLOperand) throws -> SQLExpression {
        switch (type, left, right) {
        case (.contains, .members(let members), _):
            return try translator.exists(members) { try equal($0, right) }
        case (.in, _, .members(let members)):
            return try translator.exists(members) { try equal(left, $0) }
        case (.equalTo, .members, .constant(.null)), (.equalTo, .constant(.null), .members),
            (.notEqualTo, .members, .constant(.null)), (.notEqualTo, .constant(.null), .members):
            return try comparedWithNull(left, right)
        case (_, .members, _), (_, _, .members):
            throw SQLFetchTranslator.failure("to-many key not allowed here: \(comparison.printed)")
        default:
            return try compare(left, right)
        }
    }

    /// Whether a relationship has no members, or has some. If predicates are evaluated object by object, an empty set
    /// is not nil, and only the relationship of a missing owner is nil.
    private func comparedWithNull(_ left: SQLOperand, _ right: SQLOperand) throws -> SQLExpression {
        guard case .members(let members) = left else { return try comparedWithNull(right, left) }
        if translator.decidesByObject {
            return type == .equalTo ? .isNull(members.owner) : .isNotNull(members.owner)
        }
        let some = try translator.exists(members) { _ in .alwaysTrue }
        return type == .equalTo ? .not(some) : some
    }

    /// A comparison of two single values (the right one may be a constant collection).
    package func compare(_ left: SQLOperand, _ right: SQLOperand) throws -> SQLExpression {
        if case .members(let members) = right {
            // ANY left = right.x: both sides are collections.
            return try translator.exists(members) { try compare(left, $0) }
        }
        // `equal` checks the families by itself.
        if type != .equalTo, let answer = try comparedWithOtherFamily(left, right) { return answer }
        switch type {
        case .equalTo: return try equal(left, right)
        case .notEqualTo: return try notEqual(left, right)
        case .lessThan: return try ordered(.less, left, right)
        case .lessThanOrEqualTo: return try ordered(.lessOrEqual, left, right)
        case .greaterThan: return try ordered(.greater, left, right)
        case .greaterThanOrEqualTo: return try ordered(.greaterOrEqual, left, right)
        case .between: return try between(left, right)
        case .in: return try isIn(left, right)
        case .contains:
            if case .constant(.collection(let elements)) = left { return try isIn(right, elements) }
            return try text(.contains, left, right)
        case .beginsWith: return try beginsWith(left, right)
        case .endsWith: return try text(.endsWith, left, right)
        case .like: return try text(.like, left, right)
        case .matches: return try text(.matches, left, right)
        }
    }

    /// A comparison of a value with a list whose elements are values of rows.
    package func compare(_ left: SQLOperand, toList elements: [SQLOperand]) throws -> SQLExpression {
        switch type {
        case .between where elements.count == 2:
            return .and([
                try orderedInFamily(.greaterOrEqual, left, elements[0]),
                try orderedInFamily(.lessOrEqual, left, elements[1]),
            ])
        case .in: return .or(try elements.map { try equal(left, $0) })
        default: throw failure()
        }
    }

    // MARK: Equality and order

    func kind(_ operand: SQLOperand) -> SlotKind? {
        switch operand {
        case .value(_, let kind): kind
        case .object: .reference
        case .entity: .entityNumber
        case .members, .constant: nil
        }
    }

    /// The entity of the rows whose keys an operand has.
    func layout(_ operand: SQLOperand) -> EntityLayout? {
        if case .object(_, let layout, _) = operand { layout } else { nil }
    }

    /// Whether both operands are keys of rows, and of different tables.
    private func areOfDifferentTables(_ left: SQLOperand, _ right: SQLOperand) -> Bool {
        guard let left = layout(left), let right = layout(right) else { return false }
        return left.rootIndex != right.rootIndex
    }

    func sql(_ operand: SQLOperand, beside other: SQLOperand) throws -> SQLExpression {
        switch operand {
        case .value(let value, _): return value
        case .object(let key, _, _): return key
        case .entity(let number): return number
        case .constant(let value): return try translator.bound(value, as: kind(other), amongRowsOf: layout(other))
        case .members: throw failure()
        }
    }

    private func isNull(_ operand: SQLOperand) -> Bool {
        if case .constant(.null) = operand { true } else { false }
    }

    private func equal(_ left: SQLOperand, _ right: SQLOperand) throws -> SQLExpression {
        if isNull(right) { return isNull(left) ? .alwaysTrue : .isNull(try sql(left, beside: right)) }
        if isNull(left) { return .isNull(try sql(right, beside: left)) }
        // Members of a collection come here by themselves.
        if let one = family(left), let other = family(right), one != other { return try noRow(left, right) }
        let (a, b) = (try sql(left, beside: right), try sql(right, beside: left))
        if areOfDifferentTables(left, right) {
            // If predicates are evaluated object by object, two missing objects are equal. Otherwise nothing is.
            return translator.decidesByObject ? .and([.isNull(a), .isNull(b)]) : .alwaysFalse
        }
        if usesText(left, right) {
            let equal = SQLExpression.function(.equalText, [a, b, optionsValue])
            return mayBothBeMissing(left, right) ? .or([equal, .and([.isNull(a), .isNull(b)])]) : equal
        }
        return .binary(mayBothBeMissing(left, right) ? .same : .equal, a, b)
    }

    /// Whether two missing values may be compared, and count as equal.
    private func mayBothBeMissing(_ left: SQLOperand, _ right: SQLOperand) -> Bool {
        if !translator.decidesByObject { return false }
        if case .constant = left { return false }
        if case .constant = right { return false }
        return true
    }

    /// As in SQL, and as in Apple's SQLite stores, a missing value is neither equal nor unequal to another value.
    private func notEqual(_ left: SQLOperand, _ right: SQLOperand) throws -> SQLExpression {
        if isNull(right) { return isNull(left) ? .alwaysFalse : .isNotNull(try sql(left, beside: right)) }
        if isNull(left) { return .isNotNull(try sql(right, beside: left)) }
        if usesText(left, right) { return translator.negation(of: try equal(left, right)) }
        if areOfDifferentTables(left, right) {
            let some = [
                SQLExpression.isNotNull(try sql(left, beside: right)), .isNotNull(try sql(right, beside: left)),
            ]
            return translator.decidesByObject ? .or(some) : .and(some)
        }
        return .binary(
            translator.decidesByObject ? .notSame : .notEqual, try sql(left, beside: right),
            try sql(right, beside: left))
    }

    func ordered(
        _ op: SQLExpression.Operator, _ left: SQLOperand, _ right: SQLOperand
    ) throws -> SQLExpression {
        if isNull(left) || isNull(right) { return .alwaysFalse }
        if isStranger(left, beside: right) || isStranger(right, beside: left) { return try noRow(left, right) }
        let (a, b) = (try sql(left, beside: right), try sql(right, beside: left))
        guard usesText(left, right) else { return .binary(op, a, b) }
        return .binary(op, .function(.fold, [a, optionsValue]), .function(.fold, [b, optionsValue]))
    }

    private func between(_ left: SQLOperand, _ right: SQLOperand) throws -> SQLExpression {
        guard case .constant(.collection(let bounds)) = right, bounds.count == 2 else { throw failure() }
        let low = SQLOperand.constant(ExpressionValue(bounds[0]))
        let high = SQLOperand.constant(ExpressionValue(bounds[1]))
        if isUnordered(left, low) || isUnordered(left, high) { return try noRow(left, right) }
        if usesText(left, low) {
            return .and([try ordered(.greaterOrEqual, left, low), try ordered(.lessOrEqual, left, high)])
        }
        if isNull(low) || isNull(high) { return .alwaysFalse }
        return .between(
            try sql(left, beside: low), try sql(low, beside: left), try sql(high, beside: left))
    }

    // MARK: Text

    var optionsValue: SQLExpression { .value(.int(Int64(options.rawValue))) }

    /// Whether the options for strings apply. They do not apply to numbers, dates and keys.
    private func usesText(_ left: SQLOperand, _ right: SQLOperand) -> Bool {
        if options.isEmpty { return false }
        func isText(_ operand: SQLOperand) -> Bool {
            switch operand {
            case .value(_, let kind): kind == nil || kind == .string || kind == .uri
            case .constant(.string): true
            case .object, .entity, .members, .constant: false
            }
        }
        return isText(left) && isText(right)
    }

    func text(
        _ function: SQLExpression.Function, _ left: SQLOperand, _ right: SQLOperand
    ) throws -> SQLExpression {
        if isNull(left) || isNull(right) { return .alwaysFalse }
        switch right {
        case .constant(.string), .value: break
        case .constant(.url): break
        default: throw failure()
        }
        if function == .matches, case .constant(.string(let pattern)) = right,
            (try? NSRegularExpression.limited(pattern)) == nil
        {
            throw NSComparisonPredicate.noRegularExpression(pattern)
        }
        return .function(
            function, [try sql(left, beside: right), try sql(right, beside: .value(.null, .string)), optionsValue])
    }

    /// A prefix that is compared byte by byte is a range, for which an index can be used.
    private func beginsWith(_ left: SQLOperand, _ right: SQLOperand) throws -> SQLExpression {
        guard options.isEmpty, case .value(let column, let kind) = left, kind == .string || kind == .uri,
            case .constant(.string(let prefix)) = right
        else { return try text(.beginsWith, left, right) }
        if prefix.isEmpty { return .isNotNull(column) }
        return .hasPrefix(column, prefix)
    }
}
