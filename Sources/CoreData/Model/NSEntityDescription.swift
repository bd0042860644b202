import Foundation

/// A kind of managed object: its name, its class, its properties and its place in the inheritance of entities.
///
/// An entity owns its properties and its subentities. `properties` includes what is inherited, each property once
/// and as the very object the superentity declares. Until the model is used by a coordinator everything can be
/// changed; later changes stop the process with "Can't modify an immutable model.".
// @unchecked Sendable: immutable once the model is frozen; every setter checks that. Before, as any class under
// construction, it belongs to one thread.
open class NSEntityDescription: NSObject, NSCopying, @unchecked Sendable {
    /// The model that holds the entity. Cleared by the model's deinit.
    final unowned(unsafe) var model: NSManagedObjectModel?
    /// Cleared by the superentity's deinit.
    private final unowned(unsafe) var storedSuperentity: NSEntityDescription?

    private final var storedName: String?
    private final var storedClassName = "NSManagedObject"
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

    /// What is computed once when the model freezes; `nil` while it can still change.
    final var frozen: FrozenEntity?

    /// Creates an entity without a name whose objects are plain `NSManagedObject`s.
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

    /// The model the entity belongs to. Reading it on an entity of no model is a programmer error.
    open var managedObjectModel: NSManagedObjectModel {
        guard let model else { fatalError("The entity '\(name ?? "")' belongs to no model.") }
        return model
    }

    /// The name of the class of the entity's objects; `nil` sets it back to `NSManagedObject`.
    open var managedObjectClassName: String! {
        get { storedClassName }
        set {
            requireMutable()
            storedClassName = newValue ?? "NSManagedObject"
        }
    }

    /// The name, unique within the model.
    open var name: String? {
        get { storedName }
        set {
            requireMutable()
            storedName = newValue
        }
    }

    /// Whether only subentities have objects.
    open var isAbstract: Bool {
        get { storedIsAbstract }
        set {
            requireMutable()
            storedIsAbstract = newValue
        }
    }

    /// Free information for the application; empty unless set. It may be changed while the model is in use.
    open var userInfo: [AnyHashable: Any]? {
        get { storedUserInfo.withLock { $0 } }
        set { storedUserInfo.withLock { $0 = newValue } }
    }

    /// A string that changes the version hash although nothing else about the entity changed.
    open var versionHashModifier: String? {
        get { storedVersionHashModifier }
        set {
            requireMutable()
            storedVersionHashModifier = newValue
        }
    }

    /// The name the entity had in the previous version of the model, for inferred mappings; `name` unless set.
    open var renamingIdentifier: String? {
        get { storedRenamingIdentifier ?? storedName }
        set {
            requireMutable()
            storedRenamingIdentifier = newValue
        }
    }

    /// The indexes of the entity.
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
    /// Each inner array is one constraint; its elements are attribute names or attribute descriptions.
    open var uniquenessConstraints: [[Any]] {
        get { storedUniquenessConstraints }
        set {
            requireMutable()
            storedUniquenessConstraints = newValue
        }
    }

    /// Indexes over several properties, as models had them before `indexes`; elements as in uniqueness constraints.
    open var compoundIndexes: [[Any]] {
        get { storedCompoundIndexes }
        set {
            requireMutable()
            storedCompoundIndexes = newValue
        }
    }

    /// The name under which an object would appear in a system-wide search index; an expression over the object,
    /// the entity's name as a constant unless set otherwise. Kept; nothing is indexed.
    open var coreSpotlightDisplayNameExpression: NSExpression {
        get { storedDisplayNameExpression ?? NSExpression(forConstantValue: storedName ?? "") }
        set {
            requireMutable()
            storedDisplayNameExpression = newValue
        }
    }

    /// The entity of a name in the model of a context; nil when the model has none of that name.
    ///
    /// Stops the process when the context has no coordinator (and so no model).
    open class func entity(
        forEntityName entityName: String, in context: NSManagedObjectContext
    ) -> NSEntityDescription? {
        let context: any ContextOfEntities = context
        return context.entityOfModel(named: entityName)
    }

    /// Makes a new object of the named entity, of the class the model says, and inserts it into the context.
    ///
    /// Stops the process when the model has no such entity.
    open class func insertNewObject(
        forEntityName entityName: String, into context: NSManagedObjectContext
    ) -> NSManagedObject {
        let context: any ContextOfEntities = context
        return context.insertObject(ofEntityNamed: entityName)
    }

