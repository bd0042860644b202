import Foundation

// Translates IN, and CONTAINS of a collection.
extension SQLComparison {
    func isIn(_ left: SQLOperand, _ right: SQLOperand) throws -> SQLExpression {
        switch right {
        case .constant(.null): return .alwaysFalse
        case .constant(let list) where list.elements != nil: return try isIn(left, list.elements ?? [])
        case .constant(.string), .value: return try text(.contains, right, left)
        default: throw failure()
        }
    }

    func isIn(_ left: SQLOperand, _ elements: [Any]) throws -> SQLExpression {
        var values: [ExpressionValue] = []
        var (hasNull, hasOthers) = (false, false)
        let family = family(left)
        for element in elements {
            let value = ExpressionValue(element)
            if value.isNull {
                hasNull = true
            } else if let family, let other = Self.family(value), other != family {
                hasOthers = true
            } else {
                values.append(value)
            }
        }
        let expression = try sql(left, beside: .constant(.null))
        var parts: [SQLExpression] = []
        if !values.isEmpty {
            parts.append(try membership(expression, left, values))
        } else if hasOthers {
            parts.append(try noRow(left))
        }
        if hasNull { parts.append(.isNull(expression)) }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private func membership(
        _ expression: SQLExpression, _ left: SQLOperand, _ values: [ExpressionValue]
    ) throws -> SQLExpression {
        if !options.isEmpty, values.contains(where: { if case .string = $0 { true } else { false } }) {
            return .or(
                try values.map {
                    .function(.equalText, [expression, try translator.bound($0, as: kind(left)), optionsValue])
                })
        }
        let list = try values.map { try translator.bound($0, as: kind(left), amongRowsOf: layout(left)) }
        if list.count > 500, let plain = Self.plain(list) { return .isInArray(expression, plain) }
        // The greatest number of values in a statement is an option of SQLite's build. SQLite reports an error if there
        // are too many.
        return .isIn(expression, list)
    }

    /// The values of a list that has only integers, or only strings; nil for other lists.
    private static func plain(_ list: [SQLExpression]) -> [SlotValue]? {
        var (values, integers): ([SlotValue], Int) = ([], 0)
        for case .value(let value) in list {
            switch value {
            case .int: integers += 1
            case .string: break
            default: return nil
            }
            values.append(value)
        }
        return values.count == list.count && (integers == 0 || integers == list.count) ? values : nil
    }
}
