import Foundation

// Rows are known by their keys, and entities by their numbers. In SQL both are whole numbers, and would equal those of
// attributes and constants.
extension SQLComparison {
    /// What a value can be compared with.
    enum Family { case object, entity, value }

    /// The family of an operand; nil for missing values, collections, and what is not known.
    func family(_ operand: SQLOperand) -> Family? {
        switch operand {
        case .object, .value(_, .reference?): .object
        case .entity, .value(_, .entityNumber?): .entity
        case .value(_, nil), .members: nil
        case .value: .value
        case .constant(let value): Self.family(value)
        }
    }

    static func family(_ constant: ExpressionValue) -> Family? {
        switch constant {
        case .int, .double, .decimal, .date, .data, .uuid, .url, .string: .value
        // Casts to classes come first: a search for conformances takes much longer.
        case .object(is NSManagedObject), .object(is NSManagedObjectID): .object
        case .object(is NSEntityDescription): .entity
        case .object(let object):
            object is any ObjectIdentityComparable || object is any ObjectKeyConvertible ? .object : nil
        case .null, .collection, .other: nil
        }
    }

    /// The answer to a comparison of an object with a number, a text or an entity, as by object: they are neither equal
    /// nor ordered, and have no parts. Nil if the operands may be compared.
    func comparedWithOtherFamily(_ left: SQLOperand, _ right: SQLOperand) throws -> SQLExpression? {
        guard let one = family(left), let other = family(right) else { return nil }
        switch comparison.predicateOperatorType {
        case .equalTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .in, .between:
            return one == other ? nil : try noRow(left, right)
        case .notEqualTo:
            return one == other ? nil : try everyRow(left, right)
        case .contains, .beginsWith, .endsWith, .like, .matches:
            return one == .value && other == .value ? nil : try noRow(left, right)
        }
    }

    func orderedInFamily(
        _ op: SQLExpression.Operator, _ left: SQLOperand, _ right: SQLOperand
    ) throws -> SQLExpression {
        isUnordered(left, right) ? try noRow(left, right) : try ordered(op, left, right)
    }

    /// Whether two operands have no order because of what they are.
    func isUnordered(_ left: SQLOperand, _ right: SQLOperand) -> Bool {
        if let one = family(left), let other = family(right), one != other { return true }
        return isStranger(left, beside: right) || isStranger(right, beside: left)
    }

    /// Whether an operand is an object that is no row among those of the other operand. It has no place in their order.
    func isStranger(_ operand: SQLOperand, beside other: SQLOperand) -> Bool {
        guard case .constant(let value) = operand, Self.family(value) == .object else { return false }
        return translator.isStranger(value, amongRowsOf: layout(other))
    }

    /// A condition that holds for no row. In SQL it has no answer where a value is missing, so that NOT does not find
    /// the row.
    func noRow(_ operands: SQLOperand...) throws -> SQLExpression {
        if translator.decidesByObject { return try bothMissing(operands) ?? .alwaysFalse }
        let parts = try columns(operands).map { SQLExpression.binary(.notEqual, $0, $0) }
        return parts.isEmpty ? .alwaysFalse : parts.count == 1 ? parts[0] : .or(parts)
    }

    /// A condition that holds for each row whose values are there.
    private func everyRow(_ operands: SQLOperand...) throws -> SQLExpression {
        if translator.decidesByObject { return try bothMissing(operands).map { .not($0) } ?? .alwaysTrue }
        let parts = try columns(operands).map { SQLExpression.binary(.equal, $0, $0) }
        return parts.isEmpty ? .alwaysTrue : parts.count == 1 ? parts[0] : .and(parts)
    }

    /// By object two missing values are equal, whatever they would be.
    private func bothMissing(_ operands: [SQLOperand]) throws -> SQLExpression? {
        let isEquality = [.equalTo, .notEqualTo, .in].contains(comparison.predicateOperatorType)
        let columns = try columns(operands)
        return isEquality && columns.count == 2 ? .and(columns.map { .isNull($0) }) : nil
    }

    private func columns(_ operands: [SQLOperand]) throws -> [SQLExpression] {
        try operands.compactMap { operand in
            if case .constant = operand { return nil }
            return try sql(operand, beside: .constant(.null))
        }
    }
}
