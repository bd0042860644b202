extension NSExpression {
    /// The expression with every part passed through `transform`, innermost first. Parts that stay are shared.
    package func rewriting(_ transform: (NSExpression) -> NSExpression) -> NSExpression {
        transform(mappingParts({ $0.rewriting(transform) }, { $0.rewriting(transform) }))
    }

    /// The expression with replacements in place of the outermost parts that have one.
    package func replacing(_ replacement: (NSExpression) -> NSExpression?) -> NSExpression {
        replacement(self) ?? mappingParts({ $0.replacing(replacement) }, { $0.replacing(replacement) })
    }

    /// The expression with its immediate subexpressions and predicates changed.
    private func mappingParts(
        _ inside: (NSExpression) -> NSExpression, _ change: (NSPredicate) -> NSPredicate
    ) -> NSExpression {
        let new: Payload
        switch payload {
        case .constant, .evaluatedObject, .variable, .anyKey, .subclass, .keyPath(_, nil):
            return self
        case .keyPath(let path, let operand?):
            new = .keyPath(path, operand: inside(operand))
        case .function(let name, let target, let arguments):
            new = .function(name, target: target.map(inside), arguments: arguments.map(inside))
        case .set(let operation, let left, let right):
            new = .set(operation, inside(left), inside(right))
        case .subquery(let collection, let variable, let predicate):
            new = .subquery(inside(collection), variable: variable, change(predicate))
        case .aggregate(let elements):
            new = .aggregate(elements.map(inside))
        case .block(let block, let arguments):
            new = .block(block, arguments: arguments.map(inside))
        case .conditional(let predicate, let whenTrue, let whenFalse):
            new = .conditional(change(predicate), inside(whenTrue), inside(whenFalse))
        case .fetch(let request, let context, let countOnly):
            return NSFetchRequestExpression.expression(
                forFetch: inside(request), context: inside(context), countOnly: countOnly)
        }
        return NSExpression(payload: new)
    }

    /// The expression with constants in place of variables; see `NSPredicate.substituting(_:)`.
    package func substituting(_ variables: [String: Any]) -> NSExpression {
        switch payload {
        case .variable(let name):
            guard let value = variables[name] else { return self }
            return value as? NSExpression ?? NSExpression(forConstantValue: value)
        case .subquery(let collection, let variable, let predicate):
            // In the subquery, the iterator hides a variable of the same name.
            let visible = variables.filter { $0.key != variable }
            return NSExpression(
                payload: .subquery(
                    collection.substituting(variables), variable: variable, predicate.substituting(visible)))
        case .constant, .evaluatedObject, .anyKey, .subclass, .keyPath(_, nil):
            return self
        case .keyPath(let path, let operand?):
            return NSExpression(payload: .keyPath(path, operand: operand.substituting(variables)))
        case .function(let name, let target, let arguments):
            return NSExpression(
                payload: .function(
                    name, target: target?.substituting(variables),
                    arguments: arguments.map { $0.substituting(variables) }))
        case .set(let operation, let left, let right):
            return NSExpression(payload: .set(operation, left.substituting(variables), right.substituting(variables)))
        case .aggregate(let elements):
            return NSExpression(payload: .aggregate(elements.map { $0.substituting(variables) }))
        case .block(let block, let arguments):
            return NSExpression(payload: .block(block, arguments: arguments.map { $0.substituting(variables) }))
        case .conditional(let predicate, let whenTrue, let whenFalse):
            return NSExpression(
                payload: .conditional(
                    predicate.substituting(variables), whenTrue.substituting(variables),
                    whenFalse.substituting(variables)))
        case .fetch(let request, let context, let countOnly):
            return NSFetchRequestExpression.expression(
                forFetch: request.substituting(variables), context: context.substituting(variables),
                countOnly: countOnly)
        }
    }

    /// The key paths the expression reads, from the evaluated object. See `NSPredicate.keyPaths`.
    package var keyPaths: Set<String> {
        var paths: Set<String> = []
        collect(&paths, [:])
        return paths
    }

    /// The path an expression stands for, when it is one: its own or, through an iterator, one within a collection.
    private func path(_ iterators: [String: String]) -> String? {
        switch payload {
        case .keyPath(let path, nil): path.text
        case .keyPath(let path, let operand?):
            operand.path(iterators).map { $0.isEmpty ? path.text : $0 + "." + path.text }
        case .variable(let name): iterators[name]
        case .subquery(let collection, _, _): collection.path(iterators)
        case .evaluatedObject: ""
        default: nil
        }
    }

    fileprivate func collect(_ paths: inout Set<String>, _ iterators: [String: String]) {
        if let path = path(iterators), !path.isEmpty { paths.insert(path) }
        switch payload {
        case .constant, .evaluatedObject, .variable, .anyKey, .subclass, .keyPath(_, nil):
            break
        case .keyPath(_, let operand?):
            operand.collect(&paths, iterators)
        case .function(_, let target, let arguments):
            target?.collect(&paths, iterators)
            for argument in arguments { argument.collect(&paths, iterators) }
        case .set(_, let left, let right):
            left.collect(&paths, iterators)
            right.collect(&paths, iterators)
        case .subquery(let collection, let variable, let predicate):
            collection.collect(&paths, iterators)
            var inner = iterators
            inner[variable] = collection.path(iterators)
            predicate.collect(&paths, inner)
        case .aggregate(let elements), .block(_, let elements):
            for element in elements { element.collect(&paths, iterators) }
        case .conditional(let predicate, let whenTrue, let whenFalse):
            predicate.collect(&paths, iterators)
            whenTrue.collect(&paths, iterators)
            whenFalse.collect(&paths, iterators)
        case .fetch(let request, let context, _):
            request.collect(&paths, iterators)
            context.collect(&paths, iterators)
        }
    }
}

