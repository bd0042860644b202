import Foundation

/// Makes predicates fit to cross queues: objects among their constants become their ids.
enum FrozenPredicate {
    static func of(_ predicate: NSPredicate) -> NSPredicate {
        // Most predicates compare a property with a text or a number, which contains nothing to freeze.
        if type(of: predicate) == NSComparisonPredicate.self, let comparison = predicate as? NSComparisonPredicate,
            comparison.leftExpression.isPlain, comparison.rightExpression.isPlain
        {
            return predicate
        }
        return predicate.rewriting { expression in
            guard expression.expressionType == .constantValue else { return expression }
            let value = expression.constantValue
            let frozen = Self.frozen(value)
            guard let frozen, frozen.changed else { return expression }
            return NSExpression(forConstantValue: frozen.value)
        }
    }

    private static func frozen(_ value: Any?) -> (value: Any, changed: Bool)? {
        // A cast takes longer than comparing types, and most constants are texts and numbers.
        guard let value else { return nil }
        let type = type(of: value)
        if type == String.self || type == Int.self || type == NSNumber.self || type == Bool.self || type == Double.self
        {
            return nil
        }
        return switch value {
        case let object as NSManagedObject: (object.objectID, true)
        case let set as NSSet where set.anyObject() is NSManagedObject:
            (set.allObjects.map { ($0 as? NSManagedObject)?.objectID ?? $0 }, true)
        case let set as NSOrderedSet where set.firstObject is NSManagedObject:
            (set.array.map { ($0 as? NSManagedObject)?.objectID ?? $0 }, true)
        case let set as Set<NSManagedObject>: (set.map(\.objectID), true)
        case let array as [Any] where array.first is NSManagedObject:
            (array.map { ($0 as? NSManagedObject)?.objectID ?? $0 }, true)
        default: nil
        }
    }
}

extension NSExpression {
    /// Whether the expression is a key path of the evaluated object, or a value that is no object.
    fileprivate var isPlain: Bool {
        switch payload {
        case .keyPath(_, nil): true
        case .constant(_, .int), .constant(_, .double), .constant(_, .string), .constant(_, .date): true
        default: false
        }
    }
}
