import Foundation

extension SQLFetchTranslator {
    /// The translation of an expression of a predicate into SQL.
    package func operand(_ expression: NSExpression, in frame: SQLFrame) throws -> SQLOperand {
        switch expression.payload {
        case .constant(_, let value):
            return .constant(value)
        case .evaluatedObject:
            return try follow([], in: frame.rowFrame)
        case .keyPath(let path, operand: nil):
            return try follow(path.keys, in: frame.rowFrame)
        case .keyPath(let path, operand: let base?):
            return try keyPath(path, of: base, in: frame)
        case .variable(let name):
            if let inner = frame.frame(ofVariable: name) { return try follow([], in: inner) }
            if let named = frame.named[name] { return .value(named, nil) }
            throw Self.failure("the variable $\(name), which has no value")
        case .aggregate(let elements):
            return .constant(.collection(try elements.map { try constant($0) }))
        case .subquery(let collection, let variable, let predicate):
            guard case .members(var members) = try within(.row).operand(collection, in: frame), members.rest.isEmpty,
                members.narrowing == nil
            else {
                throw Self.failure("\(expression)")
            }
            members.narrowing = (variable, predicate)
            return .members(members)
        case .function(let name, nil, let arguments):
            return try function(name, arguments, expression, in: frame)
        case .conditional(let predicate, let first, let second):
            let choices = [try operand(first, in: frame), try operand(second, in: frame)]
            let test = try (scope == .member ? within(.row) : self).condition(predicate, in: frame)
            if let (keys, layout) = try keys(of: choices, expression) {
                return .object(.choice(test, keys[0], keys[1]), layout, entity: nil)
            }
            let (a, kind) = try single(choices[0], expression)
            let (b, _) = try single(choices[1], expression)
            return .value(.choice(test, a, b), kind)
        case .function, .set, .anyKey, .block, .fetch, .subclass:
            throw Self.failure("\(expression)")
        }
    }

    private func keyPath(_ path: KeyValuePath, of base: NSExpression, in frame: SQLFrame) throws -> SQLOperand {
        if case .variable(let name) = base.payload, let inner = frame.frame(ofVariable: name) {
            return try follow(path.keys, in: inner)
        }
        if case .members(var members) = try operand(base, in: frame) {
            members.rest += path.keys
            return try finish(members)
        }
        guard let value = try constantValue(of: base) else { throw Self.failure("\(path.text) of \(base)") }
        return .constant(ExpressionValue(try UndecidedPredicate.throwing { path.value(in: value) }))
    }

    /// The value of an expression that does not depend on rows.
    private func constant(_ expression: NSExpression) throws -> Any {
        guard let value = try constantValue(of: expression) else {
            throw Self.failure("\(expression) in a list of constants")
        }
        return value
    }

    private func constantValue(of expression: NSExpression) throws -> Any? {
        switch expression.payload {
        case .constant(let value, _): value ?? NSNull()
        case .aggregate, .function:
            Self.isIndependent(expression) ? try Self.value(of: expression) : nil
        default: nil
        }
    }

    /// Throws if the expression has no value, because the expression may come from a file.
    private static func value(of expression: NSExpression) throws -> Any? {
        try UndecidedPredicate.throwing { expression.expressionValue(with: nil, context: nil) }
    }

    /// The elements of a list of which at least one depends on the row; otherwise nil.
    package static func dependentList(_ expression: NSExpression) -> [NSExpression]? {
        guard case .aggregate(let elements) = expression.payload, !elements.allSatisfy(isIndependent) else {
            return nil
        }
        return elements
    }

    /// Whether an expression has the same value for every row.
    private static func isIndependent(_ expression: NSExpression) -> Bool {
        switch expression.payload {
        case .constant: true
        case .aggregate(let elements): elements.allSatisfy(isIndependent)
        case .function(_, nil, let arguments): arguments.allSatisfy(isIndependent)
        default: false
        }
    }

    /// The SQL of an operand that is a single value.
    package func single(_ operand: SQLOperand, _ expression: NSExpression) throws -> (SQLExpression, SlotKind?) {
        switch operand {
        case .value(let value, let kind): (value, kind)
        case .object(let key, _, _): (key, .reference)
        case .entity(let number): (number, .entityNumber)
        case .constant(let value): (try bound(value, as: nil), nil)
        case .members: throw Self.failure("to-many key not allowed here: \(expression)")
        }
    }

