import Foundation

/// The client post-processing of a SELECT that a database does not run completely.
///
/// It computes values, groups them, and sorts in orders that the database does not have.
package struct SQLClientPostProcessing {
    /// The statement for the database, which reads rows with all values that the post-processing needs.
    package let request: SQLSelect
    private let select: SQLSelect
    private let parts: [SQLExpression]
    /// For each place, whether the part is the name of an entity, which is read as a number.
    private let labels: [Bool]
    private let isGrouped: Bool
    /// Whether the database sorts the rows, and applies limit and offset.
    private let isSorted: Bool

    /// Nil if the database can run the SELECT as it is.
    package init?(_ select: SQLSelect, _ types: SQLTypes, missing: Set<SQLSelect.Order.Collation>) {
        let scopes = [select]
        let values = select.results.map(\.expression)
        let sortsHere = select.order.contains {
            missing.contains($0.collation) && types.isOfText($0.expression, in: scopes)
                || !types.computes($0.expression, in: scopes)
        }
        // With DISTINCT a database sorts only by the selected values. It does not recognise an expression as one of
        // them if the two have bound values.
        let isOrderAmbiguous =
            select.isDistinct
            && !select.order.allSatisfy { values.contains($0.expression) && !$0.expression.bindsValues }
        // A database with types does not recognise that a nested SELECT in GROUP BY is the one among the results.
        let computesHere =
            !(values + select.groupBy).allSatisfy { types.computes($0, in: scopes) }
            || select.groupBy.contains { $0.hasSelect || $0.bindsValues }
        let filtersGroupsOnClient = !(select.having.map { types.decides($0, in: scopes) } ?? true)
        let isGrouped =
            !select.groupBy.isEmpty || select.having != nil || values.contains(where: \.isAggregate)
        // A value that a group may have several of is that of its first row. Databases with types refuse it.
        let isOfRows =
            isGrouped
            && (values + select.order.map(\.expression)).contains { $0.isOfRows(groupedBy: select.groupBy) }
        guard sortsHere || isOrderAmbiguous || computesHere || filtersGroupsOnClient || isOfRows else { return nil }
        self.select = select
        self.isGrouped = isGrouped
        isSorted = !sortsHere && !isGrouped
        var parts: [SQLExpression] = []
        for expression in values + select.groupBy + [select.having].compactMap({ $0 })
            + (isSorted ? [] : select.order.map(\.expression))
        {
            for part in expression.leaves where !parts.contains(part) { parts.append(part) }
        }
        self.parts = parts
        labels = parts.map { types.type(of: $0, in: scopes) == .label }
        var request = select
        request.results = parts.isEmpty ? [.init(expression: .value(.int(1)))] : parts.map { .init(expression: $0) }
        (request.groupBy, request.having, request.isDistinct) = ([], nil, false)
        if !isSorted { request.order = [] }
        if !isSorted || select.isDistinct { (request.limit, request.offset) = (nil, nil) }
        self.request = request
    }

    /// The rows of the SELECT, computed from those of the request.
    package func rows(of statement: any SQLPreparedStatement) throws -> [[SlotValue]] {
        var groups: [[SQLEvaluation]] = []
        var places: [[SlotKey]: Int] = [:]
        if isGrouped, select.groupBy.isEmpty { groups = [[]] }
        try statement.rows { row in
            let found = values(row)
            guard isGrouped else { return groups.append([found]) }
            if select.groupBy.isEmpty { return groups[0].append(found) }
            let key = try select.groupBy.map { SlotKey(try found.value(of: $0)) }
            if let place = places[key] {
                groups[place].append(found)
            } else {
                places[key] = groups.count
                groups.append([found])
            }
        }
        var rows: [(row: [SlotValue], order: [SlotValue])] = []
        for group in groups {
            if let having = select.having, SQLEvaluation.truth(of: try value(of: having, group)) != true { continue }
            rows.append(
                (
                    try select.results.map { try value(of: $0.expression, group).withoutNaN },
                    isSorted ? [] : try select.order.map { try value(of: $0.expression, group) }
                ))
        }
        if !isSorted, !select.order.isEmpty { sort(&rows) }
        var result = rows.map(\.row)
        if select.isDistinct {
            var known: Set<[SlotKey]> = []
            result = result.filter { known.insert($0.map(SlotKey.init)).inserted }
        }
        if !isSorted || select.isDistinct {
            result.removeFirst(min(select.offset ?? 0, result.count))
            if let limit = select.limit, result.count > limit { result.removeLast(result.count - limit) }
        }
        return result
    }

    /// Calls a body with the rows of the SELECT. If each of them comes from one row of the request, no row is kept in
    /// memory.
    package func stream(_ statement: any SQLPreparedStatement, _ body: ([SlotValue]) throws -> Void) throws {
        guard isSorted, !select.isDistinct else { return try rows(of: statement).forEach(body) }
        try statement.stream({ _ in }) { row in
            let found = values(row)
            try body(try select.results.map { try value(of: $0.expression, [found]).withoutNaN })
        }
    }

    /// The values of a row, for the computation on the client.
    private func values(_ row: any SQLRow) -> SQLEvaluation {
        SQLEvaluation(
            values: parts.indices.map { place in
                (parts[place], labels[place] && !row.isNull(place) ? .int(row.int64(place)) : row.slotValue(place))
            })
    }

    // MARK: Order

    private func sort(_ rows: inout [(row: [SlotValue], order: [SlotValue])]) {
        let terms = select.order.map { ($0.collation.selector, $0.isAscending) }
        var places = Array(rows.indices)
        places.sort { one, other in
            for (number, (selector, isAscending)) in terms.enumerated() {
                let (a, b) = (rows[one].order[number].forComparing, rows[other].order[number].forComparing)
                let order = selector.order(a, b) ?? .orderedSame
                if order != .orderedSame { return (order == .orderedAscending) == isAscending }
            }
            return one < other
        }
        rows = places.map { rows[$0] }
    }

    // MARK: Groups

    /// The value of an expression for a group of rows.
    private func value(of expression: SQLExpression, _ group: [SQLEvaluation]) throws -> SlotValue {
        var values = group.first?.values ?? []
        if isGrouped {
            for aggregate in expression.readParts where aggregate.isAggregate {
                values.append((aggregate, try self.value(ofAggregate: aggregate, group)))
            }
        }
        return try SQLEvaluation(values: values).value(of: expression)
    }

    private func value(ofAggregate aggregate: SQLExpression, _ group: [SQLEvaluation]) throws -> SlotValue {
        guard case .function(let function, let arguments, let isDistinct) = aggregate, let argument = arguments.first
        else { return .int(Int64(group.count)) }
        var values = try group.map { try $0.value(of: argument).withoutNaN }.filter { !$0.isNull }
        if isDistinct {
            var known: Set<SlotKey> = []
            values = values.filter { known.insert(SlotKey($0)).inserted }
        }
        if function == .count { return .int(Int64(values.count)) }
        return SQLEvaluation.aggregate(function, values)
    }
}

