import Foundation

/// The expressions that mapping models consist of.
enum MappingExpressions {
    /// The manager's functions, by the names in expressions.
    static let fetchRequest = "fetchRequestForSourceEntityNamed:predicateString:"
    static let fetchRequestWithSubentities = "fetchRequestForSourceEntityNamed:predicateString:includesSubentities:"
    static let instancesByMapping = "destinationInstancesForEntityMappingNamed:sourceInstances:"
    static let instancesByRelationship = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
    static let compositeValue =
        "destinationValueForCompositeAttributeNamed:sourceAttributeNamed:sourceInstance:"
    static let sourceInstances = "sourceInstancesForEntityMappingNamed:destinationInstances:"

    static var manager: NSExpression { NSExpression(forVariable: NSMigrationManagerKey) }

    /// The expression `$source.path`.
    static func source(_ path: String) -> NSExpression {
        NSExpression(
            payload: .keyPath(KeyValuePath(path), operand: NSExpression(forVariable: NSMigrationSourceObjectKey)))
    }

    /// The expression for all objects of a source entity for which a predicate holds.
    static func objects(of entity: String, predicate: String = "TRUEPREDICATE") -> NSExpression {
        NSFetchRequestExpression.expression(
            forFetch: NSExpression(
                forFunction: manager, selectorName: fetchRequest,
                arguments: [NSExpression(forConstantValue: entity), NSExpression(forConstantValue: predicate)]),
            context: NSExpression(payload: .keyPath(KeyValuePath("sourceContext"), operand: manager)), countOnly: false)
    }

    /// The expression for the destinations, by any mapping, of the objects to which a relationship of the source leads.
    static func relationship(_ name: String) -> NSExpression {
        NSExpression(
            forFunction: manager, selectorName: instancesByRelationship,
            arguments: [NSExpression(forConstantValue: name), source(name)])
    }

    /// The expression for a composite attribute whose elements have changed. The elements are matched as whole
    /// properties are.
    static func composite(_ old: NSAttributeDescription, _ new: NSAttributeDescription) -> NSExpression {
        NSExpression(
            forFunction: manager, selectorName: compositeValue,
            arguments: [
                NSExpression(forConstantValue: new.name), NSExpression(forConstantValue: old.name),
                NSExpression(forVariable: NSMigrationSourceObjectKey),
            ])
    }

    /// The expression for the destinations, by one entity mapping, of the objects to which a path leads.
    static func instances(ofMapping name: String, from path: NSExpression) -> NSExpression {
        NSExpression(
            forFunction: manager, selectorName: instancesByMapping,
            arguments: [NSExpression(forConstantValue: name), path])
    }
}
