import Foundation

/// The effect of deleting an object on the objects at the other end of a relationship.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsdeleterule)
public enum NSDeleteRule: UInt, Sendable {
    /// Nothing happens. The other end may keep a reference to a deleted object.
    case noActionDeleteRule = 0
    /// The inverse at the other end becomes nil, or loses the object.
    case nullifyDeleteRule = 1
    /// The objects at the other end are deleted, too.
    case cascadeDeleteRule = 2
    /// The object cannot be deleted as long as the relationship holds any object.
    case denyDeleteRule = 3
}

/// A property that refers to one object, or to many objects, of an entity.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsrelationshipdescription)
// @unchecked Sendable: see NSPropertyDescription.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
    // Not retained, because the parts of a model under construction may be released in any order. A frozen model holds
    // all of them, and its deinit clears the unowned pointers, which spare frequent code the cost of such a reference.
    private final var destinationReference: ZeroingReference<NSEntityDescription>?
    private final var weakDestination: NSEntityDescription? {
        get { destinationReference?.object }
        set { destinationReference = newValue.map { ZeroingReference($0) } }
    }
    private final weak var weakInverse: NSRelationshipDescription?
    private final unowned(unsafe) var frozenDestination: NSEntityDescription?
    private final unowned(unsafe) var frozenInverse: NSRelationshipDescription?
    private final var storedDestinationName: String?
    private final var storedInverseName: String?
    private final var storedMaxCount = 0
    private final var storedMinCount = 0
    private final var storedDeleteRule = NSDeleteRule.nullifyDeleteRule
    private final var storedIsOrdered = false

    /// Creates a to-many relationship without bounds. Its delete rule is nullify.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsrelationshipdescription)
    public override init() {
        super.init()
    }

    /// The entity of the objects that the relationship refers to. The reference is weak: the model owns both ends.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsrelationshipdescription/destinationentity)
    open var destinationEntity: NSEntityDescription? {
        get { isFrozen ? frozenDestination : weakDestination }
        set {
            requireMutable()
            weakDestination = newValue
            storedDestinationName = nil
        }
    }

    /// The relationship of ``destinationEntity`` that leads back. Both relationships have to name each other.
    ///
    /// The reference is weak: the model owns both ends.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsrelationshipdescription/inverserelationship)
    open var inverseRelationship: NSRelationshipDescription? {
        get { isFrozen ? frozenInverse : weakInverse }
        set {
            requireMutable()
            weakInverse = newValue
            storedInverseName = nil
        }
    }

    /// The name of the destination, which may be set before the destination itself exists (as in models that are
    /// merged).
    final var destinationEntityName: String? {
        get { destinationEntity?.name ?? storedDestinationName }
        set {
            requireMutable()
            weakDestination = nil
            storedDestinationName = newValue
        }
    }

    /// The name of the inverse, which may be set before the inverse itself exists.
    final var inverseRelationshipName: String? {
        get { inverseRelationship?.name ?? storedInverseName }
        set {
            requireMutable()
            weakInverse = nil
            storedInverseName = newValue
        }
    }

    /// The greatest number of objects in the relationship. 1 makes it to-one; 0, the value unless set, means no bound.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsrelationshipdescription/maxcount)
    open var maxCount: Int {
        get { storedMaxCount }
        set {
            requireMutable()
            storedMaxCount = newValue
        }
    }

    /// The least number of objects in a relationship that is not optional, checked by saves; 0 means no bound.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsrelationshipdescription/mincount)
    open var minCount: Int {
        get { storedMinCount }
        set {
            requireMutable()
            storedMinCount = newValue
        }
    }

    /// The effect of deleting an object on the other end; nullify unless set otherwise.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsrelationshipdescription/deleterule)
    open var deleteRule: NSDeleteRule {
        get { storedDeleteRule }
        set {
            requireMutable()
            storedDeleteRule = newValue
        }
    }

    /// Whether the relationship refers to many objects: ``maxCount`` is not 1.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsrelationshipdescription/istomany)
    open var isToMany: Bool { storedMaxCount != 1 }

    /// Whether a to-many relationship keeps its objects in order, in an `NSOrderedSet` in place of an `NSSet`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsrelationshipdescription/isordered)
    open var isOrdered: Bool {
        get { storedIsOrdered }
        set {
            requireMutable()
            storedIsOrdered = newValue
        }
    }

    /// Sets the destination and the inverse inside one model, for copies and resolved names.
    final func link(destination: NSEntityDescription?, inverse: NSRelationshipDescription?) {
        require(!isFrozen, "Can't modify an immutable model.")
        storedDestinationName = destination == nil ? destinationEntityName : nil
        storedInverseName = inverse == nil ? inverseRelationshipName : nil
        weakDestination = destination
        weakInverse = inverse
    }

    /// Called by the model while it freezes, before `isFrozen` is set.
    final func freezeEnds() {
        frozenDestination = weakDestination
        frozenInverse = weakInverse
    }

    /// Called by the deinit of the frozen model: relationships that outlive the model must not refer to its entities.
    final func thawEnds() {
        frozenDestination = nil
        frozenInverse = nil
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSRelationshipDescription() }

    override func copyFields(to copy: NSPropertyDescription) {
        super.copyFields(to: copy)
        guard let copy = copy as? NSRelationshipDescription else { return }
        copy.weakDestination = destinationEntity
        copy.weakInverse = inverseRelationship
        copy.storedDestinationName = destinationEntityName
        copy.storedInverseName = inverseRelationshipName
        copy.storedMaxCount = storedMaxCount
        copy.storedMinCount = storedMinCount
        copy.storedDeleteRule = storedDeleteRule
        copy.storedIsOrdered = storedIsOrdered
    }

    override func hasSameDescription(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSRelationshipDescription, super.hasSameDescription(as: other) else {
            return false
        }
        return destinationEntityName == other.destinationEntityName
            && inverseRelationshipName == other.inverseRelationshipName && storedMaxCount == other.storedMaxCount
            && storedMinCount == other.storedMinCount && storedDeleteRule == other.storedDeleteRule
            && storedIsOrdered == other.storedIsOrdered
    }

    /// The description of the property, with destination, inverse, counts, order and delete rule.
    open override var description: String {
        super.description + ", destination entity \(destinationEntityName ?? "(null)"), "
            + "inverseRelationship \(inverseRelationshipName ?? "(null)"), minCount \(minCount), "
            + "maxCount \(maxCount), isOrdered \(isOrdered), deleteRule \(deleteRule.rawValue)"
    }
}
