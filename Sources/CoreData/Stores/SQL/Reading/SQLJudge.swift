import Foundation

/// Decides in the program what a database cannot compute.
///
/// It reads the values that such a condition is about, each once, and puts those for which the condition holds in its
/// place: `title MATCHES "A.*"` becomes `title IN ('Aleph', 'Arcadia')`. What else the statement asks for narrows what
/// is read, where that changes no answer.
package struct SQLJudge {
    package let connection: any SQLConnection
    package let missing: Set<SQLExpression.Function>

    /// Whether anything in a SELECT has to be decided.
    package static func isNeeded(for select: SQLSelect, missing: Set<SQLExpression.Function>) -> Bool {
        if missing.isEmpty { return false }
        var isNeeded = false
        select.forEachExpression { part in
            part.forEach { if case .function(let function, _, _) = $0, missing.contains(function) { isNeeded = true } }
        }
        return isNeeded
    }

    package func decided(_ select: SQLSelect) throws -> SQLSelect { try decided(select, within: []) }

    /// - Parameter outer: the SELECTs around it, the innermost first. Their rows can be named in it.
    private func decided(_ select: SQLSelect, within outer: [SQLSelect]) throws -> SQLSelect {
        let scopes = [select] + outer
        var result = select
        var condition = select.condition
        result.condition = nil
        result = try result.mapped {
            try decided($0, scopes)
        } _: {
            try decided($0, within: scopes)
        }
        // Rows that other parts of an AND refuse need no answer.
        if let whole = condition, lacks(whole) {
            let parts = whole.conjuncts
            let narrowing = parts.filter { !lacks($0) && $0.onColumnsOnly != nil }
            condition = .and(try parts.map { try decided($0, scopes, narrowing) })
        }
        result.condition = condition
        return result
    }

    /// Whether a function in an expression is one that the database does not compute.
    private func lacks(_ expression: SQLExpression) -> Bool {
        var lacks = false
        expression.forEach { if case .function(let function, _, _) = $0, missing.contains(function) { lacks = true } }
        return lacks
    }

    private func decided(
        _ expression: SQLExpression, _ scopes: [SQLSelect], _ narrowing: [SQLExpression] = []
    ) throws -> SQLExpression {
        if !lacks(expression) { return expression }
        // What stands for itself within it comes first.
        let simpler = try expression.mapped {
            expression.hasParts || $0.hasParts || $0.isCondition ? try decided($0, scopes) : $0
        } _: {
            try decided($0, within: scopes)
        }
        if !lacks(simpler) { return simpler }
        guard simpler.isCondition else {
            throw SQLFetchTranslator.failure("a value that the database does not compute")
        }
        return try judged(simpler, scopes, narrowing)
    }

    /// Asks for the values that a condition is about, and says for which it holds.
    private func judged(
        _ condition: SQLExpression, _ scopes: [SQLSelect], _ narrowing: [SQLExpression]
    ) throws -> SQLExpression {
        let columns = condition.columns
        let aliases = Set(columns.map(\.alias))
        if columns.isEmpty { return .value(try SQLEvaluation(values: []).value(of: condition)) }
        let depth = scopes.firstIndex { scope in
            aliases.isSubset(of: scope.tables.keys.map { Optional($0) })
        }
        guard let depth else { return try judgedAcross(condition, columns, scopes) }
        let scope = scopes[depth]
        let beside = depth == 0 ? narrowing : []
        // Where the row that a to-one leads to is missing, its key gives no answer: the condition may give none.
        if aliases.count == 1, let alias = columns[0].alias, let table = scope.tables[alias],
            try alias == scope.alias || isUnanswered(condition, columns)
        {
            let here = beside.filter { $0.columns.allSatisfy { $0.alias == alias } }
            var request = SQLSelect(
                columns.map(\.expression), of: table, as: alias, where: here.isEmpty ? nil : .and(here))
            if columns.count == 1 {
                request.isDistinct = true
                if let answer = try judged(condition, texts: request, columns[0]) { return answer }
                request.isDistinct = false
            }
            return try judged(condition, request, columns, keys: [alias])
        }
        var request = scope
        request.joins = scope.rowJoins
        request.results = columns.map { SQLSelect.Result(expression: $0.expression) }
        let here = beside.filter { $0.columns.allSatisfy { scope.tables[$0.alias ?? ""] != nil } }
        request.condition = here.isEmpty ? nil : .and(here)
        (request.order, request.limit, request.offset, request.isDistinct) = ([], nil, nil, false)
        (request.groupBy, request.having) = ([], nil)
        return try judged(condition, request, columns, keys: scope.keyAliases)
    }

    /// A condition on rows of several SELECTs: on every pair of them.
    private func judgedAcross(
        _ condition: SQLExpression, _ columns: [SQLColumnName], _ scopes: [SQLSelect]
    ) throws -> SQLExpression {
        var request: SQLSelect?
        var keys: [String] = []
        for scope in scopes where columns.contains(where: { scope.tables[$0.alias ?? ""] != nil }) {
            guard let alias = scope.alias else { continue }
            keys += scope.keyAliases
            if request == nil {
                request = SQLSelect(from: scope.source, alias: alias, joins: scope.rowJoins)
            } else {
                request?.joins.append(.init(table: scope.table, alias: alias, on: .alwaysTrue, isLeft: false))
                request?.joins += scope.rowJoins
            }
        }
        guard var request else { throw SQLFetchTranslator.failure("a condition on no rows") }
        request.results = columns.map { SQLSelect.Result(expression: $0.expression) }
        return try judged(condition, request, columns, keys: keys)
    }

    /// Whether a condition gives no answer where all its values are missing.
    private func isUnanswered(_ condition: SQLExpression, _ columns: [SQLColumnName]) throws -> Bool {
        try SQLEvaluation(values: columns.map { ($0, SlotValue.null) }).value(of: condition).isNull
    }

    /// A condition on one column that has nothing but texts; nil where it has others.
    private func judged(
        _ condition: SQLExpression, texts request: SQLSelect, _ column: SQLColumnName
    ) throws -> SQLExpression? {
        // A row without a value has to be without an answer, as it is in the list.
        guard try isUnanswered(condition, [column]) else { return nil }
        var (holding, isOfTexts) = ([SlotValue](), true)
        try connection.statement(request).rows { row in
            let value = row.slotValue(0)
            if value.isNull { return }
            guard case .string = value else {
                isOfTexts = false
                return
            }
            if try SQLEvaluation(values: [(column, value)]).value(of: condition) == .int(1) { holding.append(value) }
        }
        if !isOfTexts { return nil }
        return column.expression.isAmong(holding)
    }

    /// Any other condition: by the keys of the rows.
    private func judged(
        _ condition: SQLExpression, _ request: SQLSelect, _ columns: [SQLColumnName], keys aliases: [String]
    ) throws -> SQLExpression {
        let keys = aliases.map { SQLExpression.column(alias: $0, name: SQLSchema.keyColumn) }
        var request = request
        request.results += keys.map { SQLSelect.Result(expression: $0) }
        var (holding, unanswered) = ([[SlotValue]](), [[SlotValue]]())
        try connection.statement(request).rows { row in
            let values = columns.enumerated().map { ($1, row.slotValue($0)) }
            let answer = try SQLEvaluation(values: values).value(of: condition)
            if answer == .int(0) { return }
            let found = keys.indices.map { row.slotValue(columns.count + $0) }
            if answer.isNull { unanswered.append(found) } else { holding.append(found) }
        }
        if unanswered.isEmpty { return Self.areAmong(keys[...], holding) }
        return .choice(Self.areAmong(keys[...], unanswered), .null, Self.areAmong(keys[...], holding))
    }

    /// Whether several keys are those of a row of a list.
    private static func areAmong(_ keys: ArraySlice<SQLExpression>, _ rows: [[SlotValue]]) -> SQLExpression {
        guard let key = keys.first, keys.count > 1 else {
            return keys.first?.isAmong(rows.map { $0[0] }) ?? .alwaysFalse
        }
        var rest: [Int64: [[SlotValue]]] = [:]
        var missing: [[SlotValue]] = []
        for row in rows {
            if case .int(let number) = row[0] {
                rest[number, default: []].append(Array(row.dropFirst()))
            } else {
                missing.append(Array(row.dropFirst()))
            }
        }
        var parts = rest.sorted { $0.key < $1.key }.map { number, rows in
            SQLExpression.and([.binary(.equal, key, .value(.int(number))), areAmong(keys.dropFirst(), rows)])
        }
        if !missing.isEmpty { parts.append(.and([.isNull(key), areAmong(keys.dropFirst(), missing)])) }
        return .or(parts)
    }
}

