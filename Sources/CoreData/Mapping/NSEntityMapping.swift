import Foundation

/// What becomes of the objects of an entity in a migration.
public enum NSEntityMappingType: UInt, Sendable {
    /// Not said.
    case undefinedEntityMappingType = 0
    /// The migration policy decides.
    case customEntityMappingType = 1
    /// The entity is new: no source object leads to one of it.
    case addEntityMappingType = 2
    /// The entity is gone, and its objects with it.
    case removeEntityMappingType = 3
    /// The entity is the same in both models.
    case copyEntityMappingType = 4
    /// The entity is there in both models and differs.
    case transformEntityMappingType = 5
}

/// How the objects of one entity of the source become objects of one entity of the destination.
///
/// Belongs to one thread, as the mapping model it is part of.
open class NSEntityMapping: NSObject {
    /// The mapping's name, by which value expressions refer to it; unique in its mapping model. Empty unless set.
    open var name: String! = ""
    /// What becomes of the objects.
    open var mappingType = NSEntityMappingType.undefinedEntityMappingType
    /// The name of the entity in the source model; nil where the entity is new.
    open var sourceEntityName: String?
    /// The version hash of the source entity the mapping was made for.
    open var sourceEntityVersionHash: Data?
    /// The name of the entity in the destination model; nil where the entity is gone.
    open var destinationEntityName: String?
    /// The version hash of the destination entity the mapping was made for.
    open var destinationEntityVersionHash: Data?
    /// The values of attributes.
    open var attributeMappings: [NSPropertyMapping]?
    /// What relationships lead to.
    open var relationshipMappings: [NSPropertyMapping]?

    /// Gives the source objects: an array of them, or the result of a fetch.
    ///
    /// Mapping models have `FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", "Book",
    /// "TRUEPREDICATE"), $manager.sourceContext, NO)`, which is read in batches; so is every object of the source
    /// entity when there is no expression.
    open var sourceExpression: NSExpression?

    /// What the application wants to keep with the mapping; a policy can read it.
    open var userInfo: [AnyHashable: Any]?

    /// The name of the `NSEntityMigrationPolicy` subclass that does the work; nil for that class itself.
    open var entityMigrationPolicyClassName: String?

    /// Creates a mapping without names.
    public override init() { super.init() }

    /// The name that expressions use where the mapping has none of its own.
    static func defaultName(source: String?, destination: String?) -> String {
        switch (source, destination) {
        case (let source?, let destination?): "\(source)To\(destination)"
        default: destination ?? source ?? ""
        }
    }

    /// Whether both say the same about the same versions of the same entities.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityMapping else { return false }
        return self === other
            || isSame(as: other) && sourceEntityVersionHash == other.sourceEntityVersionHash
                && destinationEntityVersionHash == other.destinationEntityVersionHash
                && attributeMappings ?? [] == other.attributeMappings ?? []
                && relationshipMappings ?? [] == other.relationshipMappings ?? []
                && (userInfo ?? [:]) as NSDictionary == (other.userInfo ?? [:]) as NSDictionary
    }

    open override var hash: Int { name?.hashValue ?? 0 }

    open override var description: String {
        "(<NSEntityMapping: \(address(of: self))>) name \(name ?? "(null)"), mappingType \(mappingType.rawValue), "
            + "sourceEntityName \(sourceEntityName ?? "(null)"), destinationEntityName "
            + "\(destinationEntityName ?? "(null)"), entityMigrationPolicyClassName "
            + "\(entityMigrationPolicyClassName ?? "(null)"), attributeMappings \(attributeMappings ?? []), "
            + "relationshipMappings \(relationshipMappings ?? [])"
    }

    /// Whether a migration by this mapping does what one by the other does.
    final func isSame(as other: NSEntityMapping) -> Bool {
        func same(_ left: [NSPropertyMapping]?, _ right: [NSPropertyMapping]?) -> Bool {
            let (left, right) = (left ?? [], right ?? [])
            return left.count == right.count
                && zip(left, right).allSatisfy { $0.name == $1.name && $0.valueExpression == $1.valueExpression }
        }
        return name == other.name && mappingType == other.mappingType && sourceEntityName == other.sourceEntityName
            && destinationEntityName == other.destinationEntityName
            && entityMigrationPolicyClassName == other.entityMigrationPolicyClassName
            && sourceExpression == other.sourceExpression
            && same(attributeMappings, other.attributeMappings)
            && same(relationshipMappings, other.relationshipMappings)
    }
}
