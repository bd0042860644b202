import Foundation

/// Computes a condition over the values of one row, as a database does: a missing value gives no answer (`null`).
package struct SQLEvaluation {
    package let values: [(column: SQLColumnName, value: SlotValue)]

    /// Throws where the condition needs what the program does not compute.
    package func value(of expression: SQLExpression) throws -> SlotValue {
        switch expression {
        case .column(let alias, let name):
            return values.first { $0.column == SQLColumnName(alias: alias, name: name) }?.value ?? .null
        case .value(let value): return value
        case .null: return .null
        case .isNull(let inner): return truth(try value(of: inner).isNull)
        case .isNotNull(let inner): return truth(try !value(of: inner).isNull)
        case .binary(.same, let left, let right): return truth(try value(of: left) == value(of: right))
        case .binary(.notSame, let left, let right): return truth(try value(of: left) != value(of: right))
        case .binary(let op, let left, let right): return try comparison(op, try value(of: left), try value(of: right))
        case .between(let inner, let low, let high):
            let middle = try value(of: inner)
            let parts = [
                try comparison(.greaterOrEqual, middle, try value(of: low)),
                try comparison(.lessOrEqual, middle, try value(of: high)),
            ]
            if parts.contains(.int(0)) { return .int(0) }
            return parts.contains(.null) ? .null : .int(1)
        case .isIn(let inner, let list):
            return try membership(try value(of: inner), list.map { try value(of: $0) })
        case .isInArray(let inner, let list): return try membership(try value(of: inner), list)
        case .hasPrefix(let inner, let prefix):
            guard case .string(let text) = try value(of: inner) else { return .null }
            return truth(text.utf8.starts(with: prefix.utf8))
        case .function(let function, let arguments, _):
            return try result(of: function, try arguments.map { try value(of: $0) })
        default:
            throw SQLFetchTranslator.failure("a condition that neither the database nor the program can decide")
        }
    }

    private func truth(_ holds: Bool) -> SlotValue { .int(holds ? 1 : 0) }

    private func membership(_ value: SlotValue, _ list: [SlotValue]) throws -> SlotValue {
        var isUnanswered = false
        for element in list {
            switch try comparison(.equal, value, element) {
            case .int(1): return .int(1)
            case .null: isUnanswered = true
            default: break
            }
        }
        return isUnanswered ? .null : .int(0)
    }

    /// Numbers are texts where texts are wanted, as databases write them.
    private func texts(_ arguments: [SlotValue]) -> [SlotValue] {
        arguments.enumerated().map { place, value in
            // The last one holds the options.
            if place > 0, place == arguments.count - 1 { return value }
            switch value {
            case .int(let number): return .string("\(number)")
            case .double(let number): return .string(Self.text(number))
            default: return value
            }
        }
    }

    /// 15 digits, and a point always: `1.5`, `100.0`, `1.0e+20`.
    private static func text(_ number: Double) -> String {
        let text = String(format: "%.15g", number)
        if text.contains(".") || !number.isFinite { return text }
        guard let exponent = text.firstIndex(of: "e") else { return text + ".0" }
        return text[..<exponent] + ".0" + text[exponent...]
    }

    private func result(of function: SQLExpression.Function, _ values: [SlotValue]) throws -> SlotValue {
        if values.contains(.null) { return .null }
        let arguments = texts(values)
        switch (function, arguments.first, arguments.last) {
        case (.lower, .string(let text)?, _): return .string(text.lowercased())
        case (.length, .string(let text)?, _): return .int(Int64(text.unicodeScalars.count))
        case (.upper, .string(let text)?, _): return .string(text.uppercased())
        case (.canonical, .string(let text)?, _):
            return .string(StringComparison.fold(text, [.caseInsensitive, .diacriticInsensitive]))
        case (.fold, .string(let text)?, .int(let options)?):
            return .string(StringComparison.fold(text, .init(rawValue: UInt(truncatingIfNeeded: options))))
        case (_, .string(let text)?, .int(let options)?) where arguments.count == 3:
            guard case .string(let argument) = arguments[1],
                let condition = try TextCondition(
                    function, argument, .init(rawValue: UInt(truncatingIfNeeded: options)))
            else { break }
            return truth(condition.holds(for: text))
        default: break
        }
        throw SQLFetchTranslator.failure("\(function.rawValue) of a value that is no text")
    }

    private func comparison(
        _ op: SQLExpression.Operator, _ left: SlotValue, _ right: SlotValue
    ) throws -> SlotValue {
        let order: ComparisonResult
        switch (left, right) {
        case (.null, _), (_, .null): return .null
        // Byte by byte.
        case (.string(let a), .string(let b)):
            order =
                a.utf8.elementsEqual(b.utf8)
                ? .orderedSame : a.utf8.lexicographicallyPrecedes(b.utf8) ? .orderedAscending : .orderedDescending
        case (.int(let a), .int(let b)):
            order = a == b ? .orderedSame : a < b ? .orderedAscending : .orderedDescending
        default:
            throw SQLFetchTranslator.failure("a comparison of values that are no texts")
        }
        switch op {
        case .equal: return truth(order == .orderedSame)
        case .notEqual: return truth(order != .orderedSame)
        case .less: return truth(order == .orderedAscending)
        case .lessOrEqual: return truth(order != .orderedDescending)
        case .greater: return truth(order == .orderedDescending)
        case .greaterOrEqual: return truth(order != .orderedAscending)
        default: throw SQLFetchTranslator.failure("\(op.rawValue) of texts")
        }
    }
}
