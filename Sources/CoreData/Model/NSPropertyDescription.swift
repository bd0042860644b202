import Foundation

/// One named property of an entity: the common part of attributes, relationships, fetched properties and expressions.
///
/// A property belongs to at most one entity. Setting ``NSEntityDescription/properties`` makes the link. Until a
/// coordinator uses the model, everything can be changed, by one thread. Later changes stop the process with "Can't
/// modify an immutable model.", except changes of ``userInfo``.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertydescription)
// @unchecked Sendable: immutable once the model is frozen; every setter checks that. Before that it belongs to one
// thread, as any object under construction.
open class NSPropertyDescription: NSObject, NSCopying, @unchecked Sendable {
    /// The entity that declares the property; `nil` while it stands alone. Cleared by the entity's deinit, so it
    /// never dangles although it does not retain.
    final unowned(unsafe) var owner: NSEntityDescription?

    /// Set when the model that holds the property is frozen.
    final var isFrozen = false

    private final var storedName = ""
    private final var storedIsOptional = true
    private final var storedIsTransient = false
    private final var storedIsIndexed = false
    private final var storedIsIndexedBySpotlight = false
    private final var storedIsStoredInExternalRecord = false
    /// May be set while other threads use the model.
    private final let storedUserInfo = Locked<[AnyHashable: Any]?>([:])
    private final var storedVersionHashModifier: String?
    private final var storedRenamingIdentifier: String?
    private final var storedValidationPredicates: [NSPredicate] = []
    private final var storedValidationWarnings: [Any] = []

    /// Creates a property without a name. It is optional and not transient.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertydescription)
    public override init() {
        super.init()
    }

    /// The entity that declares the property.
    ///
    /// An inherited property names the entity that declares it, also where it was read from a subentity. For a property
    /// of no entity the result is an entity without a name and properties, a new one each time.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertydescription/entity)
    open var entity: NSEntityDescription { owner ?? NSEntityDescription() }

    /// The key of the property, unique within its entity, inherited properties included.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertydescription/name)
    open var name: String {
        get { storedName }
        set {
            requireMutable()
            storedName = newValue
        }
    }

    /// Whether the property may be nil, or empty, when an object is saved; true unless set otherwise.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertydescription/isoptional)
    open var isOptional: Bool {
        get { storedIsOptional }
        set {
            requireMutable()
            storedIsOptional = newValue
        }
    }

    /// Whether the value is kept in memory only, and never written to a store; false unless set otherwise.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertydescription/istransient)
    open var isTransient: Bool {
        get { storedIsTransient }
        set {
            requireMutable()
            storedIsTransient = newValue
        }
    }

    /// The predicates that a value must satisfy to be saved. `SELF` stands for the value.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertydescription/validationpredicates)
    open var validationPredicates: [NSPredicate] { storedValidationPredicates }

    /// The report for the predicate at the same index, if it fails: a message, or an error code as a number.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertydescription/validationwarnings)
    open var validationWarnings: [Any] { storedValidationWarnings }