    /// The keys of objects of which one is chosen, and their root entity; nil where none of them is a row. A key alone
    /// does not say its table, so the objects must be of one root entity.
    private func keys(
        of choices: [SQLOperand], _ expression: NSExpression
    ) throws -> (keys: [SQLExpression], layout: EntityLayout)? {
        let layouts = choices.compactMap { choice -> EntityLayout? in
            switch choice {
            case .object(_, let layout, _): layout
            case .constant(.object(let object)): layoutOfRow(object)
            default: nil
            }
        }
        guard let root = layouts.first else { return nil }
        guard layouts.allSatisfy({ $0.rootIndex == root.rootIndex }) else { throw Self.failure("\(expression)") }
        let keys = try choices.map { choice in
            switch choice {
            case .object(let key, _, _): key
            case .constant(.null): SQLExpression.null
            case .constant(.object(let object)) where SQLComparison.family(.object(object)) == .object:
                try bound(.object(object), as: .reference, amongRowsOf: root)
            default: throw Self.failure("\(expression)")
            }
        }
        return (keys, root)
    }

    // MARK: Functions

    private func function(
        _ name: String, _ arguments: [NSExpression], _ expression: NSExpression, in frame: SQLFrame
    ) throws -> SQLOperand {
        if Self.isIndependent(expression), name != "count:" {
            return .constant(ExpressionValue(try Self.value(of: expression)))
        }
        if let function = AggregateExpression.Function(rawValue: name), let argument = arguments.first {
            if scope == .group, frame.outer == nil, let aggregate = AggregateExpression(expression) {
                return try aggregateOfGroup(aggregate, expression, in: frame)
            }
            return try within(.row).aggregateOfMembers(function, argument, expression, in: frame)
        }
        if name == "castObject:toType:" || name == "noindex:", let argument = arguments.first {
            return try operand(argument, in: frame)
        }
        if name == "objectFrom:withIndex:", arguments.count == 2,
            case .constant(_, .string("SIZE")) = arguments[1].payload,
            case .members(var members) = try within(.row).operand(arguments[0], in: frame)
        {
            members.rest.append("@count")
            return try finish(members)
        }
        let values = try arguments.map { argument in
            let operand = try operand(argument, in: frame)
            switch operand {
            case .object, .entity, .constant(.object): throw Self.failure("\(expression)")
            default: return try single(operand, expression)
            }
        }
        let kind = Self.kind(of: name, values.map(\.1))
        let parts = values.map(\.0)
        if let op = Self.operators[name], parts.count == 2 {
            return .value(.binary(op, parts[0], parts[1]), kind)
        }
        if let (function, _) = Self.functions[name] { return .value(.function(function, parts), kind) }
        if name == "onesComplement:", parts.count == 1 { return .value(.complement(parts[0]), kind) }
        throw Self.failure("the function \(name) in \(expression)")
    }

    /// The kind of a function's result for arguments of the given kinds; nil if it is not known.
    static func kind(of function: String, _ arguments: [SlotKind?]) -> SlotKind? {
        functions[function]?.1 ?? arguments.first { $0 != nil } ?? nil
    }

    /// A function of the members of a path, in a condition on rows.
    private func aggregateOfMembers(
        _ function: AggregateExpression.Function, _ argument: NSExpression, _ expression: NSExpression,
        in frame: SQLFrame
    ) throws -> SQLOperand {
        var argument = argument
        var isDistinct = false
        if case .function("distinct:", nil, let inner) = argument.payload, let first = inner.first {
            argument = first
            isDistinct = true
        }
        guard case .members(let members) = try operand(argument, in: frame) else {
            throw Self.failure("\(expression)")
        }
        return try aggregate(function.sql, of: members, distinct: isDistinct)
    }

    /// A function of all rows of a group. The members of its path are joined to the rows.
    private func aggregateOfGroup(
        _ aggregate: AggregateExpression, _ expression: NSExpression, in frame: SQLFrame
    ) throws -> SQLOperand {
        let (function, isDistinct) = (aggregate.function, aggregate.isDistinct)
        switch (try within(.member).operand(aggregate.argument, in: frame), function) {
        case (.object(let key, _, _), .count):
            return .value(.function(.count, [key], distinct: isDistinct), .integer)
        case (.object(let key, let layout, _), .minimum), (.object(let key, let layout, _), .maximum):
            return .object(.function(function.sql, [key]), layout, entity: nil)
        case (.value(_, .transformable), _):
            throw Self.failure("\(expression)")
        case (.value(let value, let kind), _):
            let result = SQLExpression.function(function.sql, [value], distinct: isDistinct)
            // The sum of no values is zero, as with Apple's `total`.
            let sum = function == .sum ? SQLExpression.function(.coalesce, [result, .value(.int(0))]) : result
            return .value(sum, function.kind(of: kind))
        case (.object, _), (.entity, _), (.constant, _), (.members, _):
            throw Self.failure("\(expression)")
        }
    }

    private static let operators: [String: SQLExpression.Operator] = [
        "add:to:": .add, "from:subtract:": .subtract, "multiply:by:": .multiply, "divide:by:": .divide,
        "modulus:by:": .modulo, "bitwiseAnd:with:": .bitAnd, "bitwiseOr:with:": .bitOr,
        "leftshift:by:": .shiftLeft, "rightshift:by:": .shiftRight,
    ]

