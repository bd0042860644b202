/// A function of the values that several rows have: `sum:(price)`, `count:(distinct:(name))`.
package struct AggregateExpression {
    package enum Function: String {
        case count = "count:"
        case sum = "sum:"
        case minimum = "min:"
        case maximum = "max:"
        case average = "average:"
    }

    package let function: Function
    /// The value of each row.
    package let argument: NSExpression
    /// Whether equal values count once.
    package let isDistinct: Bool

    /// Nil for any other expression. Functions of a list, of constants and of the results of a subquery are values of
    /// one row.
    package init?(_ expression: NSExpression) {
        guard case .function(let name, nil, let arguments) = expression.payload, arguments.count == 1,
            let function = Function(rawValue: name)
        else { return nil }
        self.function = function
        if case .function("distinct:", nil, let inner) = arguments[0].payload, let first = inner.first {
            (argument, isDistinct) = (first, true)
        } else {
            (argument, isDistinct) = (arguments[0], false)
        }
        switch argument.payload {
        case .evaluatedObject, .keyPath(_, nil): break
        case .function, .conditional:
            if argument.keyPaths.isEmpty || argument.readsVariables { return nil }
        default: return nil
        }
    }
}

extension NSExpression {
    /// The functions of several rows in the expression, without functions that are nested in them.
    package var aggregates: [AggregateExpression] {
        var found: [AggregateExpression] = []
        _ = replacing { $0.aggregate(into: &found) }
        return found
    }

    fileprivate func aggregate(into found: inout [AggregateExpression]) -> NSExpression? {
        guard let aggregate = AggregateExpression(self) else { return nil }
        found.append(aggregate)
        return self
    }

    fileprivate var readsVariables: Bool {
        var found = false
        _ = replacing { part in
            if case .variable = part.payload { found = true }
            return found ? part : nil
        }
        return found
    }
}

extension NSPredicate {
    /// The functions of several rows in the predicate, without functions that are nested in them.
    package var aggregates: [AggregateExpression] {
        var found: [AggregateExpression] = []
        _ = replacing { $0.aggregate(into: &found) }
        return found
    }
}
