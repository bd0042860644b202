import Foundation

/// One named property of an entity: the common part of attributes, relationships, fetched properties and expressions.
///
/// A property belongs to at most one entity; assigning `NSEntityDescription.properties` makes the link. Properties
/// can be changed until their model is used by a coordinator for the first time; a later change stops the process
/// with "Can't modify an immutable model.".
// @unchecked Sendable: immutable once the model is frozen; every setter checks that. Before, as any class under
// construction, it belongs to one thread.
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

    /// Creates a property that is optional, not transient, and nameless.
    public override init() {
        super.init()
    }

    /// The entity that declares the property.
    ///
    /// An inherited property answers the entity that declares it, not the subentity it was read from. One that was not
    /// added to an entity answers an entity without name and properties, a new one each time.
    open var entity: NSEntityDescription { owner ?? NSEntityDescription() }

    /// The key of the property, unique within its entity including what the entity inherits.
    open var name: String {
        get { storedName }
        set {
            requireMutable()
            storedName = newValue
        }
    }

    /// Whether the property may be `nil` (or empty) when an object is saved; `true` unless set otherwise.
    open var isOptional: Bool {
        get { storedIsOptional }
        set {
            requireMutable()
            storedIsOptional = newValue
        }
    }

    /// Whether the value lives in memory only and is never written to a store.
    open var isTransient: Bool {
        get { storedIsTransient }
        set {
            requireMutable()
            storedIsTransient = newValue
        }
    }

    /// The predicates a value must satisfy to be saved; `SELF` in them is the value.
    open var validationPredicates: [NSPredicate] { storedValidationPredicates }

    /// What to report when the predicate at the same index fails: a message, or an error code as a number.
    open var validationWarnings: [Any] { storedValidationWarnings }

    /// Replaces the validation predicates and their messages; the arrays are parallel.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        setValidation(predicates: validationPredicates ?? [], warnings: validationWarnings ?? [])
    }

    /// As `setValidationPredicates`, with warnings that may be error codes as compiled models hold them.
    final func setValidation(predicates: [NSPredicate], warnings: [Any]) {
        requireMutable()
        require(
            warnings.isEmpty || predicates.count == warnings.count,
            "Validation predicates and warnings of the property '\(name)' must be as many: "
                + "\(predicates.count) predicates, \(warnings.count) warnings.")
        storedValidationPredicates = predicates
        storedValidationWarnings = warnings
    }

    /// Free information for the application; empty unless set. It may be changed while the model is in use.
    open var userInfo: [AnyHashable: Any]? {
        get { storedUserInfo.withLock { $0 } }
        set { storedUserInfo.withLock { $0 = newValue } }
    }

    /// Whether the property alone gets an index of its own; superseded by `NSEntityDescription.indexes`.
    open var isIndexed: Bool {
        get { storedIsIndexed }
        set {
            requireMutable()
            storedIsIndexed = newValue
        }
    }

    /// A string that changes the version hash although nothing else about the property changed.
    open var versionHashModifier: String? {
        get { storedVersionHashModifier }
        set {
            requireMutable()
            storedVersionHashModifier = newValue
        }
    }

    /// Whether the value is meant for a system-wide search index. Kept and archived; nothing is indexed.
    open var isIndexedBySpotlight: Bool {
        get { storedIsIndexedBySpotlight }
        set {
            requireMutable()
            storedIsIndexedBySpotlight = newValue
        }
    }

    /// Whether the value is meant for external records. Kept; external records are not written.
    open var isStoredInExternalRecord: Bool {
        get { storedIsStoredInExternalRecord }
        set {
            requireMutable()
            storedIsStoredInExternalRecord = newValue
        }
    }

    /// The name the property had in the previous version of the model, for inferred mappings; `name` unless set.
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

    /// A mutable copy that belongs to no entity.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = makeEmptyCopy()
        copyFields(to: copy)
        return copy
    }

    /// 32 bytes that change when the property changes in a way that concerns the layout of a store.
    ///
    /// Name, optionality, transience, type or ends, counts, order and `versionHashModifier` count; default values,
    /// validation, delete rules, indexes and user info do not.
    open var versionHash: Data { VersionHash.hash(of: self) }

    open override func copy() -> Any { copy(with: nil) }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyDescription else { return false }
        return self === other || (type(of: self) == type(of: other) && hasSameDescription(as: other))
    }

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

    open override var description: String {
        "(<\(type(of: self)): \(address(of: self))>), name \(name), isOptional \(isOptional), "
            + "isTransient \(isTransient), entity \(owner?.name ?? "(null)"), "
            + "renamingIdentifier \(renamingIdentifier ?? "(null)")"
    }
}
