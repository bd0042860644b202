import Foundation

/// Computes an expression over the values of one row, as predicates do. A missing value gives no result (`null`), as in
/// databases.
package struct SQLEvaluation {
    /// The values that were read from the row: columns, and expressions that the database has computed.
    package let values: [(part: SQLExpression, value: SlotValue)]
    /// Whether the length of a text is its number of Unicode scalars, as for derived attributes. Predicates count
    /// UTF-16 units.
    private let countsScalars: Bool
    private let conditions: Conditions?

    /// - Parameter conditions: the conditions on texts, which are compiled once for many rows.
    package init(
        values: [(part: SQLExpression, value: SlotValue)], _ conditions: Conditions? = nil, countsScalars: Bool = false
    ) {
        self.values = values
        self.conditions = conditions
        self.countsScalars = countsScalars
    }

    /// The compiled conditions on texts, by their kind and operands.
    package final class Conditions {
        private struct Question: Hashable {
            let function: SQLExpression.Function
            let argument: String
            let options: Int64
        }

        private var known: [Question: TextCondition] = [:]
        private static let most = 100

        package init() {}

        func condition(
            _ function: SQLExpression.Function, _ argument: String, _ options: Int64
        ) throws -> TextCondition? {
            let question = Question(function: function, argument: argument, options: options)
            // A dictionary treats canonically equivalent arguments as one key, so the argument is compared again.
            if let known = known[question], known.isAbout(argument) { return known }
            let new = try TextCondition(function, argument, .init(rawValue: UInt(truncatingIfNeeded: options)))
            if known.count >= Self.most { known = [:] }
            known[question] = new
            return new
        }
    }

    /// Throws if the expression has a part that the program cannot compute.
    package func value(of expression: SQLExpression) throws -> SlotValue {
        if let known = values.first(where: { $0.part == expression }) { return known.value }
        switch expression {
        case .column: return .null
        case .value(let value): return value
        case .null: return .null
        case .and(let list): return try joined(list, isAnd: true)
        case .or(let list): return try joined(list, isAnd: false)
        case .not(let inner): return try Self.truth(of: value(of: inner)).map { truth(!$0) } ?? .null
        case .isNull(let inner): return truth(try value(of: inner).isNull)
        case .isNotNull(let inner): return truth(try !value(of: inner).isNull)
        case .binary(.same, let left, let right): return truth(try value(of: left) == value(of: right))
        case .binary(.notSame, let left, let right): return truth(try value(of: left) != value(of: right))
        case .binary(let op, let left, let right):
            let (left, right) = (try value(of: left), try value(of: right))
            if left.isNull || right.isNull { return .null }
            return op.isComparison ? comparison(op, left, right) : Self.computed(op, left, right)
        case .complement(let inner): return Self.called("onesComplement:", [try value(of: inner)])
        case .between(let inner, let low, let high):
            let middle = try value(of: inner)
            let parts = [
                comparison(.greaterOrEqual, middle, try value(of: low)),
                comparison(.lessOrEqual, middle, try value(of: high)),
            ]
            if parts.contains(.int(0)) { return .int(0) }
            return parts.contains(.null) ? .null : .int(1)
        case .isIn(let inner, let list):
            return membership(try value(of: inner), try list.map { try value(of: $0) })
        case .isInArray(let inner, let list): return membership(try value(of: inner), list)
        case .hasPrefix(let inner, let prefix):
            guard case .string(let text) = try value(of: inner) else { return .null }
            return truth(text.utf8.starts(with: prefix.utf8))
        case .cast(let inner, let type): return try value(of: inner).cast(to: type)
        case .choice(let condition, let yes, let no):
            return try value(of: Self.truth(of: value(of: condition)) == true ? yes : no)
        case .function(.coalesce, let arguments, _):
            for argument in arguments {
                let value = try value(of: argument)
                if !value.isNull { return value }
            }
            return .null
        case .function(let function, let arguments, _):
            return try result(of: function, try arguments.map { try value(of: $0) })
        default:
            throw SQLFetchTranslator.failure("what neither the database nor the program computes")
        }
    }

    // MARK: Answers

    private func truth(_ holds: Bool) -> SlotValue { .int(holds ? 1 : 0) }

    /// Whether a value counts as true; nil for a missing value.
    package static func truth(of value: SlotValue) -> Bool? {
        switch value {
        case .null: nil
        case .int(let number): number != 0
        case .double(let number): number != 0
        case .decimal(let number): number != 0
        case .string, .data, .uuid: false
        }
    }

    private func joined(_ list: [SQLExpression], isAnd: Bool) throws -> SlotValue {
        var isUnanswered = false
        for part in list {
            switch try Self.truth(of: value(of: part)) {
            case nil: isUnanswered = true
            case let answer?: if answer != isAnd { return truth(answer) }
            }
        }
        return isUnanswered ? .null : truth(isAnd)
    }

    private func membership(_ value: SlotValue, _ list: [SlotValue]) -> SlotValue {
        var isUnanswered = false
        for element in list {
            switch comparison(.equal, value, element) {
            case .int(1): return .int(1)
            case .null: isUnanswered = true
            default: break
            }
        }
        return isUnanswered ? .null : .int(0)
    }

    private func comparison(
        _ op: SQLExpression.Operator, _ left: SlotValue, _ right: SlotValue
    ) -> SlotValue {
        // NaN is a missing value in a database.
        if left.isNull || right.isNull || left.isNaN || right.isNaN { return .null }
        let (left, right) = (left.forComparing, right.forComparing)
        if op == .equal || op == .notEqual {
            return truth(ExpressionValue.areEqual(left, right) == (op == .equal))
        }
        guard let order = ExpressionValue.compare(left, right) else { return truth(false) }
        return switch op {
        case .less: truth(order == .orderedAscending)
        case .lessOrEqual: truth(order != .orderedDescending)
        case .greater: truth(order == .orderedDescending)
        default: truth(order != .orderedAscending)
        }
    }

    // MARK: Functions

    /// The value of a function of predicates.
    private static func called(_ name: String, _ arguments: [SlotValue]) -> SlotValue {
        guard let function = ExpressionFunction.named(name) else { return .null }
        switch ExpressionValue(function.body(arguments.map(\.asNumber))) {
        case .int(let number): return .int(number)
        case .double(let number): return .double(number)
        case .decimal(let number): return .decimal(number)
        default: return .null
        }
    }

    /// The sum, the average, the smallest or the largest of values of which none is missing.
    package static func aggregate(_ function: SQLExpression.Function, _ values: [SlotValue]) -> SlotValue {
        let boxed = values.compactMap(\.asNumber)
        let result =
            switch function {
            case .sum: boxed.isEmpty ? nil : ExpressionFunction.sum(boxed)
            case .average: ExpressionFunction.average(boxed)
            case .min: ExpressionFunction.extremum(boxed, .orderedAscending)
            default: ExpressionFunction.extremum(boxed, .orderedDescending)
            }
        switch ExpressionValue(result) {
        case .int(let number): return .int(number)
        case .double(let number): return .double(number)
        case .decimal(let number): return .decimal(number)
        case .string(let text): return .string(text)
        case .data(let data): return .data(data)
        case .uuid(let uuid): return .uuid(uuid)
        default: return .null
        }
    }

    private static func computed(
        _ op: SQLExpression.Operator, _ left: SlotValue, _ right: SlotValue
    ) -> SlotValue {
        let name: String? =
            switch op {
            case .add: "add:to:"
            case .subtract: "from:subtract:"
            case .multiply: "multiply:by:"
            case .divide: "divide:by:"
            case .modulo: "modulus:by:"
            case .bitAnd: "bitwiseAnd:with:"
            case .bitOr: "bitwiseOr:with:"
            case .shiftLeft: "leftshift:by:"
            case .shiftRight: "rightshift:by:"
            default: nil
            }
        return name.map { called($0, [left, right]) } ?? .null
    }

    private static func name(of function: SQLExpression.Function) -> String? {
        switch function {
        case .abs: "abs:"
        case .power: "raise:toPower:"
        case .squareRoot: "sqrt:"
        case .floor: "floor:"
        case .ceiling: "ceiling:"
        case .truncate: "trunc:"
        case .naturalLog: "ln:"
        case .log: "log:"
        case .exponential: "exp:"
        default: nil
        }
    }

    private func result(of function: SQLExpression.Function, _ values: [SlotValue]) throws -> SlotValue {
        switch function {
        case .now: return .double(Date().timeIntervalSinceReferenceDate)
        case .random: return .double(Double.random(in: 0..<1))
        default: break
        }
        if values.contains(.null) { return .null }
        if let name = Self.name(of: function) { return Self.called(name, values) }
        let arguments = texts(values)
        switch (function, arguments.first, arguments.last) {
        case (.lower, .string(let text)?, _): return .string(text.lowercased())
        case (.length, .string(let text)?, _):
            return .int(Int64(countsScalars ? text.unicodeScalars.count : text.utf16.count))
        case (.upper, .string(let text)?, _): return .string(text.uppercased())
        case (.canonical, .string(let text)?, _):
            return .string(StringComparison.fold(text, [.caseInsensitive, .diacriticInsensitive]))
        case (.fold, .string(let text)?, .int(let options)?):
            return .string(StringComparison.fold(text, .init(rawValue: UInt(truncatingIfNeeded: options))))
        case (_, .string(let text)?, .int(let options)?) where arguments.count == 3:
            guard case .string(let argument) = arguments[1],
                let condition = try (conditions ?? Conditions()).condition(function, argument, options)
            else { break }
            return truth(try condition.holds(for: text))
        default: break
        }
        // A condition on texts is false for other values.
        if arguments.count == 3 { return truth(false) }
        throw SQLFetchTranslator.failure("\(function.rawValue) of a value that is no text")
    }

    /// Converts numbers to texts where texts are expected, in the format of databases.
    private func texts(_ arguments: [SlotValue]) -> [SlotValue] {
        arguments.enumerated().map { place, value in
            // The last argument holds the options.
            if place > 0, place == arguments.count - 1 { return value }
            switch value {
            case .int(let number): return .string("\(number)")
            case .double(let number): return .string(Self.text(number))
            default: return value
            }
        }
    }

    /// Writes 15 digits, always with a point: `1.5`, `100.0`, `1.0e+20`.
    private static func text(_ number: Double) -> String {
        let text = String(format: "%.15g", number)
        if text.contains(".") || !number.isFinite { return text }
        guard let exponent = text.firstIndex(of: "e") else { return text + ".0" }
        return text[..<exponent] + ".0" + text[exponent...]
    }
}