/// A column of a statement's table.
package struct SQLColumnName: Equatable, Sendable {
    package var alias: String?
    package var name: String

    package var expression: SQLExpression { .column(alias: alias, name: name) }
}

extension SQLSelect {
    /// The tables whose rows it names, by their aliases.
    fileprivate var tables: [String: String] {
        var tables: [String: String] = [:]
        if let alias, case .table(let name) = source { tables[alias] = name }
        for join in joins { tables[join.alias] = join.table }
        return tables
    }

    /// The joins of rows. Tables of pairs are left out: they have no keys, no condition names their columns, and their
    /// joins name rows of a SELECT around.
    fileprivate var rowJoins: [Join] { joins.filter(\.isLeft) }

    /// The alias of the row that determines all others: to-one relationships lead from a row to one row each.
    fileprivate var keyAliases: [String] { alias.map { [$0] } ?? [] }
}

extension SQLExpression {
    /// Whether it is an answer, and no value.
    fileprivate var isCondition: Bool {
        switch self {
        case .binary(let op, _, _):
            [.equal, .notEqual, .same, .notSame, .less, .lessOrEqual, .greater, .greaterOrEqual].contains(op)
        case .between, .isIn, .isInArray, .isNull, .isNotNull, .hasPrefix: true
        case .function(let function, _, _):
            [.equalText, .contains, .beginsWith, .endsWith, .like, .matches].contains(function)
        default: false
        }
    }

    /// The parts that all have to hold.
    fileprivate var conjuncts: [SQLExpression] {
        if case .and(let list) = self { return list.flatMap(\.conjuncts) }
        return [self]
    }

    /// Whether its parts stand for themselves: a database can be asked for it once they are decided.
    fileprivate var hasParts: Bool {
        switch self {
        case .and, .or, .not, .exists, .scalar, .isInSelect, .choice, .function(.coalesce, _, _),
            .function(.count, _, _):
            true
        default: false
        }
    }

    /// The columns that it names, each once, in their order.
    fileprivate var columns: [SQLColumnName] {
        var columns: [SQLColumnName] = []
        forEach { part in
            guard case .column(let alias, let name) = part else { return }
            let column = SQLColumnName(alias: alias, name: name)
            if !columns.contains(column) { columns.append(column) }
        }
        return columns
    }

    /// Whether a value is in a list; false of an empty one, and no answer where there is no value.
    fileprivate func isAmong(_ values: [SlotValue]) -> SQLExpression {
        values.isEmpty ? .binary(.notEqual, self, self) : .isInArray(self, values)
    }
}
