import Foundation

/// A kind of managed object: its name, its class, its properties and its place in the inheritance of entities.
///
/// An entity owns its properties and its subentities. ``properties`` includes inherited properties. Each of them is the
/// very object that the superentity declares. Until a coordinator uses the model, everything can be changed, by one
/// thread. Later changes stop the process with "Can't modify an immutable model.", except changes of ``userInfo``.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription)
// @unchecked Sendable: immutable once the model is frozen; every setter checks that. Before that it belongs to one
// thread, as any object under construction.
open class NSEntityDescription: NSObject, NSCopying, @unchecked Sendable {
    /// The model that holds the entity. Cleared by the model's deinit.
    final unowned(unsafe) var model: NSManagedObjectModel?
    /// Cleared by the superentity's deinit.
    private final unowned(unsafe) var storedSuperentity: NSEntityDescription?

    private final var storedName: String?
    private final var storedClassName = NSEntityDescription.defaultClassName
    private final var storedIsAbstract = false
    private final var storedSubentities: [NSEntityDescription] = []
    private final var storedProperties: [NSPropertyDescription] = []
    /// May be set while other threads use the model.
    private final let storedUserInfo = Locked<[AnyHashable: Any]?>([:])
    private final var storedVersionHashModifier: String?
    private final var storedRenamingIdentifier: String?
    private final var storedIndexes: [NSFetchIndexDescription] = []
    private final var storedUniquenessConstraints: [[Any]] = []
    private final var storedCompoundIndexes: [[Any]] = []
    private final var storedDisplayNameExpression: NSExpression?

    /// The version hash that the file of the model recorded; used where the hash cannot be computed exactly.
    final var recordedVersionHash: Data?

    /// What a module above has made of the entity, which may have a class for its objects (`EntityRepresentation`). Set
    /// before the model is in use.
    package final var representation: AnyObject?

    /// Values that are computed once when the model freezes; nil as long as it can change.
    final var frozen: FrozenEntity?

    /// Creates an entity without a name. Its objects are of the class ``NSManagedObject``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/init())
    public override init() {
        super.init()
    }

    deinit {
        for property in storedProperties where property.owner === self { property.owner = nil }
        for subentity in storedSubentities where subentity.storedSuperentity === self {
            subentity.storedSuperentity = nil
        }
        for index in storedIndexes where index.owner === self { index.owner = nil }
    }

    /// Whether the model is in use and nothing can change any more.
    final var isFrozen: Bool { frozen != nil }

    /// The model that the entity belongs to. Stops the process if the entity belongs to none.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/managedobjectmodel)
    open var managedObjectModel: NSManagedObjectModel {
        guard let model else { fatalError("The entity '\(name ?? "")' belongs to no model.") }
        return model
    }

    /// The name of the class of the entity's objects; nil sets it back to `NSManagedObject`.
    ///
    /// A name without a module is searched in the modules of the program. `Module.Class` is always found.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/managedobjectclassname)
    open var managedObjectClassName: String! {
        get { storedClassName }
        set {
            requireMutable()
            storedClassName = newValue ?? NSEntityDescription.defaultClassName
        }
    }

    /// The name, unique within the model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/name)
    open var name: String? {
        get { storedName }
        set {
            requireMutable()
            storedName = newValue
        }
    }

    /// Whether only subentities have objects; false unless set otherwise.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/isabstract)
    open var isAbstract: Bool {
        get { storedIsAbstract }
        set {
            requireMutable()
            storedIsAbstract = newValue
        }
    }

    /// Free information for the application; empty unless set.
    ///
    /// Any thread may read and set it, also while the model is in use.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/userinfo)
    open var userInfo: [AnyHashable: Any]? {
        get { storedUserInfo.withLock { $0 } }
        set { storedUserInfo.withLock { $0 = newValue } }
    }

    /// A string that changes the version hash although nothing else about the entity changes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/versionhashmodifier)
    open var versionHashModifier: String? {
        get { storedVersionHashModifier }
        set {
            requireMutable()
            storedVersionHashModifier = newValue
        }
    }

