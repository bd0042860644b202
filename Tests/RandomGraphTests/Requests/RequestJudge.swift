import Foundation

/// The answers of a request by plain sets, without the framework.
struct RequestJudge {
    /// What a missing value means.
    enum Meaning {
        /// An object with a missing value has an answer to each question.
        case objects
        /// A missing value gives no answer, and neither does NOT of none.
        case database
    }

    var world: ModelWorld
    var meaning: Meaning

    // MARK: Conditions

    func answer(_ condition: Condition, _ row: Row) -> Bool? {
        switch condition {
        case .constant(let value): return value
        case .not(let part): return answer(part, row).map { !$0 }
        case .and(let parts):
            let answers = parts.map { answer($0, row) }
            return answers.contains(false) ? false : answers.contains(nil) ? nil : true
        case .or(let parts):
            let answers = parts.map { answer($0, row) }
            return answers.contains(true) ? true : answers.contains(nil) ? nil : false
        case .comparison(let modifier, let left, let relation, let options, let right):
            let value = value(left, row)
            let other = self.value(right, row)
            func of(_ element: ModelValue) -> Bool? {
                compare(element, relation, options, other, isConstant: right.isConstant)
            }
            switch modifier {
            case .direct:
                if relation == .contains, case .list(let members) = value { return members.contains(other) }
                if relation == .contains, value == .none, case .object = other { return false }
                return of(value)
            case .any: return value.elements.contains { of($0) == true }
            case .none: return !value.elements.contains { of($0) == true }
            case .all: return value.elements.allSatisfy { of($0) == true }
            }
        }
    }

    private func compare(
        _ left: ModelValue, _ relation: Condition.Relation, _ options: Condition.Options, _ right: ModelValue,
        isConstant: Bool
    ) -> Bool? {
        let isMissing = left == .none || right == .none
        if isConstant, right == .none {
            switch relation {
            case .equal: return left == .none
            case .notEqual: return left != .none
            default: return false
            }
        }
        if meaning == .database, isMissing { return right == .list([]) ? false : nil }
        let (a, b) = (Self.folded(left, options), Self.folded(right, options))
        switch relation {
        case .equal: return a == b
        case .notEqual: return a != b
        case .less: return !isMissing && Self.isLess(a, b)
        case .lessOrEqual: return !isMissing && !Self.isLess(b, a)
        case .greater: return !isMissing && Self.isLess(b, a)
        case .greaterOrEqual: return !isMissing && !Self.isLess(a, b)
        case .isIn: return b.elements.contains(a)
        case .between: return !isMissing && !Self.isLess(a, b.elements[0]) && !Self.isLess(b.elements[1], a)
        case .contains, .begins, .ends, .like, .matches:
            guard case .text(let text) = a, case .text(let part) = b else { return false }
            return Self.fits(text, relation, part)
        }
    }

    private static func fits(_ text: String, _ relation: Condition.Relation, _ part: String) -> Bool {
        switch relation {
        case .contains: return text.contains(part)
        case .begins: return text.hasPrefix(part)
        case .ends: return text.hasSuffix(part)
        case .like: return isLike(Array(text)[...], Array(part)[...])
        default:
            let whole = NSRange(location: 0, length: text.utf16.count)
            let expression = try? NSRegularExpression(pattern: "^(?:\(part))$")
            return expression?.firstMatch(in: text, range: whole) != nil
        }
    }

