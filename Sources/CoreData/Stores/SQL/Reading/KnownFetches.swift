import Foundation
import Synchronization

/// A fetch of rows without the constants in its predicate.
///
/// Fetches of one shape run one statement, which is translated and printed once. Only fetches that programs typically
/// repeat have a shape: comparisons of attributes of the entity with one value each, joined by AND, in an order of
/// attributes.
struct FetchShape: Equatable {
    struct Term: Equatable {
        var attribute: String
        var type: NSComparisonPredicate.Operator
    }

    struct Order: Equatable {
        var attribute: String
        var isAscending: Bool
        var selector: SortSelector
    }

    let layoutIndex: Int
    let includesSubentities: Bool
    let limit: Int
    let offset: Int
    private(set) var terms: [Term] = []
    private(set) var order: [Order] = []

    /// A text stays bound in the cached statement, so a longer text would occupy memory without use.
    private static let longestText = 256

    /// The shape of a fetch, and the constants in the order of its comparisons; nil if the fetch has no shape.
    static func of(_ fetch: StoreFetch) -> (shape: FetchShape, constants: [SlotValue])? {
        guard let predicate = fetch.predicate, fetch.afterPrimaryKey == nil, !fetch.decidesByObject else { return nil }
        var shape = FetchShape(
            layoutIndex: fetch.layout.index, includesSubentities: fetch.includesSubentities, limit: fetch.limit,
            offset: fetch.offset)
        var constants: [SlotValue] = []
        // A subclass may evaluate in any other way.
        if type(of: predicate) == NSComparisonPredicate.self {
            guard shape.add(predicate, to: &constants, fetch.layout) else { return nil }
        } else if type(of: predicate) == NSCompoundPredicate.self, let compound = predicate as? NSCompoundPredicate {
            guard compound.compoundPredicateType == .and else { return nil }
            for part in compound.parts {
                guard shape.add(part, to: &constants, fetch.layout) else { return nil }
            }
        } else {
            return nil
        }
        for descriptor in fetch.sortDescriptors {
            guard let key = descriptor.sortKey, let selector = descriptor.sortSelector,
                case .attribute? = fetch.layout.access[key]
            else { return nil }
            shape.order.append(Order(attribute: key, isAscending: descriptor.ascending, selector: selector))
        }
        return (shape, constants)
    }

    /// The constants of a fetch in the order of its comparisons; nil if the fetch has another shape, or none. For a
    /// shape that is known this takes less time than to make the shape of the fetch.
    func constants(of fetch: StoreFetch) -> [SlotValue]? {
        guard fetch.limit == limit, fetch.offset == offset, fetch.layout.index == layoutIndex,
            fetch.includesSubentities == includesSubentities, fetch.sortDescriptors.count == order.count,
            let predicate = fetch.predicate, fetch.afterPrimaryKey == nil, !fetch.decidesByObject
        else { return nil }
        var constants: [SlotValue] = []
        if type(of: predicate) == NSComparisonPredicate.self {
            guard terms.count == 1, let constant = Self.constant(of: predicate, in: terms[0]) else { return nil }
            constants.append(constant)
        } else if type(of: predicate) == NSCompoundPredicate.self {
            let compound = sameObject(predicate, of: NSCompoundPredicate.self)
            guard compound.compoundPredicateType == .and, compound.parts.count == terms.count else { return nil }
            constants.reserveCapacity(terms.count)
            for (part, term) in zip(compound.parts, terms) {
                guard let constant = Self.constant(of: part, in: term) else { return nil }
                constants.append(constant)
            }
        } else {
            return nil
        }
        for (descriptor, order) in zip(fetch.sortDescriptors, order) {
            guard descriptor.sortKey == order.attribute, descriptor.ascending == order.isAscending,
                descriptor.sortSelector == order.selector
            else { return nil }
        }
        return constants
    }

    /// The constant of a comparison of a term's attribute by its operator; nil for any other predicate.
    private static func constant(of part: NSPredicate, in term: Term) -> SlotValue? {
        guard type(of: part) == NSComparisonPredicate.self else { return nil }
        let comparison = sameObject(part, of: NSComparisonPredicate.self)
        guard comparison.predicateOperatorType == term.type, comparison.options.isEmpty,
            comparison.comparisonPredicateModifier == .direct,
            case .constant(_, let constant) = comparison.rightExpression.payload
        else { return nil }
        if let key = comparison.leftKey {
            guard key == term.attribute else { return nil }
        } else {
            guard case .keyPath(let path, nil) = comparison.leftExpression.payload, path.text == term.attribute else {
                return nil
            }
        }
        return bound(constant)
    }

