import Foundation

// The values of operands.
extension RequestOracle {
    /// The subject of a condition: an object, with the members of subqueries around it; or a group, with its computed
    /// columns.
    struct Row {
        var object: Int?
        var variables: [Int: Int] = [:]
        var group: [JoinedRow] = []
        var columns: [String: ModelValue] = [:]

        func start(_ base: Base) -> Int? {
            switch base {
            case .row: object
            case .variable(let level): variables[level]
            }
        }
    }

    func value(_ operand: Operand, _ row: Row) -> ModelValue {
        switch operand {
        case .constant(let value): return value
        case .elements(let list): return .list(list.map { value($0, row) })
        case .now: return .date(.greatestFiniteMagnitude)
        case .combined(let left, let operation, let right, let base):
            let (a, b) = (follow(left, row.start(base)).elements, follow(right, row.start(base)).elements)
            switch operation {
            case .union: return .list(a + b)
            case .intersection: return .list(a.filter(b.contains))
            case .minus: return .list(a.filter { !b.contains($0) })
            }
        case .itself(let base): return row.start(base).map { .object($0) } ?? .none
        case .entity(let base):
            return row.start(base).flatMap { world.objects[$0] }.map { .entity($0.entity) } ?? .none
        case .path(let keys, let base):
            if keys.count == 1, base == .row, let value = row.columns[keys[0]] { return value }
            return follow(keys, row.start(base))
        case .identifier(let keys, let base): return follow(keys, row.start(base))
        case .count(let keys, let base):
            let members = follow(keys, row.start(base))
            return isUnowned(members) ? .none : .number(Double(members.elements.count))
        case .aggregate(let aggregate, let keys, let key, let base):
            let members = follow(keys, row.start(base))
            if isUnowned(members) { return .none }
            return Self.aggregate(aggregate.function, ModelWorld.labels(members).map { follow([key], $0) })
        case .function(let function, let keys, let base):
            return Self.aggregate(function, follow(keys, row.start(base)).elements)
        case .distinct(let keys, let key, let base):
            let members = follow(keys, row.start(base))
            if members == .none { return .none }
            let values = ModelWorld.labels(members).map { follow([key], $0) }.filter { $0 != .none }
            return .list(Array(Set(values)))
        case .arithmetic(let left, let sign, let right):
            return Self.computed(
                value(left, row), sign, value(right, row), isOfIntegers: left.isInteger && right.isInteger)
        case .call(let function, let inner): return Self.called(function, value(inner, row))
        case .property(let keys, let function, let base):
            return Self.called(function, follow(keys, row.start(base)))
        case .seconds(let inner):
            if case .date(let seconds) = value(inner, row) { return .number(seconds) }
            return .none
        case .called(let key): return follow([key], row.object)
        case .choice(let condition, let yes, let no):
            return value(answer(condition, row) == true ? yes : no, row)
        case .subquery(let keys, let base, let level, let condition):
            let members = follow(keys, row.start(base))
            return isUnowned(members) ? .none : .list(found(members, level, condition, row).map { .object($0) })
        case .subqueryCount(let keys, let base, let level, let condition):
            let members = follow(keys, row.start(base))
            return isUnowned(members) ? .none : .number(Double(found(members, level, condition, row).count))
        case .indexed(let keys, let index, let rest, let base):
            return indexed(follow(keys, row.start(base)), index, rest)
        case .groupAggregate(let function, let argument, let isDistinct):
            let values = row.group.map { self.argument(argument, $0) }
            return Self.aggregate(function, isDistinct ? Array(Set(values)) : values)
        }
    }

    private func found(_ members: ModelValue, _ level: Int, _ condition: Condition, _ row: Row) -> [Int] {
        ModelWorld.labels(members).filter { member in
            var inner = row
            inner.variables[level] = member
            return answer(condition, inner) == true
        }
    }