    private static func isLike(_ text: ArraySlice<Character>, _ pattern: ArraySlice<Character>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            return isLike(text, pattern.dropFirst()) || !text.isEmpty && isLike(text.dropFirst(), pattern)
        }
        return !text.isEmpty && (first == "?" || first == text.first) && isLike(text.dropFirst(), pattern.dropFirst())
    }

    private static func folded(_ value: ModelValue, _ options: Condition.Options) -> ModelValue {
        switch value {
        case .text(var text):
            if options == .c || options == .cd { text = text.lowercased() }
            if options == .d || options == .cd {
                text = text.replacingOccurrences(of: "ä", with: "a").replacingOccurrences(of: "Ä", with: "A")
            }
            return .text(text)
        case .list(let elements): return .list(elements.map { folded($0, options) })
        default: return value
        }
    }

    static func isLess(_ left: ModelValue, _ right: ModelValue) -> Bool {
        switch (left, right) {
        case (.none, .none): false
        case (.none, _): true
        case (.text(let a), .text(let b)): a.unicodeScalars.lexicographicallyPrecedes(b.unicodeScalars)
        case (.number(let a), .number(let b)), (.date(let a), .date(let b)): a < b
        default: false
        }
    }

    // MARK: Values

    /// What a condition is asked about: an object, a member of a subquery, or a group with its computed columns.
    struct Row {
        var object = 0
        var variable = 0
        var group: [Int] = []
        var columns: [String: ModelValue] = [:]
    }

    func value(_ operand: Operand, _ row: Row) -> ModelValue {
        switch operand {
        case .constant(let value): return value
        case .itself: return .object(row.object)
        case .path(let path, let isOfVariable):
            if path.count == 1, let value = row.columns[path[0]] { return value }
            return follow(path, isOfVariable ? row.variable : row.object)
        case .count(let path, let isOfVariable):
            let members = follow(path, isOfVariable ? row.variable : row.object)
            return isUnowned(members) ? .none : .number(Double(members.elements.count))
        case .aggregate(let aggregate, let path, let key):
            let members = follow(path, row.object)
            if isUnowned(members) { return .none }
            return Self.aggregate(aggregate.function, ModelWorld.labels(members).map { follow([key], $0) })
        case .arithmetic(let left, let sign, let right):
            guard case .number(let a) = value(left, row), case .number(let b) = value(right, row) else { return .none }
            switch sign {
            case .plus: return .number(a + b)
            case .minus: return .number(a - b)
            case .times: return .number(a * b)
            }
        case .uppercase(let inner):
            guard case .text(let text) = value(inner, row) else { return .none }
            return .text(text.uppercased())
        case .subqueryCount(let path, let condition):
            let members = follow(path, row.object)
            if isUnowned(members) { return .none }
            let found = ModelWorld.labels(members).filter {
                answer(condition, Row(object: row.object, variable: $0)) == true
            }
            return .number(Double(found.count))
        case .groupAggregate(let function, let key):
            return column(Column(name: "", function: function, key: key), row.group)
        }
    }

    /// Whether there is no object whose members they could be. A database counts none there, and an object has no
    /// answer.
    private func isUnowned(_ members: ModelValue) -> Bool { meaning == .objects && members == .none }

    /// The value behind a key path; a list of all values there where it goes through a to-many relationship.
    func follow(_ path: [String], _ label: Int) -> ModelValue {
        guard let object = world.objects[label], let key = path.first else { return .object(label) }
        let isToMany = ModelWorld.relationship(object.entity, key)?.isToMany ?? false
        let value = object[key]
        if path.count == 1 { return isToMany && value == .none ? .list([]) : value }
        let rest = Array(path.dropFirst())
        guard isToMany else { return ModelWorld.labels(value).first.map { follow(rest, $0) } ?? .none }
        return .list(
            ModelWorld.labels(value).flatMap { member -> [ModelValue] in
                if case .list(let inner) = follow(rest, member) { inner } else { [follow(rest, member)] }
            })
    }

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

    func column(_ column: Column, _ group: [Int]) -> ModelValue {
        // A path through a to-many relationship joins: each member is a row.
        Self.aggregate(
            column.function,
            group.flatMap { label -> [ModelValue] in
                let value = follow(column.key.split(separator: ".").map(String.init), label)
                if case .list(let members) = value { return members }
                return [value]
            })
    }
}

extension Operand.Aggregate {
    var function: Column.Function {
        switch self {
        case .sum: .sum
        case .avg: .average
        case .min: .min
        case .max: .max
        }
    }
}