    // MARK: Inheritance

    /// The entity this one inherits from. Not retained; it is set by the superentity's `subentities`.
    open var superentity: NSEntityDescription? { storedSuperentity }

    /// The entities that inherit from this one directly.
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
    open var subentitiesByName: [String: NSEntityDescription] {
        Dictionary(storedSubentities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether the entity is the given one or inherits from it. An equal entity of another model counts as the same.
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
    /// The setter takes the entity's own; inherited ones among them (as in `entity.properties += …`) stay inherited.
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

    /// Over how many entities one may inherit in a model that is read from a file: whoever walks up needs the stack.
    static let maximumInheritance = 256

    private final var inheritedProperties: [NSPropertyDescription] { storedSuperentity?.properties ?? [] }

    /// All properties, inherited ones included, by name.
    open var propertiesByName: [String: NSPropertyDescription] {
        frozen?.propertiesByName
            ?? Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// All attributes, inherited ones included, by name.
    open var attributesByName: [String: NSAttributeDescription] {
        frozen?.attributesByName ?? propertiesByName.compactMapValues { $0 as? NSAttributeDescription }
    }

    /// All relationships, inherited ones included, by name.
    open var relationshipsByName: [String: NSRelationshipDescription] {
        frozen?.relationshipsByName ?? propertiesByName.compactMapValues { $0 as? NSRelationshipDescription }
    }

    /// The relationships, inherited ones included, that lead to the given entity.
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

    /// The description changes: a hash recorded for the former one does not hold any more, here and below.
    final func forgetRecordedVersionHash() {
        recordedVersionHash = nil
        for subentity in storedSubentities { subentity.forgetRecordedVersionHash() }
    }

    // MARK: Copying and equality

    /// A mutable copy with copies of the entity's own properties and indexes; it belongs to no model and has neither
    /// superentity nor subentities. Copying a whole model keeps them.
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

    /// 32 bytes that change when the entity, one of its properties or its superentity changes in a way that concerns
    /// the layout of a store.
    open var versionHash: Data {
        if isFrozen, let model, let hash = model.entityVersionHashesByName[name ?? ""] { return hash }
        return computeVersionHash()
    }

    open override func copy() -> Any { copy(with: nil) }

    /// The uniqueness constraints with every element as a name.
    package final var uniquenessConstraintNames: [[String]] {
        storedUniquenessConstraints.map { $0.compactMap(Self.constraintKey) }
    }

    /// The compound indexes with every element as a name.
    final var compoundIndexNames: [[String]] { storedCompoundIndexes.map { $0.compactMap(Self.constraintKey) } }

    private static func constraintKey(_ element: Any) -> String? {
        (element as? NSPropertyDescription)?.name ?? element as? String
    }

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
            && storedIndexes.sorted { $0.name < $1.name } == other.storedIndexes.sorted { $0.name < $1.name }
            && storedProperties.sorted { $0.name < $1.name } == other.storedProperties.sorted { $0.name < $1.name }
    }

    open override var hash: Int { storedName?.hashValue ?? 0 }

    open override var description: String {
        "(<NSEntityDescription: \(address(of: self))>) name \(name ?? "(null)"), "
            + "managedObjectClassName \(storedClassName), renamingIdentifier \(renamingIdentifier ?? "(null)"), "
            + "isAbstract \(isAbstract), superentity name \(superentity?.name ?? "(null)"), "
            + "properties \(properties.map(\.name)), subentities \(storedSubentities.map { $0.name ?? "(null)" })"
    }
}

/// What an entity of a frozen model knows without computing it again.
struct FrozenEntity {
    let properties: [NSPropertyDescription]
    let propertiesByName: [String: NSPropertyDescription]
    let attributesByName: [String: NSAttributeDescription]
    let relationshipsByName: [String: NSRelationshipDescription]
    /// The number of the entity in `NSManagedObjectModel.entityNumbering`, from 1.
    let number: Int
}

extension NSEntityDescription {
    /// The entity at the top of the inheritance: its table holds the objects of all its subentities.
    final var rootEntity: NSEntityDescription {
        var root = self
        while let parent = root.superentity { root = parent }
        return root
    }
}
