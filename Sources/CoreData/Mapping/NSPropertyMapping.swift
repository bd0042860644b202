import Foundation

/// A description of how a migration computes one property of a destination entity.
///
/// A property mapping belongs to one thread, as its mapping model does.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertymapping)
open class NSPropertyMapping: NSObject {
    /// The name of the property of the destination entity.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertymapping/name)
    open var name: String?

    /// An expression that gives the value; nil leaves the property as it is in a new object.
    ///
    /// The variables are `$manager`, `$source`, `$destination`, `$entityMapping`, `$propertyMapping` and
    /// `$entityPolicy`. Examples:
    ///
    /// - `$source.title`
    /// - `FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "BookToBook",
    ///   $source.books)`
    /// - `FUNCTION($entityPolicy, "year:", $source.date)`
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertymapping/valueexpression)
    open var valueExpression: NSExpression?

    /// Free information for the application.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertymapping/userinfo)
    open var userInfo: [AnyHashable: Any]?

    /// The way in which a relationship is set with regard to its inverse.
    final var linking = Linking.plainly

    enum Linking {
        /// The inverse follows, and objects may lose their links to former owners.
        case plainly
        /// The relationship keeps the links that its inverse has made already, and does not take an object from another
        /// owner, because the two sides have links of their own.
        case joining
        /// The inverse stays as it is, because it is new and starts empty.
        case alone
    }

    /// Creates a mapping without a name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertymapping)
    public override init() { super.init() }

    /// Whether another mapping gives the same property the same value, with the same user info.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyMapping else { return false }
        return self === other
            || name == other.name && valueExpression == other.valueExpression
                && (userInfo ?? [:]) as NSDictionary == (other.userInfo ?? [:]) as NSDictionary
    }

    /// A hash of the name.
    open override var hash: Int { name?.hashValue ?? 0 }

    /// The name, the expression and the user info.
    open override var description: String {
        "(<NSPropertyMapping: \(address(of: self))>) name \(name ?? "(null)"), valueExpression "
            + "\(valueExpression?.description ?? "(null)"), userInfo \(userInfo ?? [:])"
    }
}
