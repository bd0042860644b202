import Foundation

/// Evaluates on the client those conditions that a database cannot evaluate, or evaluates otherwise than predicates do.
///
/// It reads the values on which such a condition depends, each once, and replaces the condition by the values for which
/// it is true: `title MATCHES "A.*"` becomes `title IN ('Aleph', 'Arcadia')`. The other conditions of the statement
/// limit the values that are read, if that changes no result.
package struct SQLClientEvaluation {
    package let connection: any SQLConnection
    package let types: SQLTypes

    /// Whether a SELECT has a condition that the client must evaluate.
    package static func isNeeded(for select: SQLSelect, _ types: SQLTypes, within outer: [SQLSelect] = []) -> Bool {
        let scopes = [select] + outer
        if let condition = select.condition, !types.decides(condition, in: scopes) { return true }
        var isNeeded = false
        func inspect(_ nested: SQLSelect) {
            if !isNeeded { isNeeded = Self.isNeeded(for: nested, types, within: scopes) }
        }
        select.forEachExpression {
            $0.forEachNested(inspect)
        }
        switch select.source {
        case .select(let inner): inspect(inner)
        case .unionAll(let parts): parts.forEach(inspect)
        case .table, .nothing: break
        }
        return isNeeded
    }

    /// - Parameter outer: the enclosing SELECTs, the innermost first. The SELECT may name their rows.
    package func resolved(_ select: SQLSelect, within outer: [SQLSelect] = []) throws -> SQLSelect {
        let scopes = [select] + outer
        var result = try select.mapped {
            try withNestedResolved($0, scopes)
        } _: {
            try resolved($0, within: scopes)
        }
        guard let condition = result.condition, !types.decides(condition, in: scopes) else { return result }
        // Rows that other parts of an AND refuse need no evaluation.
        let parts = condition.conjuncts
        let narrowing = parts.filter { types.decides($0, in: scopes) && $0.onColumnsOnly != nil }
        result.condition = .and(try parts.map { try resolved($0, scopes, narrowing) })
        return result
    }

    /// Independent conditions of nested SELECTs are evaluated first.
    private func withNestedResolved(_ expression: SQLExpression, _ scopes: [SQLSelect]) throws -> SQLExpression {
        try expression.mapped {
            try withNestedResolved($0, scopes)
        } _: {
            try resolved($0, within: scopes)
        }
    }

    private func resolved(
        _ condition: SQLExpression, _ scopes: [SQLSelect], _ narrowing: [SQLExpression] = []
    ) throws -> SQLExpression {
        if types.decides(condition, in: scopes) { return condition }
        switch condition {
        case .and(let list): return .and(try list.map { try resolved($0, scopes, narrowing) })
        case .or(let list): return .or(try list.map { try resolved($0, scopes, narrowing) })
        case .not(let inner): return .not(try resolved(inner, scopes, narrowing))
        case .function(.coalesce, let arguments, _) where arguments.count == 2:
            return .function(.coalesce, [try resolved(arguments[0], scopes), arguments[1]])
        default: return try evaluated(condition, scopes, narrowing)
        }
    }

    /// Reads the values on which a condition depends, and returns a condition that is true for those for which it
    /// holds.
    private func evaluated(
        _ condition: SQLExpression, _ scopes: [SQLSelect], _ narrowing: [SQLExpression]
    ) throws -> SQLExpression {
        let parts = condition.readParts
        let aliases = parts.reduce(into: Set<String>()) { $0.formUnion($1.namedAliases) }
        if parts.isEmpty { return .value(try SQLEvaluation(values: []).value(of: condition)) }
        let depth = scopes.firstIndex { aliases.isSubset(of: $0.tables.keys) }
        guard let depth else { return try evaluatedAcross(condition, parts: parts, aliases: aliases, scopes: scopes) }
        let scope = scopes[depth]
        let beside = depth == 0 ? narrowing : []
        // If the destination row of a to-one relationship is missing, its key gives no result, so the condition must
        // give none either.
        if aliases.count == 1, let alias = aliases.first, let table = scope.tables[alias],
            try alias == scope.alias || isUnanswered(condition, parts)
        {
            let here = beside.filter { $0.namedAliases == aliases }
            var request = SQLSelect(parts, of: table, as: alias, where: here.isEmpty ? nil : .and(here))
            if parts.count == 1, case .column = parts[0], types.type(of: parts[0], in: scopes) == .varchar {
                request.isDistinct = true
                if types.narrowsTexts, let narrowed = TextCondition.narrowing(condition) {
                    request.condition = .and(here + [narrowed])
                }
                if let answer = try evaluated(condition, texts: request, parts[0]) { return answer }
                request.isDistinct = false
                request.condition = here.isEmpty ? nil : .and(here)
            }
            return try evaluated(condition, request, parts, keys: [alias])
        }
        var request = scope
        request.joins = scope.rowJoins
        request.results = parts.map { SQLSelect.Result(expression: $0) }
        let here = beside.filter { $0.namedAliases.isSubset(of: scope.tables.keys) }
        request.condition = here.isEmpty ? nil : .and(here)
        (request.order, request.limit, request.offset, request.isDistinct) = ([], nil, nil, false)
        (request.groupBy, request.having) = ([], nil)
        return try evaluated(condition, request, parts, keys: scope.keyAliases)
    }

    /// Evaluates a condition on rows of several SELECTs, for every combination of the rows.
    private func evaluatedAcross(
        _ condition: SQLExpression, parts: [SQLExpression], aliases: Set<String>, scopes: [SQLSelect]
    ) throws -> SQLExpression {
        var request: SQLSelect?
        var keys: [String] = []
        for scope in scopes where !aliases.isDisjoint(with: scope.tables.keys) {
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
        request.results = parts.map { SQLSelect.Result(expression: $0) }
        return try evaluated(condition, request, parts, keys: keys)
    }

    /// Whether a condition gives no result if all its values are missing.
    private func isUnanswered(_ condition: SQLExpression, _ parts: [SQLExpression]) throws -> Bool {
        if !parts.allSatisfy({ if case .column = $0 { true } else { false } }) { return false }
        return try SQLEvaluation(values: parts.map { ($0, .null) }).value(of: condition).isNull
    }

    /// Evaluates a condition on one column that has only texts. Nil if the column has other values, or texts without a
    /// result.
    private func evaluated(
        _ condition: SQLExpression, texts request: SQLSelect, _ column: SQLExpression
    ) throws -> SQLExpression? {
        // A row without a value must have no result, as it has none with the list.
        guard try isUnanswered(condition, [column]) else { return nil }
        var (holding, isDecided) = ([SlotValue](), true)
        let conditions = SQLEvaluation.Conditions()
        try connection.statement(request).stream({ _ in }) { row in
            let value = row.slotValue(0)
            if value.isNull { return }
            guard case .string = value else {
                isDecided = false
                return
            }
            let answer = try SQLEvaluation(values: [(column, value)], conditions).value(of: condition)
            switch SQLEvaluation.truth(of: answer) {
            case true?: holding.append(value)
            case false?: break
            // The condition is neither true nor false for the row.
            case nil: isDecided = false
            }
        }
        if !isDecided { return nil }
        return column.isAmong(holding)
    }

    /// Evaluates any other condition, and returns a list of the keys of the rows for which it is true.
    private func evaluated(
        _ condition: SQLExpression, _ request: SQLSelect, _ parts: [SQLExpression], keys aliases: [String]
    ) throws -> SQLExpression {
        let keys = aliases.map { SQLExpression.column(alias: $0, name: SQLSchema.keyColumn) }
        var request = request
        request.results += keys.map { SQLSelect.Result(expression: $0) }
        // A database that stores the entity of a row by its name returns the number if an integer is read.
        let labels = parts.map { types.type(of: $0, in: [request]) == .label }
        var (holding, unanswered) = ([[SlotValue]](), [[SlotValue]]())
        let conditions = SQLEvaluation.Conditions()
        try connection.statement(request).stream({ _ in }) { row in
            let values = parts.enumerated().map { place, part in
                (part, labels[place] && !row.isNull(place) ? .int(row.int64(place)) : row.slotValue(place))
            }
            let answer = SQLEvaluation.truth(of: try SQLEvaluation(values: values, conditions).value(of: condition))
            if answer == false { return }
            let found = keys.indices.map { row.slotValue(parts.count + $0) }
            if answer == nil { unanswered.append(found) } else { holding.append(found) }
        }
        if unanswered.isEmpty { return Self.areAmong(keys[...], holding) }
        return .choice(Self.areAmong(keys[...], unanswered), .null, Self.areAmong(keys[...], holding))
    }

    /// Whether several keys belong together to a row of a list.
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

extension SQLSelect {
    /// The tables whose rows the SELECT names, by their aliases.
    fileprivate var tables: [String: String] {
        var tables: [String: String] = [:]
        if let alias, case .table(let name) = source { tables[alias] = name }
        for join in joins { tables[join.alias] = join.table }
        return tables
    }

    /// The joins of rows. Join tables of pairs are left out: they have no keys, no condition names their columns, and
    /// their joins name rows of an enclosing SELECT.
    fileprivate var rowJoins: [Join] { joins.filter(\.isLeft) }

    /// The alias of the row that determines all other rows, because a to-one relationship leads from a row to a single
    /// row.
    fileprivate var keyAliases: [String] { alias.map { [$0] } ?? [] }

    /// The aliases of rows of enclosing SELECTs that the SELECT names.
    fileprivate var outerAliases: Set<String> {
        var aliases: Set<String> = []
        forEachExpression { aliases.formUnion($0.namedAliases) }
        return aliases.subtracting(tables.keys)
    }
}

extension SQLExpression {
    /// The parts of the condition that must all be true.
    fileprivate var conjuncts: [SQLExpression] {
        if case .and(let list) = self { return list.flatMap(\.conjuncts) }
        return [self]
    }

    /// The values that the database must return so that the client can compute the expression: its columns and its
    /// selected or aggregated values, each once.
    package var readParts: [SQLExpression] {
        var parts: [SQLExpression] = []
        func gather(_ expression: SQLExpression) {
            switch expression {
            case .column, .columns, .scalar, .exists, .isInSelect, .countAll, .function(.count, _, _),
                .function(.sum, _, _), .function(.min, _, _), .function(.max, _, _), .function(.average, _, _):
                if !parts.contains(expression) { parts.append(expression) }
            default:
                _ = expression.mapped {
                    gather($0)
                    return $0
                } _: {
                    $0
                }
            }
        }
        gather(self)
        return parts
    }

    /// The aliases of the rows that the expression names, without those of SELECTs within it.
    fileprivate var namedAliases: Set<String> {
        if case .column(let alias, _) = self { return alias.map { [$0] } ?? [] }
        var aliases: Set<String> = []
        _ = mapped {
            aliases.formUnion($0.namedAliases)
            return $0
        } _: {
            aliases.formUnion($0.outerAliases)
            return $0
        }
        return aliases
    }

    /// Calls a body with the SELECTs that stand directly in the expression.
    fileprivate func forEachNested(_ body: (SQLSelect) -> Void) {
        _ = mapped {
            $0.forEachNested(body)
            return $0
        } _: {
            body($0)
            return $0
        }
    }

    /// Whether a value is in a list. False for an empty list; no result for a missing value.
    fileprivate func isAmong(_ values: [SlotValue]) -> SQLExpression {
        values.isEmpty ? .binary(.notEqual, self, self) : .isInArray(self, values)
    }
}
