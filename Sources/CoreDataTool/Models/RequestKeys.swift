import CoreData

/// The keys in the predicate and the order of a fetch request.
package enum RequestKeys {
    /// The key paths of a predicate, each once, in their order.
    package static func of(_ predicate: NSPredicate?) -> [String] {
        var found: [String] = []
        collect(predicate, &found)
        return found.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private static func collect(_ predicate: NSPredicate?, _ found: inout [String]) {
        switch predicate {
        case let compound as NSCompoundPredicate:
            for part in compound.subpredicates {
                collect(part as? NSPredicate, &found)
            }
        case let comparison as NSComparisonPredicate:
            collect(comparison.leftExpression, &found)
            collect(comparison.rightExpression, &found)
        default: break
        }
    }

    private static func collect(_ expression: NSExpression, _ found: inout [String]) {
        switch expression.expressionType {
        case .keyPath: found.append(expression.keyPath)
        // The keys within a subquery are those of the collection's entity.
        case .subquery: collect(expression.collection as? NSExpression ?? NSExpression(forConstantValue: nil), &found)
        case .function:
            collect(expression.operand, &found)
            for argument in expression.arguments ?? [] { collect(argument, &found) }
        default: break
        }
    }

    /// The element at the end of a key path.
    package enum Target {
        case attribute(NSAttributeDescription, of: NSEntityDescription)
        case relationship
        /// A key that the entity does not have.
        case unknown(String, of: NSEntityDescription)
    }

    package static func target(of path: String, in entity: NSEntityDescription) -> Target {
        var entity = entity
        let keys: [String] = path.split(separator: ".").map(String.init).filter { (key: String) -> Bool in
            !key.hasPrefix("@") && key != "self" && key != "SELF"
        }
        for (place, key) in keys.enumerated() {
            switch entity.propertiesByName[key] {
            case let relationship as NSRelationshipDescription:
                guard let destination = relationship.destinationEntity, place < keys.count - 1 else {
                    return .relationship
                }
                entity = destination
            // Keys behind an attribute are elements of a composite one.
            case let attribute as NSAttributeDescription: return .attribute(attribute, of: entity)
            case .some: return .relationship
            case nil:
                let below = entity.subentities.compactMap { $0.attributesByName[key] }.first
                return below.map { .attribute($0, of: $0.entity) } ?? .unknown(key, of: entity)
            }
        }
        return .relationship
    }

    /// Whether an index makes a search for the attribute's values fast: the attribute is the first element of one.
    package static func isIndexed(_ attribute: NSAttributeDescription, of entity: NSEntityDescription) -> Bool {
        if attribute.isIndexed { return true }
        var next: NSEntityDescription? = entity
        while let entity = next {
            if entity.indexes.contains(where: { $0.elements.first?.propertyName == attribute.name }) { return true }
            if ModelFacts.constraints(of: entity).contains(where: { $0.first == attribute.name }) { return true }
            next = entity.superentity
        }
        return false
    }
}