    /// The name of the entity in the previous version of the model, for inferred mappings; ``name`` unless set.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/renamingidentifier)
    open var renamingIdentifier: String? {
        get { storedRenamingIdentifier ?? storedName }
        set {
            requireMutable()
            storedRenamingIdentifier = newValue
        }
    }

    /// The indexes of the entity.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/indexes)
    open var indexes: [NSFetchIndexDescription] {
        get { storedIndexes }
        set {
            requireMutable()
            for index in storedIndexes where index.owner === self { index.owner = nil }
            storedIndexes = newValue
            for index in newValue { index.owner = self }
        }
    }

    /// Combinations of attributes of which no two objects may have the same values.
    ///
    /// Each inner array is one constraint. Its elements are attribute names or attribute descriptions. Stores with
    /// tables check the constraints; atomic and incremental stores do not.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/uniquenessconstraints)
    open var uniquenessConstraints: [[Any]] {
        get { storedUniquenessConstraints }
        set {
            requireMutable()
            storedUniquenessConstraints = newValue
        }
    }

    /// Indexes over several properties, as older models have them in place of ``indexes``.
    ///
    /// The elements are the same as in ``uniquenessConstraints``. Each of the ``indexes`` over several properties is
    /// among the compound indexes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription)
    open var compoundIndexes: [[Any]] {
        get { storedCompoundIndexes + compoundIndexNames.dropFirst(storedCompoundIndexes.count).map { $0 as [Any] } }
        set {
            requireMutable()
            storedCompoundIndexes = newValue
        }
    }

    /// The expression for the name of an object in a system-wide search index.
    ///
    /// The expression is evaluated over an object. Unless set it is the name of the entity as a constant. OpenCoreData
    /// keeps the value, and indexes nothing.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/corespotlightdisplaynameexpression)
    open var coreSpotlightDisplayNameExpression: NSExpression {
        get { storedDisplayNameExpression ?? NSExpression(forConstantValue: storedName ?? "") }
        set {
            requireMutable()
            storedDisplayNameExpression = newValue
        }
    }

    /// Returns the entity of a name in the model of a context.
    ///
    /// Stops the process if the context has no coordinator, and so no model.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - context: A context whose coordinator, or whose parent's coordinator, has the model.
    /// - Returns: The entity; nil if the model has none of that name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/entity(forentityname:in:))
    open class func entity(
        forEntityName entityName: String, in context: NSManagedObjectContext
    ) -> NSEntityDescription? {
        let context: any ContextOfEntities = context
        return context.entityOfModel(named: entityName)
    }

    /// Creates an object of the named entity, and inserts it into a context.
    ///
    /// The object is of the class that the model names. Stops the process if the model has no such entity.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - context: The context of the new object. Call the function on its queue.
    /// - Returns: The new object.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/insertnewobject(forentityname:into:))
    open class func insertNewObject(
        forEntityName entityName: String, into context: NSManagedObjectContext
    ) -> NSManagedObject {
        let context: any ContextOfEntities = context
        return context.insertObject(ofEntityNamed: entityName)
    }

    // MARK: Inheritance

    /// The entity that this one inherits from; nil for one at the top.
    ///
    /// The ``subentities`` of the other entity set it. The reference is not strong.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/superentity)
    open var superentity: NSEntityDescription? { storedSuperentity }

    /// The entities that inherit from this one directly.
    ///
    /// The setter takes an entity away from its former superentity. It stops the process if the entity would inherit
    /// from itself.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/subentities)
    open var subentities: [NSEntityDescription] {
        get { storedSubentities }
        set {
            requireMutable()
            for subentity in storedSubentities where subentity.storedSuperentity === self {
                subentity.requireMutable()
                subentity.storedSuperentity = nil
            }
            storedSubentities = newValue
            for subentity in newValue {
                subentity.requireMutable()
                require(
                    !descends(from: subentity), "The entity '\(subentity.name ?? "")' cannot inherit from itself.")
                if let former = subentity.storedSuperentity, former !== self {
                    former.storedSubentities.removeAll { $0 === subentity }
                }
                subentity.storedSuperentity = self
            }
        }
    }

