import Foundation

/// An object of a model's entity: a view of one row into one context.
///
/// An object belongs to its context's queue: use it inside `perform` blocks of that context only (debug builds report
/// other uses, `-com.apple.CoreData.ConcurrencyDebug 1` stops the process there). It holds the row the store gave
/// (shared, immutable) and, once something changed, an overlay with the changes; a fault has no row yet.
///
/// - Topics: life cycle (`NSManagedObject+LifeCycle`), key-value coding (`+KeyValueCoding`), typed access by slot
///   (`+TypedAccess`), relationships (`+Relationships`), validation (`+Validation`).
open class NSManagedObject: NSObject, NSFetchRequestResult {
    struct Flags: OptionSet {
        let rawValue: UInt32
        static let inserted = Flags(rawValue: 1 << 0)
        static let updated = Flags(rawValue: 1 << 1)
        static let deleted = Flags(rawValue: 1 << 2)
        /// The row is at hand but the object has not been read yet: it still calls itself a fault.
        static let unfired = Flags(rawValue: 1 << 3)
        /// In the context's list of inserted, updated or deleted objects.
        static let listedInserted = Flags(rawValue: 1 << 4)
        static let listedUpdated = Flags(rawValue: 1 << 5)
        static let listedDeleted = Flags(rawValue: 1 << 6)
        /// Changed since the last `processPendingChanges`.
        static let pendingEvent = Flags(rawValue: 1 << 7)
        /// The deletion has not been propagated to related objects yet.
        static let deletionPending = Flags(rawValue: 1 << 8)
        /// In the context's identity map.
        static let registered = Flags(rawValue: 1 << 9)
        /// The row is gone from the store; the object is treated as deleted with nil values.
        static let inaccessible = Flags(rawValue: 1 << 10)
        /// Turned into nothing by `reset` or the end of its context.
        static let detached = Flags(rawValue: 1 << 11)
        /// Deleted and saved.
        static let gone = Flags(rawValue: 1 << 12)
        /// Inserted since the last `processPendingChanges` (the did-change notification says so once).
        static let pendingInsert = Flags(rawValue: 1 << 13)
        static let pendingDelete = Flags(rawValue: 1 << 14)
        static let hasTransientChanges = Flags(rawValue: 1 << 15)
        /// Deleted by somebody else; detached after the next did-change notification.
        static let mergedAway = Flags(rawValue: 1 << 16)
        /// A fault of a fetch with a batch size: its row comes with those of its batch.
        static let batched = Flags(rawValue: 1 << 17)
        /// The did-change notification tells about the object just now.
        static let toldEvent = Flags(rawValue: 1 << 18)
        /// The context's `unsavedIndex` has read its values, and hears of changes.
        static let indexed = Flags(rawValue: 1 << 19)
    }

    // Not checked for overlapping access at run time: an object is used on one queue, no access to these spans a call,
    // and the check would cost more than the access.
    @exclusivity(unchecked) final var home: ObjectHome
    @exclusivity(unchecked) final var key: Int64
    /// The object's reference to its row, counted by hand: the initialiser and `row` set it, `deinit` gives it back,
    /// nobody else touches it. An accessor that loads a counted reference retains and releases it around each value
    /// that it reads, which costs more than the reading.
    @exclusivity(unchecked) private(set) final var heldRow: Unmanaged<Snapshot>?
    @exclusivity(unchecked) final var overlay: ObjectOverlay?
    @exclusivity(unchecked) final var flags: Flags
    /// The layout's identifier, beside the flags so that an accessor compares it without following a pointer.
    @exclusivity(unchecked) final var layoutIdentifier: UInt32