    /// The value that is bound for a constant: that of `SQLFetchTranslator.bound`; nil if a shape has no such constant.
    private static func bound(_ constant: ExpressionValue) -> SlotValue? {
        switch constant {
        case .int(let number): .int(number)
        case .double(let number), .date(let number): .double(number)
        case .decimal(let number): .decimal(number)
        case .string(let text) where text.utf8.count <= longestText: .string(text)
        default: nil
        }
    }

    private init(layoutIndex: Int, includesSubentities: Bool, limit: Int, offset: Int) {
        self.layoutIndex = layoutIndex
        self.includesSubentities = includesSubentities
        self.limit = limit
        self.offset = offset
    }

    private mutating func add(_ part: NSPredicate, to constants: inout [SlotValue], _ layout: EntityLayout) -> Bool {
        guard type(of: part) == NSComparisonPredicate.self, let comparison = part as? NSComparisonPredicate,
            comparison.options.isEmpty, comparison.comparisonPredicateModifier == .direct,
            case .keyPath(let path, nil) = comparison.leftExpression.payload,
            case .constant(_, let constant) = comparison.rightExpression.payload,
            case .attribute(let slot)? = layout.access[path.text], layout.slots[slot].kind != .uuid
        else { return false }
        switch comparison.predicateOperatorType {
        case .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo: break
        default: return false
        }
        // UUIDs are left out, because their form depends on the column's kind.
        guard let value = Self.bound(constant) else { return false }
        constants.append(value)
        terms.append(Term(attribute: path.text, type: comparison.predicateOperatorType))
        return true
    }
}

/// The statements of fetches by their shapes. Any thread may use it.
final class KnownFetches: Sendable {
    /// The statement of a shape. A class, because each fetch takes one.
    final class Known: Sendable {
        let shape: FetchShape
        /// Identifies the statement among those that a connection caches. The number is unique in the process, because
        /// several stores may read through one connection.
        let number: Int
        /// The SELECT, with parameters in the places of constants.
        let select: SQLSelect

        init(_ shape: FetchShape, number: Int, _ select: SQLSelect) {
            self.shape = shape
            self.number = number
            self.select = select
        }
    }

    /// A program has few different fetches. If it makes more, the oldest ones are removed.
    private static let capacity = 32

    private static let numbers = Atomic(0)
    private let all = Locked<[Known]>([])

    /// Whether a statement of the shape has been made.
    func has(_ shape: FetchShape) -> Bool { all.withLock { $0.contains { $0.shape == shape } } }

    /// The statement of a fetch and the values of its parameters, if a statement of its shape has been made.
    func known(_ fetch: StoreFetch) -> (fetch: Known, constants: [SlotValue])? {
        all.withLock { all in
            for known in all {
                if let constants = known.shape.constants(of: fetch) { return (known, constants) }
            }
            return nil
        }
    }

    /// The statement of a shape. `make` returns the SELECT, or nil if the SELECT cannot have parameters.
    func known(_ shape: FetchShape, _ make: () throws -> SQLSelect?) rethrows -> Known? {
        if let known = all.withLock({ $0.first { $0.shape == shape } }) { return known }
        guard let select = try make() else { return nil }
        let known = Known(shape, number: Self.numbers.add(1, ordering: .relaxed).newValue, select)
        all.withLock { all in
            if all.count == Self.capacity { all.removeFirst() }
            all.append(known)
        }
        return known
    }
}

extension SQLExpression {
    /// The condition with parameters in the places of values, which are collected in their order. Nil if it is no
    /// comparison of an expression with a value, and no list of such comparisons.
    func withParameters(for values: inout [SlotValue]) -> SQLExpression? {
        switch self {
        case .binary(let op, let left, .value(let value)):
            values.append(value)
            return .binary(op, left, .parameter(values.count))
        case .and(let list):
            var parts: [SQLExpression] = []
            for expression in list {
                guard let part = expression.withParameters(for: &values) else { return nil }
                parts.append(part)
            }
            return .and(parts)
        default:
            return nil
        }
    }
}
