import CoreData

/// The parts of the source object that the value expressions of mapping models read.
extension NSExpression {
    /// The key of an expression like `$source.name`, even if a default replaces a missing value. Nil for other
    /// expressions, which are the program's own.
    var sourceKey: String? {
        if expressionType == .conditional { return `false`.sourceKey }
        let text = description
        guard text.hasPrefix("$source.") else { return nil }
        var key = text.dropFirst("$source.".count)
        // A key that is a keyword of predicates is printed with a mark.
        if key.first == "#" { key = key.dropFirst() }
        return key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } ? String(key) : nil
    }

    /// The relationship in an expression for the destinations of the objects to which the relationship leads.
    var sourceRelationship: String? {
        guard expressionType == .function,
            ["destinationInstancesForSourceRelationshipNamed", "destinationInstancesForEntityMappingNamed"]
                .contains(where: { function.hasPrefix($0) })
        else { return nil }
        return arguments?.last?.sourceKey
    }
}
