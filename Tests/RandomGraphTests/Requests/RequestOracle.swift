import Foundation

/// Evaluates a request by sets of Swift values, without the framework.
struct RequestOracle {
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
        case .and(let parts): return Self.all(parts.map { answer($0, row) })
        case .or(let parts): return Self.any(parts.map { answer($0, row) })
        case .comparison(let modifier, let left, let relation, let options, let right):
            let comparison = Comparison(
                meaning: meaning, relation: relation, options: options, left: left, right: right)
            let (value, other) = (value(left, row), value(right, row))
            switch modifier {
            case .direct:
                if left.isOfMany { return comparison.answer(collection: value, other) }
                if right.isOfMany { return comparison.isIn(value, collection: other) }
                return comparison.answer(value, other)
            case .any: return value.elements.contains { comparison.answer($0, other) == true }
            case .none: return !value.elements.contains { comparison.answer($0, other) == true }
            case .all: return value.elements.allSatisfy { comparison.answer($0, other) == true }
            }
        }
    }

    fileprivate static func all(_ answers: [Bool?]) -> Bool? {
        answers.contains(false) ? false : answers.contains(nil) ? nil : true
    }

    fileprivate static func any(_ answers: [Bool?]) -> Bool? {
        answers.contains(true) ? true : answers.contains(nil) ? nil : false
    }

    static func isLess(_ left: ModelValue, _ right: ModelValue) -> Bool {
        switch (left, right) {
        case (.none, .none): false
        case (.none, _): true
        case (.text(let a), .text(let b)): a.unicodeScalars.lexicographicallyPrecedes(b.unicodeScalars)
        case (.number(let a), .number(let b)), (.date(let a), .date(let b)): a < b
        case (.token(_, let a), .token(_, let b)): a < b
        default: false
        }
    }
}

/// A comparison of values.
private struct Comparison {
    let meaning: RequestOracle.Meaning
    let relation: Condition.Relation
    let options: Condition.Options
    let isOfConstants: (left: Bool, right: Bool)
    /// For a list of values of rows: which of them are constants.
    private let constantElements: [Bool]

    init(
        meaning: RequestOracle.Meaning, relation: Condition.Relation, options: Condition.Options, left: Operand,
        right: Operand
    ) {
        (self.meaning, self.relation, self.options) = (meaning, relation, options)
        isOfConstants = (left.isConstant, right.isConstant)
        if case .elements(let list) = right { constantElements = list.map(\.isConstant) } else { constantElements = [] }
    }

    /// What a comparison with a missing value of a row gives; an object has no such value.
    private var ofMissing: Bool? { meaning == .database ? nil : false }

    // MARK: Collections

    /// A whole collection on the left side.
    func answer(collection: ModelValue, _ other: ModelValue) -> Bool? {
        switch relation {
        case .contains: return isIn(other, collection: collection)
        // An empty collection is nothing to a database; an object has none only where no object is its owner.
        default:
            let isNothing = meaning == .database ? collection.elements.isEmpty : collection == .none
            return isNothing == (relation == .equal)
        }
    }

    func isIn(_ value: ModelValue, collection: ModelValue) -> Bool? {
        if meaning == .database, value == .none { return false }
        return collection.elements.contains { folded($0) == folded(value) }
    }

    // MARK: Values

    func answer(_ left: ModelValue, _ right: ModelValue) -> Bool? {
        switch relation {
        case .between: return isBetween(left, right.elements)
        case .isIn: return isIn(left, right)
        case .equal, .notEqual: return areEqual(left, right).map { $0 == (relation == .equal) }
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return isInOrder(relation, left, right)
        case .contains, .begins, .ends, .like, .matches: return fits(left, relation, right)
        }
    }

    /// Whether a constant is nothing, which is a question of its own.
    private func asksForNothing(_ left: ModelValue, _ right: ModelValue) -> Bool {
        isOfConstants.left && left == .none || isOfConstants.right && right == .none
    }

    private func areEqual(_ left: ModelValue, _ right: ModelValue) -> Bool? {
        if asksForNothing(left, right) { return left == right }
        if meaning == .database, left == .none || right == .none { return nil }
        return folded(left) == folded(right)
    }

    private func isInOrder(
        _ relation: Condition.Relation, _ left: ModelValue, _ right: ModelValue
    ) -> Bool? {
        if asksForNothing(left, right) { return false }
        if left == .none || right == .none { return ofMissing }
        let (a, b) = (folded(left), folded(right))
        switch relation {
        case .less: return RequestOracle.isLess(a, b)
        case .lessOrEqual: return !RequestOracle.isLess(b, a)
        case .greater: return RequestOracle.isLess(b, a)
        default: return !RequestOracle.isLess(a, b)
        }
    }

    private func isBetween(_ value: ModelValue, _ bounds: [ModelValue]) -> Bool? {
        if isOfConstants.right, bounds.contains(.none) { return false }
        let relations = [Condition.Relation.greaterOrEqual, .lessOrEqual]
        return RequestOracle.all(
            bounds.indices.map { place in
                isNothing(bounds, place) ? false : isInOrder(relations[place], value, bounds[place])
            })
    }

    /// Whether an element of a list with values of rows is the constant nil.
    private func isNothing(_ elements: [ModelValue], _ place: Int) -> Bool {
        elements[place] == .none && constantElements.indices.contains(place) && constantElements[place]
    }

    private func isIn(_ value: ModelValue, _ list: ModelValue) -> Bool? {
        if case .text = list { return fits(list, .contains, value) }
        guard case .list(let elements) = list else { return ofMissing }
        let isAmong = elements.contains { folded($0) == folded(value) }
        if meaning == .objects || isAmong && value != .none { return isAmong }
        if isOfConstants.right { return value == .none ? isAmong ? true : elements.isEmpty ? false : nil : false }
        if value == .none, elements.indices.contains(where: { isNothing(elements, $0) }) { return true }
        let isUnknown = elements.indices.contains { place in
            !isNothing(elements, place) && (value == .none || elements[place] == .none)
        }
        return isUnknown ? nil : false
    }

    private func fits(_ value: ModelValue, _ relation: Condition.Relation, _ part: ModelValue) -> Bool? {
        if asksForNothing(value, part) { return false }
        if relation == .begins, options == .exact, isOfConstants.right, part == .text("") { return value != .none }
        if value == .none || part == .none { return ofMissing }
        guard case .text(let text) = folded(value), case .text(let part) = folded(part) else { return false }
        switch relation {
        case .contains: return !part.isEmpty && text.contains(part)
        case .begins: return text.hasPrefix(part)
        case .ends: return text.hasSuffix(part)
        case .like: return Self.isLike(Array(text)[...], Array(part)[...])
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

    private func folded(_ value: ModelValue) -> ModelValue {
        guard case .text(var text) = value else { return value }
        if options == .c || options == .cd { text = text.lowercased() }
        return .text(options == .d || options == .cd ? RequestOracle.withoutMarks(text) : text)
    }
}

extension RequestOracle {
    /// A text without the only marks that the texts of this test have.
    static func withoutMarks(_ text: String) -> String {
        text.replacingOccurrences(of: "ä", with: "a").replacingOccurrences(of: "Ä", with: "A")
    }
}

extension Operand {
    /// Whether it is a collection, and not one value.
    fileprivate var isOfMany: Bool {
        switch self {
        case .path(let keys, _): keys.contains { ["books", "tags", "items"].contains($0) }
        case .subquery, .distinct, .combined: true
        default: false
        }
    }
}
