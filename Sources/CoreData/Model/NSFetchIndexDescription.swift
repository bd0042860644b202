import Foundation

/// How an index orders its elements.
public enum NSFetchIndexElementType: UInt, Sendable {
    /// An ordinary index.
    case binary = 0
    /// A spatial index over numbers.
    case rTree = 1
}

/// An index of an entity: an ordered list of properties, and optionally which objects it covers.
// @unchecked Sendable: immutable once the model is frozen; every setter checks that.
open class NSFetchIndexDescription: NSObject, NSCopying, @unchecked Sendable {
    /// Cleared by the entity's deinit.
    final unowned(unsafe) var owner: NSEntityDescription?
    private final var storedName: String
    private final var storedElements: [NSFetchIndexElementDescription]
    private final var storedPartialIndexPredicate: NSPredicate?

    /// Creates an index; the name must be unique within its entity.
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        storedName = name
        storedElements = elements ?? []
        super.init()
        for element in storedElements { element.owner = self }
    }

    deinit {
        for element in storedElements where element.owner === self { element.owner = nil }
    }

    /// The name of the index.
    open var name: String {
        get { storedName }
        set {
            requireMutable()
            storedName = newValue
        }
    }

    /// What is indexed, most significant first.
    open var elements: [NSFetchIndexElementDescription] {
        get { storedElements }
        set {
            requireMutable()
            for element in storedElements where element.owner === self { element.owner = nil }
            storedElements = newValue
            for element in newValue { element.owner = self }
        }
    }

    /// The entity the index belongs to.
    open var entity: NSEntityDescription? { owner }

    /// Which objects the index covers; `nil` means all.
    open var partialIndexPredicate: NSPredicate? {
        get { storedPartialIndexPredicate }
        set {
            requireMutable()
            storedPartialIndexPredicate = newValue?.copy() as? NSPredicate
        }
    }

    final func requireMutable() {
        require(owner?.isFrozen != true, "Can't modify an immutable model.")
    }

    /// A copy whose elements name their properties but point at none; an entity that takes it resolves them.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchIndexDescription(
            name: storedName, elements: storedElements.compactMap { $0.copy() as? NSFetchIndexElementDescription })
        copy.storedPartialIndexPredicate = storedPartialIndexPredicate
        return copy
    }

    open override func copy() -> Any { copy(with: nil) }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchIndexDescription else { return false }
        return self === other
            || (storedName == other.storedName && storedElements == other.storedElements
                && sameValue(storedPartialIndexPredicate, other.storedPartialIndexPredicate))
    }

    open override var hash: Int { storedName.hashValue }

    open override var description: String {
        "<NSFetchIndexDescription : (\(owner?.name ?? "(null)"):\(storedName), elements: "
            + "\(storedElements.map { $0.description }), predicate: \(storedPartialIndexPredicate?.description ?? "(null)"))>"
    }
}

/// One element of an index: a property, its kind of index and its direction.
// @unchecked Sendable: immutable once the model is frozen; every setter checks that.
open class NSFetchIndexElementDescription: NSObject, NSCopying, @unchecked Sendable {
    /// Cleared by the index's deinit.
    final unowned(unsafe) var owner: NSFetchIndexDescription?
    /// Weak: the entity owns the property. An expression belongs to nobody else and is held by `ownedExpression`.
    private final weak var storedProperty: NSPropertyDescription?
    final var ownedExpression: NSPropertyDescription?
    private final var storedPropertyName: String?
    private final var storedCollationType: NSFetchIndexElementType
    private final var storedIsAscending = true

    /// Creates an element over an attribute, a relationship or an expression description.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        storedProperty = property
        storedPropertyName = property.name
        storedCollationType = collationType
        if !(property is NSAttributeDescription || property is NSRelationshipDescription) {
            ownedExpression = property
        }
        super.init()
    }

    /// Creates an element that is resolved once its index belongs to an entity.
    init(propertyName: String, collationType: NSFetchIndexElementType) {
        storedPropertyName = propertyName
        storedCollationType = collationType
        super.init()
    }

    /// What is indexed; `nil` when the property died, or when the name is not (yet) one of the entity.
    open var property: NSPropertyDescription? {
        if let expression = ownedExpression { return expression }
        if let property = storedProperty { return property }
        return storedPropertyName.flatMap { owner?.owner?.propertiesByName[$0] }
    }

    /// The name of what is indexed.
    open var propertyName: String? { property?.name ?? storedPropertyName }

    /// Ordinary or spatial.
    open var collationType: NSFetchIndexElementType {
        get { storedCollationType }
        set {
            owner?.requireMutable()
            storedCollationType = newValue
        }
    }

    /// The direction, `true` unless set otherwise.
    open var isAscending: Bool {
        get { storedIsAscending }
        set {
            owner?.requireMutable()
            storedIsAscending = newValue
        }
    }

    /// The index the element belongs to.
    open var indexDescription: NSFetchIndexDescription? { owner }

    /// A copy that names its property without pointing at it.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchIndexElementDescription(
            propertyName: propertyName ?? "", collationType: storedCollationType)
        copy.storedIsAscending = storedIsAscending
        copy.ownedExpression = ownedExpression?.copy() as? NSPropertyDescription
        return copy
    }

    open override func copy() -> Any { copy(with: nil) }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchIndexElementDescription else { return false }
        return self === other
            || (propertyName == other.propertyName && storedCollationType == other.storedCollationType
                && storedIsAscending == other.storedIsAscending
                && sameValue(ownedExpression, other.ownedExpression))
    }

    open override var hash: Int { propertyName?.hashValue ?? 0 }

    open override var description: String {
        "<NSFetchIndexElementDescription : (\(propertyName ?? "(null)"), "
            + "\(storedCollationType == .binary ? "binary" : "rtree"), \(storedIsAscending ? "ascending" : "descending"))>"
    }
}
