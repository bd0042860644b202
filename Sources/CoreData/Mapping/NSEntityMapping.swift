import Foundation

/// The ways in which a migration treats the objects of an entity.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymappingtype)
public enum NSEntityMappingType: UInt, Sendable {
    /// The mapping has no type.
    case undefinedEntityMappingType = 0
    /// The migration policy decides.
    case customEntityMappingType = 1
    /// The entity is new: no source object becomes an object of it.
    case addEntityMappingType = 2
    /// The entity is removed, and its objects with it.
    case removeEntityMappingType = 3
    /// The entity is the same in both models.
    case copyEntityMappingType = 4
    /// The entity exists in both models, and differs.
    case transformEntityMappingType = 5
}

/// A description of how the objects of a source entity become objects of a destination entity.
///
/// An entity mapping belongs to one thread, as its mapping model does.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymapping)
open class NSEntityMapping: NSObject {
    /// The name of the mapping, unique in its mapping model; empty unless set. Value expressions use it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymapping/name)
    open var name: String! = ""
    /// The way in which the objects are treated.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymapping/mappingtype)
    open var mappingType = NSEntityMappingType.undefinedEntityMappingType
    /// The name of the entity in the source model; nil if the entity is new.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymapping/sourceentityname)
    open var sourceEntityName: String?
    /// The version hash of the source entity that the mapping was made for.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymapping/sourceentityversionhash)
    open var sourceEntityVersionHash: Data?
    /// The name of the entity in the destination model; nil if the entity is removed.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymapping/destinationentityname)
    open var destinationEntityName: String?
    /// The version hash of the destination entity that the mapping was made for.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymapping/destinationentityversionhash)
    open var destinationEntityVersionHash: Data?
    /// The mappings that give the values of attributes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymapping/attributemappings)
    open var attributeMappings: [NSPropertyMapping]?
    /// The mappings that give the destinations of relationships.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymapping/relationshipmappings)
    open var relationshipMappings: [NSPropertyMapping]?

    /// An expression that gives the source objects: an array of them, or the result of a fetch.
    ///
    /// Mapping models usually have `FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:",
    /// "Book", "TRUEPREDICATE"), $manager.sourceContext, NO)`. Such a fetch is read in batches. Without an expression
    /// every object of the source entity is read, in batches, too.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymapping/sourceexpression)
    open var sourceExpression: NSExpression?

    /// Free information for the application. A policy can read it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymapping/userinfo)
    open var userInfo: [AnyHashable: Any]?

    /// The name of a subclass of ``NSEntityMigrationPolicy`` that does the work; nil for that class itself.
    ///
    /// If the named module has no such class, a class of that name in another module of the program is taken.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymapping/entitymigrationpolicyclassname)
    open var entityMigrationPolicyClassName: String?

    /// Creates a mapping without names.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymapping)
    public override init() { super.init() }

    /// The name in expressions for a mapping without a name of its own.
    static func defaultName(source: String?, destination: String?) -> String {
        switch (source, destination) {
        case (let source?, let destination?): "\(source)To\(destination)"
        default: destination ?? source ?? ""
        }
    }

    /// Whether another mapping has the same description, with the same versions of the entities.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityMapping else { return false }
        return self === other
            || isSame(as: other) && sourceEntityVersionHash == other.sourceEntityVersionHash
                && destinationEntityVersionHash == other.destinationEntityVersionHash
                && attributeMappings ?? [] == other.attributeMappings ?? []
                && relationshipMappings ?? [] == other.relationshipMappings ?? []
                && (userInfo ?? [:]) as NSDictionary == (other.userInfo ?? [:]) as NSDictionary
    }

    /// A hash of the name.
    open override var hash: Int { name?.hashValue ?? 0 }

    /// The name, the type, the entities, the policy's class and the property mappings.
    open override var description: String {
        "(<NSEntityMapping: \(address(of: self))>) name \(name ?? "(null)"), mappingType \(mappingType.rawValue), "
            + "sourceEntityName \(sourceEntityName ?? "(null)"), destinationEntityName "
            + "\(destinationEntityName ?? "(null)"), entityMigrationPolicyClassName "
            + "\(entityMigrationPolicyClassName ?? "(null)"), attributeMappings \(attributeMappings ?? []), "
            + "relationshipMappings \(relationshipMappings ?? [])"
    }

    /// Whether a migration by this mapping has the same result as one by the other mapping.
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
