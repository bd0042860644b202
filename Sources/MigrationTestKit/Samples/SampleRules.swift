import CoreData

/// The conditions of an attribute's validation predicates on a value, as far as values can be made by them: limits,
/// lengths, patterns, beginnings and ends, lists of values. Of alternatives only the first is read.
struct SampleRules {
    /// A limit of a number, or of a date as seconds since 2001.
    struct Limit {
        var value: Double
        /// Whether the limit itself is forbidden.
        var isOpen: Bool
    }

    private(set) var lower: Limit?
    private(set) var upper: Limit?
    private(set) var shortest = 0
    private(set) var longest: Int?
    private(set) var pattern: String?
    private(set) var prefix = ""
    private(set) var infix = ""
    private(set) var suffix = ""
    /// The values of a list; empty if there is none.
    private(set) var choices: [Any] = []

    init(_ predicates: [NSPredicate]) {
        // The predicates that are still to be read, the next one last.
        var pending = Array(predicates.reversed())
        while let predicate = pending.popLast() {
            guard let compound = predicate as? NSCompoundPredicate else {
                read(predicate)
                continue
            }
            let parts = compound.subpredicates.compactMap { $0 as? NSPredicate }
            switch compound.compoundPredicateType {
            case .and: pending += parts.reversed()
            case .or: pending += parts.prefix(1)
            case .not: break
            }
        }
    }

    private mutating func read(_ predicate: NSPredicate) {
        guard let comparison = predicate as? NSComparisonPredicate, let value = Self.value(comparison.rightExpression)
        else { return }
        if comparison.leftExpression.expressionType == .evaluatedObject {
            readValue(comparison.predicateOperatorType, value)
        } else if comparison.leftExpression.expressionType == .keyPath, comparison.leftExpression.keyPath == "length",
            let length = (value as? NSNumber)?.intValue
        {
            readLength(comparison.predicateOperatorType, length)
        }
    }

    private mutating func readValue(_ operation: NSComparisonPredicate.Operator, _ value: Any) {
        switch operation {
        case .lessThan: limitAbove(value, isOpen: true)
        case .lessThanOrEqualTo: limitAbove(value, isOpen: false)
        case .greaterThan: limitBelow(value, isOpen: true)
        case .greaterThanOrEqualTo: limitBelow(value, isOpen: false)
        case .between:
            let ends = Self.list(value)
            guard ends.count == 2 else { return }
            limitBelow(ends[0], isOpen: false)
            limitAbove(ends[1], isOpen: false)
        case .equalTo: choices = [value]
        case .in: choices = Self.list(value)
        case .matches: pattern = value as? String
        case .beginsWith: prefix = value as? String ?? ""
        case .endsWith: suffix = value as? String ?? ""
        case .contains: infix = value as? String ?? ""
        case .like: pattern = (value as? String).map(Self.pattern(ofWildcards:))
        case .notEqualTo: break
        }
    }

    private mutating func readLength(_ operation: NSComparisonPredicate.Operator, _ length: Int) {
        switch operation {
        case .lessThan: longest = min(longest ?? .max, length - 1)
        case .lessThanOrEqualTo: longest = min(longest ?? .max, length)
        case .greaterThan: shortest = max(shortest, length + 1)
        case .greaterThanOrEqualTo: shortest = max(shortest, length)
        case .equalTo: (shortest, longest) = (length, length)
        default: break
        }
    }

    private mutating func limitBelow(_ value: Any, isOpen: Bool) {
        guard let number = Self.number(value), number >= lower?.value ?? -.infinity else { return }
        lower = Limit(value: number, isOpen: isOpen)
    }

    private mutating func limitAbove(_ value: Any, isOpen: Bool) {
        guard let number = Self.number(value), number <= upper?.value ?? .infinity else { return }
        upper = Limit(value: number, isOpen: isOpen)
    }

    private static func number(_ value: Any) -> Double? {
        (value as? Date)?.timeIntervalSinceReferenceDate ?? (value as? NSNumber)?.doubleValue
    }

    private static func list(_ value: Any) -> [Any] {
        (value as? NSSet)?.allObjects.sorted { "\($0)" < "\($1)" } ?? (value as? [Any]) ?? []
    }

    /// The value of an expression that does not read the object.
    private static func value(_ expression: NSExpression) -> Any? {
        switch expression.expressionType {
        case .constantValue, .aggregate, .function: expression.expressionValue(with: nil, context: nil)
        default: nil
        }
    }

    private static func pattern(ofWildcards text: String) -> String {
        text.map { character in
            switch character {
            case "*": ".*"
            case "?": "."
            default: NSRegularExpression.escapedPattern(for: String(character))
            }
        }.joined()
    }
}
