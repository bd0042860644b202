import Foundation

/// The rules of a database that has types: the operands that it compares as predicates do, and the types of
/// expressions.
package struct SQLTypes: Sendable {
    /// The types of columns, by table and column.
    private let columns: [String: [String: SQLColumnType]]
    /// The functions that the database does not compute.
    private let missing: Set<SQLExpression.Function>
    /// Whether the database has functions by which it can refuse texts.
    package let narrowsTexts: Bool
    /// The range of dates, in seconds from 2001.
    private let dates: ClosedRange<Double>

    package init(_ schema: SQLSchema, _ capabilities: SQLCapabilities) {
        missing = capabilities.missingFunctions
        narrowsTexts = capabilities.narrowsTexts
        dates = capabilities.dates
        var columns: [String: [String: SQLColumnType]] = [:]
        for table in schema.allTables {
            columns[table.name] = Dictionary(table.columns.map { ($0.name, $0.type) }) { first, _ in first }
        }
        self.columns = columns
    }

    // MARK: Types

    /// The type of an expression in a SELECT and its enclosing SELECTs, the innermost first; nil if it has none, or
    /// several.
    package func type(of expression: SQLExpression, in scopes: [SQLSelect]) -> SQLColumnType? {
        switch expression {
        case .column(let alias?, let name):
            for scope in scopes {
                if scope.alias == alias { return columns[scope.table]?[name] }
                if let join = scope.joins.first(where: { $0.alias == alias }) { return columns[join.table]?[name] }
            }
            return nil
        case .cast(_, let type): return type
        case .countAll, .function(.count, _, _): return .integer
        case .scalar(let select):
            return select.results.first.flatMap { type(of: $0.expression, in: [select] + scopes) }
        case .function(.sum, let arguments, _), .function(.min, let arguments, _), .function(.max, let arguments, _),
            .function(.coalesce, let arguments, _):
            return arguments.first.flatMap { type(of: $0, in: scopes) }
        case .function(.average, let arguments, _):
            guard let type = arguments.first.flatMap({ type(of: $0, in: scopes) }) else { return nil }
            return type == .decimal ? .decimal : .float
        case .choice(_, let yes, let no):
            let types = [yes, no].map { type(of: $0, in: scopes) }
            return types[0] == types[1] ? types[0] : nil
        default: return nil
        }
    }

    /// Whether an expression is a text, or may be one.
    package func isOfText(_ expression: SQLExpression, in scopes: [SQLSelect]) -> Bool {
        type(of: expression, in: scopes).map { $0.group == .text } ?? true
    }

    /// Whether the database can compute a value.
    package func computes(_ value: SQLExpression, in scopes: [SQLSelect]) -> Bool {
        switch value {
        case .column, .columns, .null, .parameter, .countAll, .scalar, .allColumns: true
        case .value(let value): !value.hasZero
        case .cast(let inner, _): computes(inner, in: scopes)
        case .function(let function, let arguments, _) where function == .min || function == .max:
            arguments.allSatisfy { computes($0, in: scopes) && !lacksExtremum(type(of: $0, in: scopes)) }
        case .function(let function, let arguments, _):
            !missing.contains(function) && arguments.allSatisfy { computes($0, in: scopes) || decides($0, in: scopes) }
        case .choice(let condition, let yes, let no):
            type(of: value, in: scopes) != nil && decides(condition, in: scopes) && computes(yes, in: scopes)
                && computes(no, in: scopes)
        default: false
        }
    }

    /// Whether the database can decide a condition, with the results of predicates.
    package func decides(_ condition: SQLExpression, in scopes: [SQLSelect]) -> Bool {
        switch condition {
        case .and(let list), .or(let list): list.allSatisfy { decides($0, in: scopes) }
        case .not(let inner): decides(inner, in: scopes)
        case .exists, .isInParameter: true
        case .isNull(let value), .isNotNull(let value), .isInSelect(let value, _): computes(value, in: scopes)
        case .binary(let op, let left, let right):
            op.isComparison && compares(left, right, in: scopes)
        case .between(let value, let low, let high):
            compares(value, low, in: scopes) && compares(value, high, in: scopes)
        case .isIn(let value, let list): list.allSatisfy { compares(value, $0, in: scopes) }
        case .isInArray(let value, let list): list.allSatisfy { compares(value, .value($0), in: scopes) }
        case .hasPrefix(let value, let prefix): compares(value, .value(.string(prefix)), in: scopes)
        case .function(.coalesce, let arguments, _):
            arguments.count == 2 && arguments[1].isTruth && decides(arguments[0], in: scopes)
        case .choice(let condition, let yes, let no):
            [condition, yes, no].allSatisfy { $0 == .null || decides($0, in: scopes) }
        case .value(.int(let number)): number == 0 || number == 1
        default: false
        }
    }

    // MARK: Types that go together

    private func compares(_ left: SQLExpression, _ right: SQLExpression, in scopes: [SQLSelect]) -> Bool {
        guard computes(left, in: scopes), computes(right, in: scopes) else { return false }
        switch (left, right) {
        case (.value, .value): return false
        case (let other, .null), (.null, let other): return type(of: other, in: scopes) != nil
        case (.parameter, _), (_, .parameter): return true
        case (let other, .value(let value)), (.value(let value), let other):
            return type(of: other, in: scopes).map { takes($0, value) } ?? false
        default:
            guard let left = type(of: left, in: scopes), let right = type(of: right, in: scopes) else { return false }
            return Self.goTogether(left.group, right.group)
        }
    }

    private static func goTogether(_ left: SQLColumnType.Group, _ right: SQLColumnType.Group) -> Bool {
        switch (left, right) {
        // A predicate compares a decimal with a floating-point number by the digits of the number.
        case (.whole, .decimal), (.decimal, .whole), (.whole, .real), (.real, .whole): true
        default: left == right
        }
    }

    /// Whether the comparison of a value with an expression of a type has the result of a predicate.
    private func takes(_ type: SQLColumnType, _ value: SlotValue) -> Bool {
        switch (type.group, value) {
        case (_, .null): true
        case (.whole, .int), (.real, .int), (.decimal, .int): true
        case (.whole, .double(let number)), (.real, .double(let number)): !number.isNaN
        case (.date, .double(let number)): dates.contains(number)
        case (.date, .int(let number)): dates.contains(Double(number))
        case (.whole, .decimal(let number)): !number.isNaN
        case (.real, .decimal(let number)):
            Decimal(string: "\(NSDecimalNumber(decimal: number).doubleValue)") == number && !number.isNaN
        case (.decimal, .double(let number)):
            number.isFinite && Decimal(string: "\(number)").map { !$0.isNaN } ?? false
        case (.decimal, .decimal(let number)): !number.isNaN
        case (.truth, .int(let number)): number == 0 || number == 1
        case (.truth, .double(let number)): number == 0 || number == 1
        case (.text, .string): !value.hasZero
        case (.label, .int): true
        case (.uuid, .uuid), (.bytes, .data): true
        case (.uuid, .data(let data)): data.count == 16
        default: false
        }
    }

    // MARK: Aggregates

    /// The expression with the arguments of its aggregates converted to types that the database can aggregate.
    package func coerced(_ expression: SQLExpression, in scopes: [SQLSelect]) -> SQLExpression {
        let parts = expression.mapped {
            coerced($0, in: scopes)
        } _: {
            coerced($0, within: scopes)
        }
        switch parts {
        case .function(let function, let arguments, let distinct) where arguments.count == 1:
            guard [.sum, .min, .max, .average].contains(function), let type = type(of: arguments[0], in: scopes) else {
                return parts
            }
            let coerced = SQLExpression.function(
                function, [Self.argument(arguments[0], type, function)], distinct: distinct)
            // A sum of whole numbers is a whole number, and no decimal.
            return function == .sum && type.group == .whole ? .cast(coerced, .integer) : coerced
        case .scalar(let select):
            return .scalar(withoutExtremum(select, in: scopes) ?? select)
        default: return parts
        }
    }

    /// The SELECT with the arguments of its aggregates converted in this way.
    package func coerced(_ select: SQLSelect, within outer: [SQLSelect] = []) -> SQLSelect {
        var result = select.mapped {
            coerced($0, in: [select] + outer)
        } _: {
            coerced($0, within: [select] + outer)
        }
        // Values that are no texts have only one order.
        result.order = result.order.map { term in
            var term = term
            if !isOfText(term.expression, in: [result] + outer) { term.collation = .binary }
            return term
        }
        return result
    }

    private static func argument(
        _ value: SQLExpression, _ type: SQLColumnType, _ function: SQLExpression.Function
    ) -> SQLExpression {
        switch (type.group, function) {
        case (.truth, _): .cast(value, .mediumInteger)
        case (.real, .sum), (.real, .average), (.whole, .average): .cast(value, .float)
        // A sum of values that are no numbers is a sum of no values.
        case (.text, .sum), (.date, .sum), (.uuid, .sum), (.bytes, .sum), (.label, .sum): .cast(.null, .integer)
        case (.text, .average), (.date, .average), (.uuid, .average), (.bytes, .average), (.label, .average):
            .cast(.null, .float)
        default: value
        }
    }

    /// Whether the database has no MIN and MAX for a type.
    private func lacksExtremum(_ type: SQLColumnType?) -> Bool { type?.group == .uuid || type?.group == .bytes }

    /// The smallest or largest value of a type without MIN and MAX in the database: the first value in its order.
    private func withoutExtremum(_ select: SQLSelect, in scopes: [SQLSelect]) -> SQLSelect? {
        guard select.results.count == 1, select.groupBy.isEmpty,
            case .function(let function, let arguments, _) = select.results[0].expression,
            function == .min || function == .max, lacksExtremum(type(of: arguments[0], in: [select] + scopes))
        else { return nil }
        var first = select
        first.results[0].expression = arguments[0]
        let isThere = SQLExpression.isNotNull(arguments[0])
        first.condition = select.condition.map { .and([$0, isThere]) } ?? isThere
        first.order = [.init(expression: arguments[0], isAscending: function == .min)]
        first.limit = 1
        return first
    }
}

extension SQLColumnType {
    /// The common kind of several types.
    fileprivate enum Group {
        case truth, whole, real, decimal, text, date, uuid, bytes, label
    }

    fileprivate var group: Group {
        switch self {
        case .boolean: .truth
        case .integer, .mediumInteger, .smallInteger: .whole
        case .float, .real: .real
        case .decimal: .decimal
        case .varchar, .identifier: .text
        case .timestamp: .date
        case .uuid: .uuid
        case .blob: .bytes
        case .label: .label
        }
    }
}

extension SlotValue {
    /// Whether the value is a text that contains U+0000, which the database does not accept.
    package var hasZero: Bool {
        if case .string(let text) = self { text.utf8.contains(0) } else { false }
    }
}

extension SQLExpression {
    /// Whether the expression is a constant truth value.
    fileprivate var isTruth: Bool { self == .value(.int(0)) || self == .value(.int(1)) }
}

extension SQLExpression.Operator {
    package var isComparison: Bool {
        switch self {
        case .equal, .notEqual, .same, .notSame, .less, .lessOrEqual, .greater, .greaterOrEqual: true
        case .add, .subtract, .multiply, .divide, .modulo, .bitAnd, .bitOr, .shiftLeft, .shiftRight: false
        }
    }
}
