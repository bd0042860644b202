/// A predicate as text, with the values that text does not have.
struct PrintedPredicate {
    private(set) var format = ""
    private(set) var arguments: [ModelValue] = []
    /// The values of variables `$v0`, `$v1` and so on.
    private(set) var variables: [ModelValue] = []
    private let spelling: Question.Spelling

    init(_ condition: Condition, _ spelling: Question.Spelling = .usual) {
        self.spelling = spelling
        format = text(condition)
    }

    init(_ operand: Operand) {
        spelling = .usual
        format = text(operand)
    }

    private var isOfSigns: Bool { spelling == .signs }

    // MARK: Conditions

    private mutating func text(_ condition: Condition) -> String {
        switch condition {
        case .constant(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .not(.comparison(.direct, let left, .isIn, .exact, let right)) where isOfSigns:
            let first = text(left)
            return "\(first) NOT IN \(text(right))"
        case .not(let part): return "\(isOfSigns ? "!" : "NOT ")(\(text(part)))"
        case .and(let parts): return joined(parts, isOfSigns ? " && " : " AND ")
        case .or(let parts): return joined(parts, isOfSigns ? " || " : " OR ")
        case .comparison(let modifier, let left, let relation, let options, let right):
            let first = isTruth(right) ? text(truth: left) : text(left)
            let second = isTruth(left) ? text(truth: right) : text(right)
            let word = modifier == .any && isOfSigns ? "SOME " : modifier.rawValue
            return "\(word)\(first) \(sign(relation))\(options.rawValue) \(second)"
        }
    }

    /// Whether it is a path to a truth.
    private func isTruth(_ operand: Operand) -> Bool {
        if case .path(let keys, _) = operand { keys.last == "active" } else { false }
    }

    private mutating func text(truth operand: Operand) -> String {
        guard case .constant(.number(let number)) = operand, number == 0 || number == 1 else { return text(operand) }
        switch spelling {
        case .usual: return number == 1 ? "YES" : "NO"
        case .signs: return number == 1 ? "TRUE" : "FALSE"
        case .arguments, .variables: return text(operand)
        }
    }

    private func sign(_ relation: Condition.Relation) -> String {
        guard isOfSigns else { return relation.rawValue }
        switch relation {
        case .equal: return "="
        case .notEqual: return "<>"
        case .lessOrEqual: return "=<"
        case .greaterOrEqual: return "=>"
        default: return relation.rawValue
        }
    }

    private mutating func joined(_ parts: [Condition], _ word: String) -> String {
        var texts: [String] = []
        for part in parts { texts.append("(\(text(part)))") }
        return texts.joined(separator: word)
    }

    // MARK: Operands

    private mutating func path(_ keys: [String], _ base: Base) -> String {
        let path = keys.joined(separator: ".")
        if let name = base.name { return keys.isEmpty ? "$\(name)" : "$\(name).\(path)" }
        guard spelling == .arguments, !keys.isEmpty else { return keys.isEmpty ? "SELF" : path }
        arguments.append(.text(path))
        return "%K"
    }

    private mutating func text(_ operand: Operand) -> String {
        switch operand {
        case .constant(let value): return text(value, isWhole: true)
        case .itself(let base): return path([], base)
        case .path(let keys, let base): return path(keys, base)
        case .identifier(let keys, let base): return path(keys + ["objectID"], base)
        case .entity(let base): return path(["entity"], base)
        case .count(let keys, let base): return path(keys + ["@count"], base)
        case .aggregate(let aggregate, let keys, let key, let base):
            return path(keys + ["@\(aggregate.rawValue)", key], base)
        case .distinct(let keys, let key, let base): return path(keys + ["@distinctUnionOfObjects", key], base)
        case .function(let function, let keys, let base): return "\(function.rawValue):(\(path(keys, base)))"
        case .arithmetic(let left, .modulus, let right):
            let first = text(left)
            return "modulus:by:(\(first), \(text(right)))"
        case .arithmetic(let left, let sign, let right):
            let first = text(left)
            return "(\(first) \(sign.rawValue) \(text(right)))"
        case .call(let function, let inner): return "\(function.rawValue):(\(text(inner)))"
        case .choice(let condition, let yes, let no):
            let test = text(condition)
            let first = text(yes)
            return "TERNARY(\(test), \(first), \(text(no)))"
        case .subquery(let keys, let base, let level, let condition):
            let members = path(keys, base)
            return "SUBQUERY(\(members), $\(Base.variable(level).name ?? ""), \(text(condition)))"
        case .subqueryCount(let keys, let base, let level, let condition):
            return text(.subquery(keys, of: base, level: level, condition)) + ".@count"
        case .indexed(let keys, let index, let rest, let base):
            return ([path(keys, base) + "[\(Self.text(index))]"] + rest).joined(separator: ".")
        case .seconds(let inner): return "CAST(\(text(inner)), 'NSNumber')"
        case .called(let key): return "FUNCTION(SELF, 'valueForKey:', '\(key)')"
        case .property(let keys, let function, let base):
            return path(keys + [function == .length ? "length" : "\(function.rawValue)String"], base)
        case .now: return "now()"
        case .combined(let left, let operation, let right, let base):
            let first = path(left, base)
            return "(\(first) \(operation.rawValue) \(path(right, base)))"
        case .elements(let list):
            var texts: [String] = []
            for element in list { texts.append(text(element)) }
            return "{\(texts.joined(separator: ", "))}"
        case .groupAggregate(let function, let inner, let isDistinct):
            let argument = text(inner)
            return "\(function.rawValue):(\(isDistinct ? "distinct:(\(argument))" : argument))"
        }
    }

    private static func text(_ index: Operand.Index) -> String {
        switch index {
        case .first: "FIRST"
        case .last: "LAST"
        case .size: "SIZE"
        case .at(let place): "\(place)"
        }
    }

    // MARK: Values

    /// - Parameter isWhole: whether the value is a side of a comparison, and not an element of a list.
    private mutating func text(_ value: ModelValue, isWhole: Bool) -> String {
        switch (spelling, value) {
        case (.arguments, .number(let number)) where isWhole:
            arguments.append(value)
            return number == number.rounded() ? "%ld" : "%f"
        case (.arguments, _) where isWhole && value != .none:
            arguments.append(value)
            return "%@"
        case (.variables, _) where isWhole && value != .none:
            variables.append(value)
            return "$v\(variables.count - 1)"
        default: break
        }
        switch value {
        case .none: return isOfSigns ? "NULL" : "nil"
        case .text(let text): return isOfSigns ? "\"\(text)\"" : "'\(text)'"
        case .number(let number): return number == number.rounded() ? "\(Int(number))" : "\(number)"
        case .date, .object, .token, .entity:
            arguments.append(value)
            return "%@"
        case .list(let elements) where elements.count > 20:
            arguments.append(value)
            return "%@"
        case .list(let elements):
            var texts: [String] = []
            for element in elements { texts.append(text(element, isWhole: false)) }
            return "{\(texts.joined(separator: ", "))}"
        }
    }
}
