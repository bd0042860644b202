/// The state of an evaluation: the evaluated object and the values of variables.
struct EvaluationContext {
    /// The evaluated object, `SELF`.
    let object: Any?
    /// The evaluated object, if it conforms to `KeyValueReadable`. It is cast once, because the cast costs more than a
    /// comparison.
    let readable: (any KeyValueReadable)?
    /// Values given from outside, by name without `$`.
    var substitutions: [String: Any]?
    /// The iterators of the enclosing subqueries; the innermost is last.
    var iterators: [(name: String, value: Any)] = []
    /// The dictionary that a caller of `expressionValue(with:context:)` passed, for blocks.
    var dictionary: NSMutableDictionary?

    init(_ object: Any?, substitutions: [String: Any]? = nil, dictionary: NSMutableDictionary? = nil) {
        self.object = object
        readable = object.flatMap { KeyValueAccess.readable($0) }
        self.substitutions = substitutions
        self.dictionary = dictionary
    }

    init(readable: any KeyValueReadable, substitutions: [String: Any]?) {
        object = readable
        self.readable = readable
        self.substitutions = substitutions
    }

    func value(of variable: String) -> Any? {
        if let iterator = iterators.last(where: { $0.name == variable }) { return iterator.value }
        if let substitutions, let value = substitutions[variable] { return value }
        if let value = dictionary?.object(forKey: variable) { return value }
        return UndecidedPredicate.noValue("Can't get value for '\(variable)' in bindings \(substitutions ?? [:]).")
    }

    func binding(_ name: String, to value: Any) -> EvaluationContext {
        var copy = self
        copy.iterators.append((name, value))
        return copy
    }

    /// The values of all variables but those of `dictionary`.
    var bindings: [String: Any] {
        iterators.reduce(into: substitutions ?? [:]) { $0[$1.name] = $1.value }
    }

    /// The dictionary that the evaluation of a subclass or a block receives.
    var asDictionary: NSMutableDictionary? {
        if iterators.isEmpty, substitutions == nil { return dictionary }
        let result = NSMutableDictionary()
        if let dictionary { result.addEntries(from: dictionary as? [AnyHashable: Any] ?? [:]) }
        result.addEntries(from: bindings)
        return result
    }
}

extension NSExpression {
    /// The value, unsorted, for callers that need it so.
    func value(in context: EvaluationContext) -> Any? {
        switch payload {
        case .constant(let value, _):
            return value
        case .evaluatedObject:
            return context.object
        case .variable(let name):
            return context.value(of: name)
        case .keyPath(let path, let operand):
            guard let operand else { return path.value(in: context.object) }
            return path.value(in: operand.value(in: context))
        case .function(let name, let target, let arguments):
            return call(name, target, arguments, in: context)
        case .set(let operation, let left, let right):
            return combine(operation, left.value(in: context), right.value(in: context))
        case .subquery(let collection, let variable, let predicate):
            guard let value = collection.value(in: context) else { return nil }
            let elements = ExpressionValue(value).elements ?? [value]
            return elements.filter { predicate.matches(context.binding(variable, to: $0)) }
        case .aggregate(let elements):
            return elements.map { $0.value(in: context) ?? NSNull() }
        case .anyKey:
            return nil
        case .block(let block, let arguments):
            return block(
                context.object, arguments.map { $0.value(in: context) ?? NSNull() }, context.asDictionary)
        case .conditional(let predicate, let whenTrue, let whenFalse):
            let chosen = predicate.matches(context) ? whenTrue : whenFalse
            return chosen.value(in: context)
        case .fetch(let request, let fetchContext, let countOnly):
            return NSFetchRequestExpression.result(
                of: request.value(in: context), in: fetchContext.value(in: context), countOnly: countOnly)
        case .subclass:
            return expressionValue(with: context.object, context: context.asDictionary)
        }
    }

    /// The value sorted by kind, for a comparison.
    func comparisonValue(in context: EvaluationContext) -> ExpressionValue {
        switch payload {
        case .constant(_, let value):
            return value
        default:
            return ExpressionValue(value(in: context))
        }
    }

    private func call(
        _ name: String, _ target: NSExpression?, _ arguments: [NSExpression], in context: EvaluationContext
    ) -> Any? {
        let values = arguments.map { $0.value(in: context) }
        guard let target else {
            guard let libraryFunction else {
                return UndecidedPredicate.noValue("Unsupported function expression \(name)")
            }
            return libraryFunction.body(values)
        }
        guard let receiver = target.value(in: context) else { return nil }
        if let callable = receiver as? any ExpressionFunctionReceiver,
            let result = callable.callExpressionFunction(name, arguments: values)
        {
            return result
        }
        switch (name, values.first) {
        case ("valueForKey:", let key as String), ("valueForKeyPath:", let key as String),
            ("objectForKey:", let key as String):
            return KeyValuePath(key).value(in: receiver)
        case (_, nil):
            // A function without arguments is read as a property: FUNCTION(name, "uppercaseString").
            return KeyValueAccess.value(of: receiver, forKey: name)
        default:
            return UndecidedPredicate.noValue(
                "\(self): an object of type \(type(of: receiver)) has no function \(name)")
        }
    }

    private func combine(_ operation: SetOperation, _ left: Any?, _ right: Any?) -> Any? {
        let a = left.flatMap { ExpressionValue($0).elements } ?? []
        let b = right.flatMap { ExpressionValue($0).elements } ?? []
        let known = b.map(ExpressionValue.init)
        func isInRight(_ element: Any) -> Bool {
            let value = ExpressionValue(element)
            return known.contains { ExpressionValue.areEqual($0, value) }
        }
        return switch operation {
        case .union: ExpressionFunction.distinct(a + b)
        case .intersect: a.filter(isInRight)
        case .minus: a.filter { !isInRight($0) }
        }
    }
}
