import Foundation

/// Makes predicates fit to cross queues: objects among their constants become their ids.
enum FrozenPredicate {
    static func of(_ predicate: NSPredicate) -> NSPredicate {
        // Most predicates compare properties with texts and numbers, which contain nothing to freeze.
        if isPlain(predicate) { return predicate }
        return predicate.rewriting { expression in
            guard expression.expressionType == .constantValue else { return expression }
            let value = expression.constantValue
            let frozen = Self.frozen(value)
            guard let frozen, frozen.changed else { return expression }
            return NSExpression(forConstantValue: frozen.value)
        }
    }

    private static func isPlain(_ predicate: NSPredicate) -> Bool {
        if isPlainComparison(predicate) { return true }
        // A compound within a compound is left to the rewriting, which needs no stack for each level.
        guard type(of: predicate) == NSCompoundPredicate.self else { return false }
        return sameObject(predicate, of: NSCompoundPredicate.self).parts.allSatisfy(isPlainComparison)
    }

    private static func isPlainComparison(_ predicate: NSPredicate) -> Bool {
        // A subclass may have other sides than it was made of.
        guard type(of: predicate) == NSComparisonPredicate.self else { return false }
        let comparison = sameObject(predicate, of: NSComparisonPredicate.self)
        return comparison.leftExpression.isPlain && comparison.rightExpression.isPlain
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