    private func indexed(_ members: ModelValue, _ index: Operand.Index, _ rest: [String]) -> ModelValue {
        if isUnowned(members) { return .none }
        let labels = ModelWorld.labels(members)
        let label: Int?
        switch index {
        case .size: return .number(Double(labels.count))
        case .first: label = labels.first
        case .last: label = labels.last
        case .at(let place): label = labels.indices.contains(place) ? labels[place] : nil
        }
        return follow(rest, label)
    }

    /// Whether there is no object whose members they could be. A database counts none there, and an object has no
    /// answer.
    private func isUnowned(_ members: ModelValue) -> Bool { meaning == .objects && members == .none }

    /// The value behind a key path; a list of all values there where it goes through a to-many relationship.
    func follow(_ path: [String], _ label: Int?) -> ModelValue {
        guard let label, let object = world.objects[label] else { return .none }
        guard let key = path.first else { return .object(label) }
        if key == QuestionModel.size { return object[path.joined(separator: ".")] }
        let isToMany = ModelWorld.relationship(object.entity, key)?.isToMany ?? false
        let value = object[key]
        if path.count == 1 { return isToMany && value == .none ? .list([]) : value }
        let rest = Array(path.dropFirst())
        guard isToMany else { return follow(rest, ModelWorld.labels(value).first) }
        return .list(
            ModelWorld.labels(value).flatMap { member -> [ModelValue] in
                if case .list(let inner) = follow(rest, member) { inner } else { [follow(rest, member)] }
            })
    }

    // MARK: Functions

    static func aggregate(_ function: Column.Function, _ values: [ModelValue]) -> ModelValue {
        let present = values.filter { $0 != .none }
        let numbers = present.compactMap { if case .number(let number) = $0 { number } else { nil } }
        switch function {
        case .count: return .number(Double(present.count))
        case .sum: return .number(numbers.reduce(0, +))
        case .average: return numbers.isEmpty ? .none : .number(numbers.reduce(0, +) / Double(numbers.count))
        case .min: return present.min(by: isLess) ?? .none
        case .max: return present.max(by: isLess) ?? .none
        }
    }

    private static func computed(
        _ left: ModelValue, _ sign: Operand.Arithmetic, _ right: ModelValue, isOfIntegers: Bool
    ) -> ModelValue {
        guard case .number(let a) = left, case .number(let b) = right else { return .none }
        switch sign {
        case .plus: return .number(a + b)
        case .minus: return .number(a - b)
        case .times: return .number(a * b)
        case .divided:
            if b == 0 { return .none }
            return .number(isOfIntegers ? (a / b).rounded(.towardZero) : a / b)
        case .power: return .number(pow(a, b))
        case .modulus: return b == 0 ? .none : .number(a.truncatingRemainder(dividingBy: b))
        case .and: return .number(Double(Int(a) & Int(b)))
        case .or: return .number(Double(Int(a) | Int(b)))
        case .xor: return .number(Double(Int(a) ^ Int(b)))
        case .left: return .number(Double(Int(a) << Int(b)))
        case .right: return .number(Double(Int(a) >> Int(b)))
        }
    }

    private static func called(_ function: Operand.Function, _ value: ModelValue) -> ModelValue {
        switch (function, value) {
        case (.noindex, _): value
        case (.uppercase, .text(let text)): .text(text.uppercased())
        case (.lowercase, .text(let text)): .text(text.lowercased())
        case (.canonical, .text(let text)): .text(withoutMarks(text.lowercased()))
        case (.length, .text(let text)): .number(Double(text.utf16.count))
        case (.abs, .number(let number)): .number(abs(number))
        case (.ceiling, .number(let number)): .number(number.rounded(.up))
        case (.floor, .number(let number)): .number(number.rounded(.down))
        case (.trunc, .number(let number)): .number(number.rounded(.towardZero))
        case (.sqrt, .number(let number)): .number(number.squareRoot())
        case (.onesComplement, .number(let number)): .number(Double(~Int(number)))
        default: .none
        }
    }

    // MARK: Groups

