import Foundation

/// The kind of index that an element belongs to.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchindexelementtype)
public enum NSFetchIndexElementType: UInt, Sendable {
    /// An ordinary index.
    case binary = 0
    /// A spatial index over numbers. Stores make no such index.
    case rTree = 1
}

/// An index of an entity: an ordered list of properties, and optionally a condition.
///
/// Change an index before a coordinator uses the model; later changes stop the process.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchindexdescription)
// @unchecked Sendable: immutable once the model is frozen; every setter checks that.
open class NSFetchIndexDescription: NSObject, NSCopying, @unchecked Sendable {
    /// Cleared by the entity's deinit.
    final unowned(unsafe) var owner: NSEntityDescription?
    private final var storedName: String
    private final var storedElements: [NSFetchIndexElementDescription]
    private final var storedPartialIndexPredicate: NSPredicate?

    /// Creates an index.
    ///
    /// - Parameters:
    ///   - name: A name, unique within the entity.
    ///   - elements: The elements of the index, most significant first; nil stands for nothing.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchindexdescription/init(name:elements:))
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        storedName = name
        storedElements = elements ?? []
        super.init()
        for element in storedElements { element.owner = self }
    }

    deinit {
        for element in storedElements where element.owner === self { element.owner = nil }
    }

    /// The name of the index, unique within its entity.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchindexdescription/name)
    open var name: String {
        get { storedName }
        set {
            requireMutable()
            storedName = newValue
        }
    }

    /// The elements of the index, most significant first.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchindexdescription/elements)
    open var elements: [NSFetchIndexElementDescription] {
        get { storedElements }
        set {
            requireMutable()
            for element in storedElements where element.owner === self { element.owner = nil }
            storedElements = newValue
            for element in newValue { element.owner = self }
        }
    }

    /// The entity that the index belongs to; nil if it belongs to none.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchindexdescription/entity)
    open var entity: NSEntityDescription? { owner }

    /// The condition for objects that the index covers; nil covers all. The setter copies the predicate.
    ///
    /// A condition that needs functions which SQLite alone does not have is left out of the index in the file.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchindexdescription/partialindexpredicate)
    open var partialIndexPredicate: NSPredicate? {
        get { storedPartialIndexPredicate }
        set {
            requireMutable()
            storedPartialIndexPredicate = newValue?.copy() as? NSPredicate
        }
    }

    /// The name of the only property of an ascending index without a condition; nil for other indexes.
    final var soleName: String? {
        guard storedElements.count == 1, storedElements[0].isAscending, storedPartialIndexPredicate == nil else {
            return nil
        }
        return storedElements[0].plainName
    }

    /// The attributes of an index over several; nil for other indexes, and for those with relationships, which Apple
    /// does not list, or computed elements.
    final var compoundNames: [String]? {
        guard storedElements.count > 1, !storedElements.contains(where: { $0.property is NSRelationshipDescription })
        else { return nil }
        let names = storedElements.compactMap(\.plainName)
        return names.count == storedElements.count ? names : nil
    }

    final func requireMutable() {
        require(owner?.isFrozen != true, "Can't modify an immutable model.")
    }

    /// A copy whose elements name their properties, and do not refer to them. An entity that takes the copy resolves
    /// the names.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchIndexDescription(
            name: storedName, elements: storedElements.compactMap { $0.copy() as? NSFetchIndexElementDescription })
        copy.storedPartialIndexPredicate = storedPartialIndexPredicate
        return copy
    }

    /// A copy that belongs to no entity.
    open override func copy() -> Any { copy(with: nil) }

    /// Whether another index has the same name, elements and condition.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchIndexDescription else { return false }
        return self === other
            || (storedName == other.storedName && storedElements == other.storedElements
                && sameValue(storedPartialIndexPredicate, other.storedPartialIndexPredicate))
    }

    /// A hash of the name.
    open override var hash: Int { storedName.hashValue }

    /// The entity, the name, the elements and the condition.
    open override var description: String {
        "<NSFetchIndexDescription : (\(owner?.name ?? "(null)"):\(storedName), elements: "
            + "\(storedElements.map { $0.description }), predicate: \(storedPartialIndexPredicate?.description ?? "(null)"))>"
    }
}

/// One element of an index: a property, its kind of index and its direction.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchindexelementdescription)
// @unchecked Sendable: immutable once the model is frozen; every setter checks that.
open class NSFetchIndexElementDescription: NSObject, NSCopying, @unchecked Sendable {
    /// Cleared by the index's deinit.
    final unowned(unsafe) var owner: NSFetchIndexDescription?
    /// Weak: the entity owns the property. An expression has no other owner, so `ownedExpression` holds it.
    private final weak var storedProperty: NSPropertyDescription?
    final var ownedExpression: NSPropertyDescription?
    private final var storedPropertyName: String?
    private final var storedCollationType: NSFetchIndexElementType
    private final var storedIsAscending = true

    /// Creates an element of an index.
    ///
    /// - Parameters:
    ///   - property: An attribute, a relationship or an expression description. Attributes and relationships are not
    ///     retained.
    ///   - collationType: The kind of index.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchindexelementdescription/init(property:collationtype:))
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

    /// The indexed property; nil if it is gone, or if the entity has no property of the element's name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchindexelementdescription/property)
    open var property: NSPropertyDescription? {
        if let expression = ownedExpression { return expression }
        if let property = storedProperty { return property }
        return storedPropertyName.flatMap { owner?.owner?.propertiesByName[$0] }
    }

    /// The name of the indexed property.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchindexelementdescription/propertyname)
    open var propertyName: String? { property?.name ?? storedPropertyName }

    /// The name of the property; nil for a computed element, and for one of a spatial index.
    final var plainName: String? {
        ownedExpression == nil && storedCollationType == .binary ? storedProperty?.name ?? storedPropertyName : nil
    }

    /// The kind of index.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchindexelementdescription/collationtype)
    open var collationType: NSFetchIndexElementType {
        get { storedCollationType }
        set {
            owner?.requireMutable()
            storedCollationType = newValue
        }
    }

    /// The direction; true, which means ascending, unless set otherwise.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchindexelementdescription/isascending)
    open var isAscending: Bool {
        get { storedIsAscending }
        set {
            owner?.requireMutable()
            storedIsAscending = newValue
        }
    }

    /// The index that the element belongs to; nil if it belongs to none.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchindexelementdescription/indexdescription)
    open var indexDescription: NSFetchIndexDescription? { owner }

    /// A copy that names its property, and does not refer to it.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchIndexElementDescription(
            propertyName: propertyName ?? "", collationType: storedCollationType)
        copy.storedIsAscending = storedIsAscending
        copy.ownedExpression = ownedExpression?.copy() as? NSPropertyDescription
        return copy
    }

    /// A copy that belongs to no index.
    open override func copy() -> Any { copy(with: nil) }

    /// Whether another element has the same property name, kind and direction.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchIndexElementDescription else { return false }
        return self === other
            || (propertyName == other.propertyName && storedCollationType == other.storedCollationType
                && storedIsAscending == other.storedIsAscending
                && sameValue(ownedExpression, other.ownedExpression))
    }

    /// A hash of the property's name.
    open override var hash: Int { propertyName?.hashValue ?? 0 }

    /// The name of the property, the kind of index and the direction.
    open override var description: String {
        "<NSFetchIndexElementDescription : (\(propertyName ?? "(null)"), "
            + "\(storedCollationType == .binary ? "binary" : "rtree"), \(storedIsAscending ? "ascending" : "descending"))>"
    }
}
