import CoreData

/// What the value expressions of mapping models read.
extension NSExpression {
    /// The key of an expression like `$source.name`, also where a default stands in for a missing value; other
    /// expressions are the program's own business.
    var sourceKey: String? {
        if expressionType == .conditional { return `false`.sourceKey }
        let text = description
        guard text.hasPrefix("$source.") else { return nil }
        var key = text.dropFirst("$source.".count)
        // A key that is a word of the language of predicates is printed with a mark.
        if key.first == "#" { key = key.dropFirst() }
        return key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } ? String(key) : nil
    }

    /// The relationship whose objects' successors an expression asks the migration manager for.
    var sourceRelationship: String? {
        guard expressionType == .function,
            ["destinationInstancesForSourceRelationshipNamed", "destinationInstancesForEntityMappingNamed"]
                .contains(where: { function.hasPrefix($0) })
        else { return nil }
        return arguments?.last?.sourceKey
    }
}