    /// Makes a new object of an entity and, with a context, inserts it there: it is saved with the context's next save.
    ///
    /// Use `init(context:)` or `NSEntityDescription.insertNewObject(forEntityName:into:)` in everyday code. The
    /// framework makes its objects by this initialiser: where a subclass does not have it, because it has designated
    /// ones of its own, the process stops when one of its objects is fetched. See [Apple's
    /// page](https://developer.apple.com/documentation/coredata/nsmanagedobject/init(entity:insertinto:)).
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        if let birth = Birth.due {
            birth.pointee.isDue = false
            home = birth.pointee.home.takeUnretainedValue()
            key = birth.pointee.key
            heldRow = birth.pointee.row?.retain()
            flags = birth.pointee.flags
            layoutIdentifier = birth.pointee.layoutIdentifier
            super.init()
            countLife(true)
            return
        }
        if let context {
            home = context.home(forEntity: entity)
        } else {
            home = NSManagedObjectContext.detachedHome(for: entity)
        }
        if home.isClassMissing { home.findMissingClass(besides: Self.self) }
        let layout = home.layout
        require(
            !layout.entity.isAbstract,
            "Cannot create an instance of the abstract entity '\(layout.name)'")
        key = NSManagedObjectID.nextTemporaryKey()
        heldRow = Unmanaged.passRetained(layout.defaultRow)
        flags = []
        layoutIdentifier = layout.identifier
        super.init()
        countLife(true)
        let object = type(of: self) == home.managedClass ? self : withClassOfEntity()
        if let context {
            context.insertNew(object)
        }
    }

    /// Makes an object that has no entity, hence no properties: says so on standard error, and reading or setting any
    /// property stops the process. As on a Mac: `init(entity:insertInto:)` is the initialiser that is to be called.
    public convenience override init() {
        let text = "CoreData: error: Failed to call designated initializer on NSManagedObject class '\(Self.self)'\n"
        FileHandle.standardError.write(Data(text.utf8))
        self.init(entity: NoEntity.entity, insertInto: nil)
    }

    deinit {
        if flags.contains(.registered) { home.identityMap?.unregister(self) }
        countLife(false)
        heldRow?.release()
    }

    final var row: Snapshot? {
        @inline(__always) get { heldRow?.takeUnretainedValue() }
        set {
            let former = heldRow
            heldRow = newValue.map { Unmanaged.passRetained($0) }
            former?.release()
            overlay?.currentRow = nil
            noteNewValues()
        }
    }

    /// Enters the object where living objects are counted, or leaves there.
    @inline(__always)
    private func countLife(_ comes: Bool) {
        #if DEBUG
            home.account?.note(.object(entity: home.layout.name), comes: comes)
        #endif
    }

    /// Makes the object one of another context, or of none.
    final func move(to new: ObjectHome) {
        countLife(false)
        home = new
        countLife(true)
    }

    // MARK: What a class says of itself

    /// The entity whose class this is, in the models in use (those a coordinator works with).
    ///
    /// When no model in use has one, or when entities of different names have this class, a line on standard error says
    /// so, and the answer is an entity without a name, of which no object can be made. Where several models in use have
    /// the entity, the answer is the one of the model that came into use last. What a subclass answers instead counts
    /// for `init(context:)` and `fetchRequest()`, too.
    open class func entity() -> NSEntityDescription { EntityOfClass.answer(of: self) }

    /// A request for the objects of this class's entity, for whoever asks for the general result type, and for
    /// subclasses to override.
    @_disfavoredOverload
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        NSFetchRequest<any NSFetchRequestResult>(entityName: EntityOfClass.name(of: self))
    }

    /// Whether key-value observing tells of changes of a property by itself: false of what the class's entity has, as
    /// accessors of the framework tell of those.
    ///
    /// Nothing observes keys on Linux, so only programs ask; it is here for subclasses that override it.
    /// - Parameter key: the name of a property.
    /// -
    ///   [automaticallyNotifiesObservers(forKey:)](https://developer.apple.com/documentation/coredata/nsmanagedobject/automaticallynotifiesobservers(forkey:))
    open class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
        let entity = EntityOfClass.overridden(by: self) ?? ModelsInUse.entities(of: self).last
        return entity?.propertiesByName[key] == nil
    }

    /// The key paths whose values a property's value depends on: none, unless a subclass says so.
    ///
    /// Nothing observes keys on Linux, so only programs ask; it is here for subclasses that override it. Methods
    /// `keyPathsForValuesAffectingName()` are not found by their name.
    /// - Parameter key: the name of a property.
    /// -
    ///   [keyPathsForValuesAffectingValue(forKey:)](https://developer.apple.com/documentation/objectivec/nsobject-swift.class/keypathsforvaluesaffectingvalue(forkey:))
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }

    // MARK: Identity

    /// The entity of the object.
    open var entity: NSEntityDescription { home.layout.entity }

    /// The context the object belongs to; nil before insertion, after a saved deletion, `reset` or the context's end.
    open var managedObjectContext: NSManagedObjectContext? { home.context }

    /// The identity of the object. A new object's becomes permanent when it is saved, in a child context when the
    /// context is that saves it to the store. May be asked for on any thread.
    open var objectID: NSManagedObjectID {
        var id = objectKey
        if key < 0, let permanent = home.context?.announcedKey(for: id) { id = permanent }
        return NSManagedObjectID(
            objectKey: id, modelLayout: home.modelLayout, store: id.isTemporary ? nil : store(of: id))
    }

    private func store(of id: ObjectKey) -> NSPersistentStore? {
        let number = id.storeNumber
        return home.context?.store(numbered: number) ?? home.coordinator?.store(numbered: number)
    }

    final var objectKey: ObjectKey { ObjectKey(layoutIndex: home.layout.index, key: key) }

    // Whoever hashes objects mixes this once more.
    open override var hash: Int { Int(bitPattern: ObjectIdentifier(self)) >> 4 }

    open override func isEqual(_ object: Any?) -> Bool {
        if let other = objectWithin(object) { return other.toOpaque() == Unmanaged.passUnretained(self).toOpaque() }
        return (object as AnyObject?) === self
    }

    // MARK: State

    /// Whether the object is new and not saved yet.
    open var isInserted: Bool {
        checkConfinement()
        return flags.contains(.inserted)
    }

    /// Whether the object has unsaved changes and is neither new nor deleted.
    open var isUpdated: Bool {
        checkConfinement()
        return flags.contains(.updated) && flags.isDisjoint(with: [.inserted, .deleted])
    }

    /// Whether the object will be deleted by the next save. False again after that save, as `managedObjectContext` is
    /// nil.
    open var isDeleted: Bool {
        checkConfinement()
        return flags.contains(.deleted) && !flags.contains(.gone)
    }

    /// Whether the object has unsaved changes, is new or deleted.
    open var hasChanges: Bool {
        checkConfinement()
        return !flags.isDisjoint(with: [.inserted, .updated, .deleted])
    }

    /// Whether the object's values have not been brought into memory yet.
    open var isFault: Bool {
        checkConfinement()
        return isFaultUnchecked
    }

    final var isFaultUnchecked: Bool { heldRow == nil || flags.contains(.unfired) }

    /// 0 when the object is in memory, another number when it is a fault.
    open var faultingState: Int { isFault ? 1 : 0 }

    /// Whether saving the object would change its row: false where only transient values changed or values were set to
    /// what they were.
    open var hasPersistentChangedValues: Bool {
        checkConfinement()
        return flags.contains(.inserted) || !persistentChanges().isEmpty || hasToManyChanges
    }

    // MARK: Key-value coding (the part that subclasses override)

    /// The value of a property by name; `objectID`, `entity`, `isDeleted` … unless the entity has a property of that
    /// name; of any other key, what `value(forUndefinedKey:)` says.
    open func value(forKey key: String) -> Any? {
        if isRecorder { return plainPrimitiveValue(forKey: key) }
        guard let access = home.layout.access[key] else {
            return ownValue(forKey: key) ?? value(forUndefinedKey: key)
        }
        return value(by: access)
    }

    /// Sets a property by name. The case of the key's first letter does not count where there is no property of the
    /// very name: a setter's name has a capital there. Stops the process when the value's type does not fit the
    /// property.
    open func setValue(_ value: Any?, forKey key: String) {
        let access = home.layout.access
        if let exact = access[key] { return set(value, forKey: key, by: exact) }
        let other = key.withOtherFirstLetter
        guard let found = access[other] else { return setValue(value, forUndefinedKey: key) }
        set(value, forKey: other, by: found)
    }

    // MARK: What else subclasses may override

    // An extension's methods cannot be overridden: these are here and do their work there.

    /// The value of a property without any accessor's detour.
    open func primitiveValue(forKey key: String) -> Any? { plainPrimitiveValue(forKey: key) }

    /// Sets a property without any accessor's detour. Relationships keep their inverses true all the same.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) { plainSetPrimitiveValue(value, forKey: key) }

    /// The values that differ from the last fetched or saved ones, by property name; `NSNull` stands for nil.
    open func changedValues() -> [String: Any] { plainChangedValues() }

    /// The properties that changed since the last did-change notification, with the values they had then; `NSNull`
    /// stands for nil. During that notification: what it tells about.
    ///
    /// To-one relationships come as objects, to-many ones as sets. Transient properties are left out.
    open func changedValuesForCurrentEvent() -> [String: Any] { plainChangedValuesForCurrentEvent() }

    /// The last fetched or saved values of the given keys (nil: of all properties); `NSNull` stands for nil.
    open func committedValues(forKeys keys: [String]?) -> [String: Any] { plainCommittedValues(forKeys: keys) }

    /// Whether a relationship has not been brought into memory yet.
    open func hasFault(forRelationshipNamed key: String) -> Bool { plainHasFault(forRelationshipNamed: key) }

    /// The ids of the objects a relationship leads to, without making them real.
    open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        plainObjectIDs(forRelationshipNamed: key)
    }

    /// The values of several keys; `NSNull` stands for nil.
    open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] { plainDictionaryWithValues(forKeys: keys) }

    /// Sets the values of several keys; `NSNull` stands for nil.
    open func setValuesForKeys(_ keyedValues: [String: Any]) { plainSetValuesForKeys(keyedValues) }

    /// The value at the end of a path of keys through to-one relationships; through a to-many one, the values of all.
    open func value(forKeyPath keyPath: String) -> Any? { plainValue(forKeyPath: keyPath) }

    /// Sets the value at the end of a path of keys through to-one relationships; a nil on the way makes it do nothing.
    open func setValue(_ value: Any?, forKeyPath keyPath: String) { plainSetValue(value, forKeyPath: keyPath) }

    /// The members of an unordered to-many relationship as a live set. Any other property stops the process.
    open func mutableSetValue(forKey key: String) -> NSMutableSet { plainMutableSetValue(forKey: key) }

    /// The live set at the end of a path of keys through to-one relationships.
    open func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet { plainMutableSetValue(forKeyPath: keyPath) }

    /// The members of an ordered to-many relationship as a live ordered set. Any other property stops the process.
    open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        plainMutableOrderedSetValue(forKey: key)
    }

    /// The live ordered set at the end of a path of keys through to-one relationships.
    open func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        plainMutableOrderedSetValue(forKeyPath: keyPath)
    }

    /// Answers for keys that the entity does not have; stops the process unless overridden.
    open func value(forUndefinedKey key: String) -> Any? {
        fatalError(
            "the entity \(home.layout.name) is not key value coding-compliant for the key \"\(key)\".")
    }

    /// Takes values for keys that the entity does not have; stops the process unless overridden.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        fatalError(
            "the entity \(home.layout.name) is not key value coding-compliant for the key \"\(key)\".")
    }

    /// Called by custom getters before they read a primitive value: fires the fault.
    open func willAccessValue(forKey key: String?) {
        checkConfinement(#function, key)
        _ = firedRow()
    }

    /// Called by custom getters after they read a primitive value.
    open func didAccessValue(forKey key: String?) {}

    /// Called by custom setters before they set a primitive value.
    open func willChangeValue(forKey key: String) {
        checkConfinement(#function, key)
        _ = firedRow()
    }

    /// Called by custom setters after they set a primitive value: the object counts as changed.
    open func didChangeValue(forKey key: String) {
        checkConfinement(#function, key)
        if Self.contextShouldIgnoreUnmodeledPropertyChanges, home.layout.access[key] == nil { return }
        noteChange()
    }

    /// Called by custom accessors before they change the members of a primitive to-many relationship.
    open func willChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        willChangeValue(forKey: inKey)
    }

    /// Called by custom accessors after they change the members of a primitive to-many relationship: the object counts
    /// as changed.
    open func didChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        didChangeValue(forKey: inKey)
    }

    /// Whether `didChangeValue(forKey:)` of a key that the entity does not have leaves the object unchanged; true
    /// unless overridden.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

    // MARK: Life cycle (empty here; subclasses override and call super)

    /// The object was just inserted into a context: the place for initial values.
    open func awakeFromInsert() {}

    /// The object's values were just brought into memory from the store or the parent context.
    open func awakeFromFetch() {}

    /// The object's values were put back or replaced as a whole, by a rollback, a refresh that keeps unsaved changes,
    /// undo or a merge policy: the place to bring values up to date that are computed from them.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

    /// The object is about to be saved. Changes made here are saved too.
    open func willSave() {}

    /// The object was saved (or its deletion was).
    open func didSave() {}

    /// The object is about to become a fault; its values are still there.
    open func willTurnIntoFault() {}

    /// The object became a fault.
    open func didTurnIntoFault() {}

    /// The object is about to be deleted by `NSManagedObjectContext.delete(_:)`.
    open func prepareForDeletion() {}

    // MARK: Validation

    /// Checks a value that a property is to have, and may put another one in its place; throws what is wrong with it
    /// (1570, 1580, 1590, 1610…1690, several as 1560).
    ///
    /// Here by what the model says. A subclass that overrides this method is asked about each of its properties before
    /// an object is saved as new or changed: it decides by the key, and calls super for what the model says. (Methods
    /// named after a property, `validateName(_:)`, are not called: there are no selectors.)
    open func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        checkConfinement(#function, key)
        try ObjectValidation.validate(value.pointee, forKey: key, of: self)
    }

    /// The same for a variable.
    public final func validateValue(_ value: inout AnyObject?, forKey key: String) throws {
        try withUnsafeMutablePointer(to: &value) {
            try validateValue(AutoreleasingUnsafeMutablePointer($0), forKey: key)
        }
    }

    /// Checks a new object before it is saved; overriders call super and throw in the same way.
    open func validateForInsert() throws {
        checkConfinement()
        try ObjectValidation.validateProperties(of: self)
    }

    /// Checks a changed object before it is saved; overriders call super and throw in the same way.
    open func validateForUpdate() throws {
        checkConfinement()
        try ObjectValidation.validateProperties(of: self)
    }

    /// Checks a deleted object before the deletion is saved: relationships with the deny rule must be empty (1600).
    open func validateForDelete() throws {
        checkConfinement()
        try ObjectValidation.validateDeletion(of: self)
    }

    /// What the object is and, on its context's queue, its values; anywhere else its id alone.
    open override var description: String {
        if let context = home.context, context.queue != nil, !context.isHeldByCaller {
            return "<\(type(of: self))> (entity: \(home.layout.name); id: "
                + "\(objectID.uriRepresentation().absoluteString); of another queue)"
        }
        let state = isFaultUnchecked ? "fault" : "\(flags.contains(.inserted) ? "inserted" : "data")"
        let id = objectID.uriRepresentation().absoluteString
        guard !isFaultUnchecked else {
            return "<\(type(of: self))> (entity: \(home.layout.name); id: \(id); data: <\(state)>)"
        }
        var values: [String] = []
        for (name, access) in home.layout.access.sorted(by: { $0.key < $1.key }) {
            switch access {
            case .attribute(let slot): values.append("\(name) = \(attributeDescription(slot))")
            case .toOne(let slot):
                values.append("\(name) = \(reference(at: slot).map { "\($0.key)" } ?? "nil")")
            case .toMany(let index):
                values.append("\(name) = \(toManyDescription(index))")
            case .fetched: values.append("\(name) = <relationship fault>")
            case .composite(let composite):
                values.append("\(name) = \(compositeValue(composite).map { "\($0)" } ?? "nil")")
            }
        }
        return "<\(type(of: self))> (entity: \(home.layout.name); id: \(id); data: {\(values.joined(separator: "; "))})"
    }

    private func attributeDescription(_ slot: Int) -> String {
        guard let value = boxedValue(at: slot) else { return "nil" }
        // Foundation stops the process when it prints a date that is none.
        if let date = value as? Date, date.timeIntervalSinceReferenceDate.isNaN { return "NaN" }
        return "\(value)"
    }

    private func toManyDescription(_ index: Int) -> String {
        guard let state = overlay?.toManys.isEmpty == false ? overlay?.toManys[index] : nil, !state.isFault else {
            return "<relationship fault>"
        }
        return "\(state.members.count) objects"
    }
}

@available(
    *, unavailable, message: "A managed object belongs to its context's queue; carry its objectID across instead."
)
extension NSManagedObject: Sendable {}