    private final func descends(from entity: NSEntityDescription) -> Bool {
        var candidate: NSEntityDescription? = self
        while let current = candidate {
            if current === entity { return true }
            candidate = current.storedSuperentity
        }
        return false
    }

    /// The direct subentities by name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/subentitiesbyname)
    open var subentitiesByName: [String: NSEntityDescription] {
        Dictionary(storedSubentities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether the entity is the given one, or inherits from it. An equal entity of another model counts as the same.
    ///
    /// - Parameter entity: The entity to compare with.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/iskindof(entity:))
    open func isKindOf(entity: NSEntityDescription) -> Bool {
        var candidate: NSEntityDescription? = self
        while let current = candidate {
            if current === entity || current.isEqual(entity) { return true }
            candidate = current.superentity
        }
        return false
    }

    // MARK: Properties

    /// The properties the entity declares itself, without inherited ones, in the order they were given.
    package final var ownProperties: [NSPropertyDescription] { storedProperties }

    /// All properties: the inherited ones first, then the entity's own.
    ///
    /// The setter takes over the entity's own properties. Inherited ones among them stay inherited, so that
    /// `entity.properties += …` works.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/properties)
    open var properties: [NSPropertyDescription] {
        get { frozen?.properties ?? inheritedProperties + storedProperties }
        set {
            requireMutable()
            let inherited = Set(inheritedProperties.map(ObjectIdentifier.init))
            for property in storedProperties where property.owner === self { property.owner = nil }
            storedProperties = newValue.filter { !inherited.contains(ObjectIdentifier($0)) }
            for property in storedProperties {
                property.requireMutable()
                if let former = property.owner, former !== self {
                    former.storedProperties.removeAll { $0 === property }
                }
                property.owner = self
            }
        }
    }

    /// The greatest depth of inheritance in a model that is read from a file. Recursive code that walks up the
    /// inheritance needs stack.
    static let maximumInheritance = 255

    private final var inheritedProperties: [NSPropertyDescription] { storedSuperentity?.properties ?? [] }

    /// All properties by name, inherited ones included.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/propertiesbyname)
    open var propertiesByName: [String: NSPropertyDescription] {
        frozen?.propertiesByName
            ?? Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// All attributes by name, inherited ones included.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/attributesbyname)
    open var attributesByName: [String: NSAttributeDescription] {
        frozen?.attributesByName ?? propertiesByName.compactMapValues { $0 as? NSAttributeDescription }
    }

    /// All relationships by name, inherited ones included.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/relationshipsbyname)
    open var relationshipsByName: [String: NSRelationshipDescription] {
        frozen?.relationshipsByName ?? propertiesByName.compactMapValues { $0 as? NSRelationshipDescription }
    }

    /// Returns the relationships that lead to an entity, inherited ones included.
    ///
    /// - Parameter entity: The destination. Relationships to its superentities and subentities are left out.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/relationships(fordestination:))
    open func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
        properties.compactMap { $0 as? NSRelationshipDescription }.filter {
            $0.destinationEntity === entity || $0.destinationEntity?.isEqual(entity) == true
        }
    }

    /// Stops the process if the model is in use. Every setter calls it first.
    final func requireMutable() {
        require(!isFrozen, "Can't modify an immutable model.")
        forgetRecordedVersionHash()
    }

    /// Forgets the hash that a file recorded, here and in all subentities: the description has changed.
    final func forgetRecordedVersionHash() {
        recordedVersionHash = nil
        for subentity in storedSubentities { subentity.forgetRecordedVersionHash() }
    }

    // MARK: Copying and equality

    /// A copy that can be changed, with copies of the entity's own properties and indexes.
    ///
    /// The copy belongs to no model, and has neither a superentity nor subentities. Copying a whole model keeps them.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSEntityDescription()
        copy.storedName = storedName
        copy.storedClassName = storedClassName
        copy.storedIsAbstract = storedIsAbstract
        copy.userInfo = userInfo
        copy.storedVersionHashModifier = storedVersionHashModifier
        copy.storedRenamingIdentifier = storedRenamingIdentifier
        copy.storedDisplayNameExpression = storedDisplayNameExpression
        copy.properties = storedProperties.compactMap { $0.copy() as? NSPropertyDescription }
        copy.indexes = storedIndexes.compactMap { $0.copy() as? NSFetchIndexDescription }
        copy.storedUniquenessConstraints = storedUniquenessConstraints.map { $0.compactMap(Self.constraintKey) }
        copy.storedCompoundIndexes = storedCompoundIndexes.map { $0.compactMap(Self.constraintKey) }
        return copy
    }

    /// A hash of 32 bytes that identifies the version of the entity.
    ///
    /// It changes when the entity, one of its properties or its superentity changes in a way that concerns the layout
    /// of a store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitydescription/versionhash)
    open var versionHash: Data {
        if isFrozen, let model, let hash = model.entityVersionHashesByName[name ?? ""] { return hash }
        return computeVersionHash()
    }

    /// A copy that can be changed, without model, superentity and subentities.
    open override func copy() -> Any { copy(with: nil) }

    /// The uniqueness constraints with every element as a name.
    package final var uniquenessConstraintNames: [[String]] {
        storedUniquenessConstraints.map { $0.compactMap(Self.constraintKey) }
    }

    /// The compound indexes with every element as a name: those that were set, and those of fetch indexes.
    final var compoundIndexNames: [[String]] {
        var names = storedCompoundIndexes.map { $0.compactMap(Self.constraintKey) }
        for index in storedIndexes {
            guard let compound = index.compoundNames, !names.contains(compound) else { continue }
            names.append(compound)
        }
        return names
    }

    private static func constraintKey(_ element: Any) -> String? {
        (element as? NSPropertyDescription)?.name ?? element as? String
    }

    /// Whether another entity has the same description. Superentity and subentities are compared by name.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityDescription else { return false }
        if self === other { return true }
        return storedName == other.storedName && storedClassName == other.storedClassName
            && storedIsAbstract == other.storedIsAbstract
            && storedSuperentity?.name == other.storedSuperentity?.name
            && Set(storedSubentities.map(\.name)) == Set(other.storedSubentities.map(\.name))
            && storedVersionHashModifier ?? "" == other.storedVersionHashModifier ?? ""
            && renamingIdentifier == other.renamingIdentifier
            && sameUserInfo(userInfo, other.userInfo)
            && uniquenessConstraintNames == other.uniquenessConstraintNames
            && compoundIndexNames == other.compoundIndexNames
            && sameValue(storedDisplayNameExpression, other.storedDisplayNameExpression)
            && comparableIndexes == other.comparableIndexes
            && storedProperties.sorted { $0.name < $1.name } == other.storedProperties.sorted { $0.name < $1.name }
    }