    private static let functions: [String: (SQLExpression.Function, SlotKind?)] = [
        "uppercase:": (.upper, .string), "lowercase:": (.lower, .string), "canonical:": (.canonical, .string),
        "length:": (.length, .integer), "abs:": (.abs, nil), "sqrt:": (.squareRoot, .double), "floor:": (.floor, nil),
        "ceiling:": (.ceiling, nil), "trunc:": (.truncate, nil), "ln:": (.naturalLog, .double), "log:": (.log, .double),
        "exp:": (.exponential, .double), "raise:toPower:": (.power, .double), "random": (.random, .double),
        "now": (.now, .date),
    ]

    // MARK: Constants

    /// A constant as a bound value, in the form of a column of the given kind.
    ///
    /// - Parameter layout: the entity of the rows whose keys the constant is compared with. Each table numbers its keys
    ///   from 1, so an object of another root entity stands for no row.
    package func bound(
        _ value: ExpressionValue, as kind: SlotKind?, amongRowsOf layout: EntityLayout? = nil
    ) throws -> SQLExpression {
        switch value {
        case .null: return .null
        case .int(let number): return .value(.int(number))
        case .double(let number): return .value(.double(number))
        case .decimal(let number): return .value(.decimal(number))
        case .date(let seconds): return .value(.double(seconds))
        case .data(let data): return .value(.data(data))
        case .uuid(let uuid): return .value(kind == .string ? .string(uuid.uuidString) : .uuid(uuid))
        case .url(let url): return .value(.string(url.absoluteString))
        case .string(let text):
            if kind == .uuid, let uuid = UUID(uuidString: text) { return .value(.uuid(uuid)) }
            return .value(.string(text))
        case .object(let object):
            if let key = key(of: object, amongRowsOf: layout) { return .value(.int(key)) }
            throw Self.failure("a constant of the class \(type(of: object))")
        case .collection:
            throw Self.failure("a collection where one value is expected")
        case .other(let other):
            throw Self.failure("a constant of the type \(type(of: other))")
        }
    }

    /// The primary key of an object or an id. It is -1, which no row has, for a new object, for an object of another
    /// store or coordinator, and for an object of another root entity.
    private func key(of object: AnyObject, amongRowsOf expected: EntityLayout?) -> Int64? {
        if let entity = object as? NSEntityDescription {
            return layout.model.layout(of: entity).flatMap { schema.numbers[$0.index] }.map(Int64.init) ?? -1
        }
        let identity = (object as? any ObjectIdentityComparable)?.identityForComparison ?? object
        guard let convertible = identity as? any ObjectKeyConvertible else { return nil }
        let key = convertible.objectKey
        if let id = identity as? NSManagedObjectID,
            id.storeIdentifier != storeIdentifier || id.origin.modelLayout !== layout.model
        {
            return -1
        }
        guard !key.isTemporary, key.key >> ObjectKey.primaryKeyBits == Int64(storeNumber),
            layout.model.entities.indices.contains(key.layoutIndex),
            expected.map({ $0.rootIndex == layout.model.entities[key.layoutIndex].rootIndex }) ?? true
        else { return -1 }
        return key.primaryKey
    }

    /// The entity of the row that an object or id stands for; nil if it stands for none of this store.
    private func layoutOfRow(_ object: AnyObject) -> EntityLayout? {
        let identity = (object as? any ObjectIdentityComparable)?.identityForComparison ?? object
        guard let convertible = identity as? any ObjectKeyConvertible, let key = key(of: object, amongRowsOf: nil),
            key != -1
        else { return nil }
        return layout.model.entities[convertible.objectKey.layoutIndex]
    }

    /// Whether an object stands for none of the rows of an entity and its relatives.
    func isStranger(_ value: ExpressionValue, amongRowsOf layout: EntityLayout?) -> Bool {
        guard case .object(let object) = value else { return false }
        return key(of: object, amongRowsOf: layout) == -1
    }
}

extension SQLFrame {
    /// The frame of key paths without a variable. Within a SUBQUERY they mean the rows outside of it.
    package var rowFrame: SQLFrame {
        var frame = self
        while frame.variable != nil, let outer = frame.outer { frame = outer }
        return frame
    }
}

extension AggregateExpression.Function {
    /// The function that a database computes so; nil where it is none of several values.
    init?(_ function: SQLExpression.Function) {
        guard let same = [Self.count, .sum, .minimum, .maximum, .average].first(where: { $0.sql == function }) else {
            return nil
        }
        self = same
    }

    fileprivate var sql: SQLExpression.Function {
        switch self {
        case .count: .count
        case .sum: .sum
        case .minimum: .min
        case .maximum: .max
        case .average: .average
        }
    }
}
