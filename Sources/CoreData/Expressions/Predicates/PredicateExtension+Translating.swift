import Foundation

/// One of the conditions of a `#Predicate` that are joined by AND.
package struct PredicatePart {
    /// The condition as the program has written it.
    package let expression: any PredicateExpression<Bool>
    /// The condition for a fetch; nil if it has no translation.
    package var condition: NSPredicate?
    /// The innermost part that has no translation.
    package var untranslated: (any Any.Type)?
}

extension PredicateExtension {
    /// The conditions of a `#Predicate` of any type.
    ///
    /// - Throws: `PredicateTooDeep` for a condition whose evaluation could overflow the stack.
    package static func parts<Input>(of predicate: Predicate<Input>) throws -> [PredicatePart] {
        try conditions(in: predicate.expression).map { expression in
            var part = PredicatePart(expression: expression)
            var translator = PredicateTranslator()
            translator.bind(predicate.variable, to: .expressionForEvaluatedObject())
            do {
                part.condition = try translator.condition(expression)
            } catch let error as Untranslatable {
                if PredicateTranslator.isTooDeep(expression) { throw PredicateTooDeep() }
                part.untranslated = error.node
            }
            return part
        }
    }

    /// The conditions that are joined by AND, in their order. A chain of them may be as long as memory allows.
    package static func conditions(in whole: any PredicateExpression<Bool>) -> [any PredicateExpression<Bool>] {
        var found: [any PredicateExpression<Bool>] = []
        var waiting = [whole]
        while let next = waiting.popLast() {
            if let both = next as? any JoinedByAnd {
                let sides = both.sides
                waiting.append(sides.right)
                waiting.append(sides.left)
            } else {
                found.append(next)
            }
        }
        return found
    }

    /// A sort descriptor of Core Data for one of Swift; nil if its key path leads to anything else than properties.
    package static func sortDescriptor<Compared>(of descriptor: SortDescriptor<Compared>) -> NSSortDescriptor? {
        guard let keyPath = descriptor.keyPath, let key = keyPath.managedKeyPath else { return nil }
        return NSSortDescriptor(
            key: key == "self" ? nil : key, ascending: descriptor.order == .forward,
            selector: (type(of: keyPath).valueType as? any SortKey.Type)?.selector ?? .compare)
    }
}

private protocol JoinedByAnd {
    var sides: (left: any PredicateExpression<Bool>, right: any PredicateExpression<Bool>) { get }
}

extension PredicateExpressions.Conjunction: JoinedByAnd {
    fileprivate var sides: (left: any PredicateExpression<Bool>, right: any PredicateExpression<Bool>) { (lhs, rhs) }
}