extension SlotValue {
    /// NaN is a missing value in computations of a database.
    fileprivate var withoutNaN: SlotValue {
        if case .double(let number) = self, number.isNaN { .null } else { self }
    }
}

extension SQLSelect.Order.Collation {
    fileprivate var selector: SortSelector {
        switch self {
        case .binary: .compare
        case .caseInsensitive: .caseInsensitiveCompare
        case .localized: .localizedCompare
        case .localizedCaseInsensitive: .localizedCaseInsensitiveCompare
        case .localizedStandard: .localizedStandardCompare
        }
    }
}

extension SQLExpression {
    /// Whether the expression is a value of several rows.
    fileprivate var isAggregate: Bool {
        switch self {
        case .countAll, .function(.count, _, _), .function(.sum, _, _), .function(.min, _, _), .function(.max, _, _),
            .function(.average, _, _):
            return true
        case .column, .columns, .scalar, .exists: return false
        default:
            var found = false
            _ = mapped {
                if $0.isAggregate { found = true }
                return $0
            } _: {
                $0
            }
            return found
        }
    }

    /// Whether it is a value of single rows of a group.
    fileprivate func isOfRows(groupedBy groups: [SQLExpression]) -> Bool {
        if groups.contains(self) { return false }
        return readParts.contains { !$0.isAggregate && !groups.contains($0) }
    }

    /// Whether constants in the expression are bound to parameters of the statement.
    fileprivate var bindsValues: Bool {
        var bindsValues = false
        forEach {
            switch $0 {
            case .value, .isInArray, .hasPrefix: bindsValues = true
            default: break
            }
        }
        return bindsValues
    }

    /// Whether the value of the expression comes from a nested SELECT.
    fileprivate var hasSelect: Bool { readParts.contains { if case .scalar = $0 { true } else { false } } }

    /// The parts of the expression that are read from each row: columns and selected values.
    fileprivate var leaves: [SQLExpression] {
        readParts.flatMap { part -> [SQLExpression] in
            if case .function(_, let arguments, _) = part { return arguments.flatMap(\.leaves) }
            return part == .countAll ? [] : [part]
        }
    }
}
