import Foundation

extension PredicateExtension {
    /// The predicate of a fetch for a `#Predicate` of any type; nil if it has no translation.
    package static func condition<Input>(of predicate: Predicate<Input>) -> NSPredicate? {
        var translator = PredicateTranslator()
        translator.bind(predicate.variable, to: .expressionForEvaluatedObject())
        return try? translator.condition(predicate.expression)
    }

    /// A sort descriptor of Core Data for one of Swift; nil if its key path leads to anything else than properties.
    package static func sortDescriptor<Compared>(of descriptor: SortDescriptor<Compared>) -> NSSortDescriptor? {
        guard let keyPath = descriptor.keyPath, let key = keyPath.managedKeyPath else { return nil }
        return NSSortDescriptor(
            key: key == "self" ? nil : key, ascending: descriptor.order == .forward,
            selector: (type(of: keyPath).valueType as? any SortKey.Type)?.selector ?? .compare)
    }
}