extension NSExpression {
    /// Whether the expression may read more than its key paths say: a block or a fetch does, and a function of the
    /// evaluated object.
    fileprivate var readsUnnamedValues: Bool {
        var found = false
        func isObject(_ part: NSExpression) -> Bool {
            if case .evaluatedObject = part.payload { return true }
            return false
        }
        _ = replacing { part in
            switch part.payload {
            case .block, .fetch: found = true
            case .function(_, let target, let arguments):
                found = found || target.map(isObject) == true || arguments.contains(where: isObject)
            case .subquery(_, _, let predicate), .conditional(let predicate, _, _):
                found = found || predicate.readsUnnamedValues
            default: break
            }
            return found ? part : nil
        }
        return found
    }
}

extension NSPredicate {
    /// Whether the predicate may read more than its key paths say.
    package var readsUnnamedValues: Bool {
        var found = false
        forEachSimplePart { part in
            switch part.form {
            case .opaque: found = true
            case .comparison(let comparison):
                found =
                    found || comparison.leftExpression.readsUnnamedValues
                    || comparison.rightExpression.readsUnnamedValues
            case .compound, .constant: break
            }
        }
        return found
    }

    /// The predicate with every expression in it passed through `transform`, innermost first. Blocks stay as they are.
    package func rewriting(_ transform: (NSExpression) -> NSExpression) -> NSPredicate {
        mappingSimpleParts { part in
            part.mappingOperands { $0.rewriting(transform) }
        }
    }

    /// The predicate with replacements in place of the outermost parts of its expressions that have one.
    package func replacing(_ replacement: (NSExpression) -> NSExpression?) -> NSPredicate {
        mappingSimpleParts { part in
            part.mappingOperands { $0.replacing(replacement) }
        }
    }

    /// The predicate with constants in place of the variables that `variables` has values for.
    package func substituting(_ variables: [String: Any]) -> NSPredicate {
        mappingSimpleParts { part in
            guard case .opaque(let block) = part.form else {
                return part.mappingOperands { $0.substituting(variables) }
            }
            // A Foundation block gets the values of its call, so the values are bound to it.
            let values = variables
            return NSPredicate { object, bindings in
                block.evaluate(with: object, substitutionVariables: values.merging(bindings ?? [:]) { $1 })
            }
        }
    }

    /// A comparison with both sides passed through `change`; another predicate is itself.
    private func mappingOperands(_ change: (NSExpression) -> NSExpression) -> NSPredicate {
        guard let comparison = self as? NSComparisonPredicate else { return self }
        let left = change(comparison.leftExpression)
        let right = change(comparison.rightExpression)
        if left === comparison.leftExpression, right === comparison.rightExpression { return self }
        return NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: comparison.comparisonPredicateModifier,
            type: comparison.predicateOperatorType, options: comparison.options)
    }

    /// The key paths the predicate reads, from the evaluated object.
    ///
    /// A path of a subquery's iterator counts as a path within the collection: `SUBQUERY(items, $i, $i.price > 3)`
    /// reads `items` and `items.price`. Collection operators are part of their path.
    package var keyPaths: Set<String> {
        var paths: Set<String> = []
        collect(&paths, [:])
        return paths
    }

    fileprivate func collect(_ paths: inout Set<String>, _ iterators: [String: String]) {
        forEachSimplePart { part in
            guard let comparison = part as? NSComparisonPredicate else { return }
            comparison.leftExpression.collect(&paths, iterators)
            comparison.rightExpression.collect(&paths, iterators)
        }
    }
}
