extension SQLExpression {
    /// The expression with its parts replaced. A nested SELECT is one part.
    package func mapped(
        _ part: (SQLExpression) throws -> SQLExpression, _ nested: (SQLSelect) throws -> SQLSelect
    ) rethrows -> SQLExpression {
        switch self {
        case .column, .columns, .value, .parameter, .null, .allColumns, .countAll: self
        case .binary(let op, let left, let right): .binary(op, try part(left), try part(right))
        case .and(let list): .and(try list.map(part))
        case .or(let list): .or(try list.map(part))
        case .not(let inner): .not(try part(inner))
        case .isNull(let inner): .isNull(try part(inner))
        case .isNotNull(let inner): .isNotNull(try part(inner))
        case .between(let value, let low, let high): .between(try part(value), try part(low), try part(high))
        case .complement(let inner): .complement(try part(inner))
        case .isIn(let value, let list): .isIn(try part(value), try list.map(part))
        case .isInArray(let value, let list): .isInArray(try part(value), list)
        case .isInParameter(let value, let number): .isInParameter(try part(value), number)
        case .isInSelect(let value, let select): .isInSelect(try part(value), try nested(select))
        case .hasPrefix(let value, let prefix): .hasPrefix(try part(value), prefix)
        case .row(let list): .row(try list.map(part))
        case .rowNumber(let partition, let order):
            .rowNumber(
                partition: try partition.map(part),
                order: try order.map { term in
                    var term = term
                    term.expression = try part(term.expression)
                    return term
                })
        case .exists(let select): .exists(try nested(select))
        case .scalar(let select): .scalar(try nested(select))
        case .function(let function, let arguments, let distinct):
            .function(function, try arguments.map(part), distinct: distinct)
        case .cast(let value, let type): .cast(try part(value), type)
        case .choice(let condition, let yes, let no): .choice(try part(condition), try part(yes), try part(no))
        }
    }

    /// Whether a second evaluation gives an equal value: the expression does not depend on chance or on the time.
    package var isSteady: Bool {
        var isSteady = true
        forEach {
            if case .function(let function, _, _) = $0, function == .random || function == .now { isSteady = false }
        }
        return isSteady
    }

    /// Calls a body with the expression and its parts, including those of nested SELECTs.
    package func forEach(_ body: (SQLExpression) -> Void) {
        body(self)
        _ = mapped {
            $0.forEach(body)
            return $0
        } _: {
            $0.forEachExpression { $0.forEach(body) }
            return $0
        }
    }
}

extension SQLSelect {
    /// The SELECT with its expressions replaced.
    package func mapped(
        _ part: (SQLExpression) throws -> SQLExpression, _ nested: (SQLSelect) throws -> SQLSelect
    ) rethrows -> SQLSelect {
        var select = self
        select.results = try results.map { Result(expression: try part($0.expression), name: $0.name) }
        select.joins = try joins.map { join in
            var join = join
            join.on = try part(join.on)
            return join
        }
        select.condition = try condition.map(part)
        select.groupBy = try groupBy.map(part)
        select.having = try having.map(part)
        select.order = try order.map { term in
            var term = term
            term.expression = try part(term.expression)
            return term
        }
        switch source {
        case .table, .nothing: break
        case .select(let inner): select.source = .select(try nested(inner))
        case .unionAll(let parts): select.source = .unionAll(try parts.map(nested))
        }
        return select
    }

    package func forEachExpression(_ body: (SQLExpression) -> Void) {
        _ = mapped {
            body($0)
            return $0
        } _: {
            $0.forEachExpression(body)
            return $0
        }
    }
}