    /// Replaces the validation predicates and their messages.
    ///
    /// Stops the process if there are messages, but not as many as predicates.
    ///
    /// - Parameters:
    ///   - validationPredicates: The predicates, with `SELF` for the value; nil stands for none.
    ///   - validationWarnings: A message for each predicate; nil stands for none.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertydescription/setvalidationpredicates(_:withvalidationwarnings:))
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        setValidation(predicates: validationPredicates ?? [], warnings: validationWarnings ?? [])
    }

    /// Replaces the validation predicates and their warnings, which may also be error codes, as in compiled models.
    final func setValidation(predicates: [NSPredicate], warnings: [Any]) {
        requireMutable()
        require(
            warnings.isEmpty || predicates.count == warnings.count,
            "Validation predicates and warnings of the property '\(name)' must be as many: "
                + "\(predicates.count) predicates, \(warnings.count) warnings.")
        storedValidationPredicates = predicates
        storedValidationWarnings = warnings
    }

    /// Free information for the application; empty unless set.
    ///
    /// Any thread may read and set it, also while the model is in use.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertydescription/userinfo)
    open var userInfo: [AnyHashable: Any]? {
        get { storedUserInfo.withLock { $0 } }
        set { storedUserInfo.withLock { $0 = newValue } }
    }

    /// Whether the property has an index of its own. ``NSEntityDescription/indexes`` supersedes it.
    ///
    /// It is also true for an attribute that is the only element, in ascending order, of one of the indexes of its
    /// entity.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertydescription/isindexed)
    open var isIndexed: Bool {
        get { storedIsIndexed || isAloneInIndex }
        set {
            requireMutable()
            storedIsIndexed = newValue
        }
    }

    /// Whether a program or a model file has set ``isIndexed``.
    final var isMarkedIndexed: Bool { storedIsIndexed }

    private final var isAloneInIndex: Bool {
        self is NSAttributeDescription && owner?.indexes.contains { $0.soleName == storedName } == true
    }

    /// A string that changes the version hash although nothing else about the property changes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertydescription/versionhashmodifier)
    open var versionHashModifier: String? {
        get { storedVersionHashModifier }
        set {
            requireMutable()
            storedVersionHashModifier = newValue
        }
    }

    /// Whether the value is meant for a system-wide search index. OpenCoreData keeps the value, and indexes nothing.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertydescription/isindexedbyspotlight)
    open var isIndexedBySpotlight: Bool {
        get { storedIsIndexedBySpotlight }
        set {
            requireMutable()
            storedIsIndexedBySpotlight = newValue
        }
    }

    /// Whether the value is meant for external records. OpenCoreData keeps the value, and writes no such records.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertydescription)
    open var isStoredInExternalRecord: Bool {
        get { storedIsStoredInExternalRecord }
        set {
            requireMutable()
            storedIsStoredInExternalRecord = newValue
        }
    }

    /// The name of the property in the previous version of the model, for inferred mappings; ``name`` unless set.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertydescription/renamingidentifier)
    open var renamingIdentifier: String? {
        get { storedRenamingIdentifier ?? (storedName.isEmpty ? nil : storedName) }
        set {
            requireMutable()
            storedRenamingIdentifier = newValue
        }
    }

    /// Whether values are computed and cannot be set by the application (derived attributes, fetched properties).
    final var isReadOnly = false

    /// Stops the process if the model is in use. Every setter calls it first.
    final func requireMutable() {
        require(!isFrozen, "Can't modify an immutable model.")
        owner?.forgetRecordedVersionHash()
    }

    // MARK: Copying and equality

    /// An empty property of the same kind, to be filled by `copyFields(to:)`.
    func makeEmptyCopy() -> NSPropertyDescription { NSPropertyDescription() }

    /// Copies everything that does not refer to other entities. Overridden by each kind.
    func copyFields(to copy: NSPropertyDescription) {
        copy.storedName = storedName
        copy.storedIsOptional = storedIsOptional
        copy.storedIsTransient = storedIsTransient
        copy.isReadOnly = isReadOnly
        copy.storedIsIndexed = storedIsIndexed
        copy.storedIsIndexedBySpotlight = storedIsIndexedBySpotlight
        copy.storedIsStoredInExternalRecord = storedIsStoredInExternalRecord
        copy.userInfo = userInfo
        copy.storedVersionHashModifier = storedVersionHashModifier
        copy.storedRenamingIdentifier = storedRenamingIdentifier
        copy.storedValidationPredicates = storedValidationPredicates
        copy.storedValidationWarnings = storedValidationWarnings
    }

    /// A copy that can be changed, and belongs to no entity.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = makeEmptyCopy()
        copyFields(to: copy)
        return copy
    }

    /// A hash of 32 bytes that identifies the version of the property.
    ///
    /// It changes when the property changes in a way that concerns the layout of a store. These count: name,
    /// optionality, transience, type or destination and inverse, counts, order and ``versionHashModifier``. Default
    /// values, validation, delete rules, indexes and user info do not count.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspropertydescription/versionhash)
    open var versionHash: Data { VersionHash.hash(of: self) }

    /// A copy that can be changed, and belongs to no entity.
    open override func copy() -> Any { copy(with: nil) }

    /// Whether another property is of the same kind and has the same description. Other entities are compared by name.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyDescription else { return false }
        return self === other || (type(of: self) == type(of: other) && hasSameDescription(as: other))
    }

    /// A hash of the name.
    open override var hash: Int { name.hashValue }

    /// Field-by-field equality; other entities are compared by name. Overridden by each kind.
    func hasSameDescription(as other: NSPropertyDescription) -> Bool {
        storedName == other.storedName && storedIsOptional == other.storedIsOptional
            && storedIsTransient == other.storedIsTransient && isReadOnly == other.isReadOnly
            && storedIsIndexedBySpotlight == other.storedIsIndexedBySpotlight
            && storedIsStoredInExternalRecord == other.storedIsStoredInExternalRecord
            && storedVersionHashModifier ?? "" == other.storedVersionHashModifier ?? ""
            && renamingIdentifier == other.renamingIdentifier
            && sameUserInfo(userInfo, other.userInfo)
            && sameValue(storedValidationPredicates, other.storedValidationPredicates)
            && sameValue(storedValidationWarnings, other.storedValidationWarnings)
    }

    /// The kind, the name, the entity and the flags of the property.
    open override var description: String {
        "(<\(type(of: self)): \(address(of: self))>), name \(name), isOptional \(isOptional), "
            + "isTransient \(isTransient), entity \(owner?.name ?? "(null)"), "
            + "renamingIdentifier \(renamingIdentifier ?? "(null)")"
    }
}
