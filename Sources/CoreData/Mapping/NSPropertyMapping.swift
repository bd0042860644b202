import Foundation

/// How the value of one property of a destination entity comes about in a migration.
///
/// Belongs to one thread, as the mapping model it is part of.
open class NSPropertyMapping: NSObject {
    /// The name of the property of the destination entity.
    open var name: String?

    /// Gives the value; nil leaves the property as a new object has it.
    ///
    /// The variables are `$manager`, `$source`, `$destination`, `$entityMapping`, `$propertyMapping` and
    /// `$entityPolicy`: `$source.title`, `FUNCTION($manager,
    /// "destinationInstancesForEntityMappingNamed:sourceInstances:", "BookToBook", $source.books)`,
    /// `FUNCTION($entityPolicy, "year:", $source.date)`.
    open var valueExpression: NSExpression?

    /// What the application wants to keep with the mapping.
    open var userInfo: [AnyHashable: Any]?

    /// How a relationship is set beside its inverse.
    final var linking = Linking.plainly

    enum Linking {
        /// The inverse follows, and objects may be taken from others.
        case plainly
        /// It keeps what its inverse has made already, and does not take an object from another: the two sides hold
        /// links of their own.
        case joining
        /// The inverse stays as it is: it is new, and starts empty.
        case alone
    }

    /// Creates a mapping without a name.
    public override init() { super.init() }

    /// Whether both give the same property the same value.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyMapping else { return false }
        return self === other
            || name == other.name && valueExpression == other.valueExpression
                && (userInfo ?? [:]) as NSDictionary == (other.userInfo ?? [:]) as NSDictionary
    }

    open override var hash: Int { name?.hashValue ?? 0 }

    open override var description: String {
        "(<NSPropertyMapping: \(address(of: self))>) name \(name ?? "(null)"), valueExpression "
            + "\(valueExpression?.description ?? "(null)"), userInfo \(userInfo ?? [:])"
    }
}