    /// A row with one member of each relationship that functions of a group read, by the paths to them.
    struct JoinedRow {
        var object: Int
        var members: [[String]: Int] = [:]
    }

    /// The rows of objects, joined with the members that some functions read: one row for each member, and one without
    /// a member where there is none.
    func joined(_ objects: [Int], for functions: [Operand]) -> [JoinedRow] {
        var paths: [[String]] = []
        for path in functions.flatMap(\.joinedPaths) where !paths.contains(path) { paths.append(path) }
        paths.sort { $0.count < $1.count }
        var rows = objects.map { JoinedRow(object: $0) }
        for path in paths {
            rows = rows.flatMap { row -> [JoinedRow] in
                let members = ModelWorld.labels(value(at: path, row))
                if members.isEmpty { return [row] }
                return members.map { member in
                    var one = row
                    one.members[path] = member
                    return one
                }
            }
        }
        return rows
    }

    /// The value behind a path of a joined row; a relationship that is joined last on it gives its members.
    private func value(at path: [String], _ row: JoinedRow) -> ModelValue {
        guard let before = path.toManyPaths.last(where: { $0.count < path.count }) else {
            return follow(path, row.object)
        }
        return follow(Array(path.dropFirst(before.count)), row.members[before])
    }

    /// What a function of a group reads from a row.
    private func argument(_ operand: Operand, _ row: JoinedRow) -> ModelValue {
        switch operand {
        case .path(let path, _):
            if let last = path.toManyPaths.last, last.count == path.count {
                return row.members[path].map { .object($0) } ?? .none
            }
            return value(at: path, row)
        case .arithmetic(let left, let sign, let right):
            return Self.computed(
                argument(left, row), sign, argument(right, row), isOfIntegers: left.isInteger && right.isInteger)
        case .call(let function, let inner): return Self.called(function, argument(inner, row))
        default: return value(operand, Row(object: row.object))
        }
    }
}

extension [String] {
    /// The beginnings of a path that end in a relationship to many objects.
    fileprivate var toManyPaths: [[String]] {
        indices.filter { ["books", "tags", "items"].contains(self[$0]) }.map { Array(self[...$0]) }
    }
}

extension Operand {
    /// The paths to many objects in the argument of a function of a group.
    fileprivate var joinedPaths: [[String]] {
        switch self {
        case .groupAggregate(_, let argument, _): argument.joinedPaths
        case .path(let path, _): path.toManyPaths
        case .arithmetic(let left, _, let right): left.joinedPaths + right.joinedPaths
        case .call(_, let inner): inner.joinedPaths
        default: []
        }
    }

    /// The functions of a group within it.
    var groupAggregates: [Operand] {
        switch self {
        case .groupAggregate: [self]
        case .arithmetic(let left, _, let right): left.groupAggregates + right.groupAggregates
        default: []
        }
    }

    /// Whether it is a whole number, which divides as one.
    fileprivate var isInteger: Bool {
        switch self {
        case .constant(.number(let number)): number == number.rounded()
        case .path(let path, _): ["pages", "copies", "active", "width"].contains(path.last)
        case .count, .subqueryCount: true
        case .arithmetic(_, .power, _): false
        case .arithmetic(let left, _, let right): left.isInteger && right.isInteger
        case .call(.length, _), .call(.onesComplement, _): true
        case .call(.sqrt, _): false
        case .call(_, let inner): inner.isInteger
        default: false
        }
    }
}

extension Condition {
    /// The functions of a group within it.
    var groupAggregates: [Operand] {
        switch self {
        case .comparison(_, let left, _, _, let right): left.groupAggregates + right.groupAggregates
        case .and(let parts), .or(let parts): parts.flatMap(\.groupAggregates)
        case .not(let part): part.groupAggregates
        case .constant: []
        }
    }
}

extension Operand.Aggregate {
    fileprivate var function: Column.Function {
        switch self {
        case .sum: .sum
        case .avg: .average
        case .min: .min
        case .max: .max
        }
    }
}