    /// A hash of the name.
    open override var hash: Int { storedName?.hashValue ?? 0 }

    /// The name, the class, the superentity, the properties and the subentities.
    open override var description: String {
        "(<NSEntityDescription: \(address(of: self))>) name \(name ?? "(null)"), "
            + "managedObjectClassName \(storedClassName), renamingIdentifier \(renamingIdentifier ?? "(null)"), "
            + "isAbstract \(isAbstract), superentity name \(superentity?.name ?? "(null)"), "
            + "properties \(properties.map(\.name)), subentities \(storedSubentities.map { $0.name ?? "(null)" })"
    }
}

/// Values of an entity of a frozen model that are computed once.
struct FrozenEntity {
    let properties: [NSPropertyDescription]
    let propertiesByName: [String: NSPropertyDescription]
    let attributesByName: [String: NSAttributeDescription]
    let relationshipsByName: [String: NSRelationshipDescription]
    /// The number of the entity in `NSManagedObjectModel.entityNumbering`, from 1.
    let number: Int
}

extension NSEntityDescription {
    /// The name of the class of an entity that names none.
    static let defaultClassName = "NSManagedObject"

    /// The entity at the top of the inheritance: its table holds the objects of all its subentities.
    final var rootEntity: NSEntityDescription {
        var root = self
        while let parent = root.superentity { root = parent }
        return root
    }
}