extension SlotValue {
    fileprivate var isNaN: Bool {
        switch self {
        case .double(let number): number.isNaN
        case .decimal(let number): number.isNaN
        default: false
        }
    }

    /// A number, converted to another type.
    fileprivate func cast(to type: SQLColumnType) -> SlotValue {
        switch (type, self) {
        case (.float, .int(let number)): .double(Double(number))
        case (.float, .decimal(let number)): .double(NSDecimalNumber(decimal: number).doubleValue)
        default: self
        }
    }

    /// The value in the form in which comparisons of predicates take it.
    package var forComparing: ExpressionValue {
        switch self {
        case .null: .null
        case .int(let number): .int(number)
        case .double(let number): .double(number)
        case .decimal(let number): .decimal(number)
        case .string(let text): .string(text)
        case .data(let data): .data(data)
        // A column of a database may hold the UUID as bytes.
        case .uuid(let uuid): .data(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        }
    }

    /// The value in the form in which functions of predicates take it; nil for a missing value.
    fileprivate var asNumber: Any? {
        switch self {
        case .null: nil
        case .int(let number): NSNumber(value: number)
        case .double(let number): NSNumber(value: number)
        case .decimal(let number): NSDecimalNumber(decimal: number)
        case .string(let text): text
        case .data(let data): data
        case .uuid(let uuid): uuid
        }
    }
}
