// Implementation notes: Objects.
//
// - An object has five words: its entity binding (context, layout and identity map, shared by all objects of an entity
//   in a context), its key, its row, its overlay, and its flags. An object that was only read has no overlay.
// - An object counts its reference to the row by hand (`heldRow`), so an accessor (`plainRow`) neither retains nor
//   releases it. Firing a fault is a pointer assignment.
// - The overlay holds changed values and the to-many relationships. The values of a saved object are in the order of
//   the changed slots (`ChangedValues`); a new object has a place for each slot.
// - With more than 100,000 unsaved new objects, the object that was inserted a thousand objects earlier is packed until
//   another of its values is set. Places for all slots take twice the memory.
// - A save builds the new row from the row and the overlay, and writes the columns of the slots that differ. The object
//   drops its values once the row has them, and its overlay if that holds nothing else. It takes them back when the
//   save fails (`+GivenUpValues`). The values stay if the context has children, which could read them during the
//   writing, or if the coordinator has programs' stores. After the save an empty overlay is dropped.
// - Relationships hold `ObjectKey`s (entity, key) and no references, so a graph has no reference cycles. A key is the
//   primary key with the store's number above it. A new object's key is negative and unique in the process, and every
//   place that holds it gets the permanent key when the object is saved.
// - Making objects of rows needs the subclass's own initialiser, for its stored properties. Materialization
//   (`ObjectMaterializer`) leaves the values that `init(entity:insertInto:)` takes over in a record of the thread. In a
//   subclass without this initialiser the compiler generates one that stops the process.
// - A key path to a computed property does not contain the property's name on Linux. So the key path is evaluated once
//   on an instance of its class that has a layout of its own (`KeyPathRecording`). The instance is made as an
//   `NSManagedObject` that then gets its class, so no initialiser of a program runs, except where the class has stored
//   properties.
// - No slot cache ever holds that layout's identifier. An accessor of such an object takes its slow path, which notes
//   the name; this costs ordinary accessors nothing. The path has a name if each of its components read one property of
//   the object that the component before returned.
// - To-many relationships in memory follow the rows (`NSManagedObject+Rebasing`).

import Foundation

/// An object of a model's entity: the values of one row, as one context sees them.
///
/// An object belongs to its context's queue. Use it only inside `perform` blocks of that context, or on the main queue
/// for a main-queue context. Debug builds report other uses, and the launch argument
/// `-com.apple.CoreData.ConcurrencyDebug 1` stops the process there. Another queue may only read ``objectID``,
/// ``entity`` and ``managedObjectContext``.
///
/// An object whose values are not in memory yet is a fault. The first use of a value reads the row. If the row cannot
/// be read, the process stops with the store's reason. Use
/// ``NSManagedObjectContext/fulfillFaults(of:relationshipKeyPaths:)`` or ``NSManagedObjectContext/readingFaults(_:)``
/// to get an error instead.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject)
open class NSManagedObject: NSObject, NSFetchRequestResult {
    // Not checked for overlapping access at run time: an object is used on one queue, no access to these spans a call,
    // and the check would cost more than the access.
    @exclusivity(unchecked) final var binding: EntityBinding
    @exclusivity(unchecked) final var key: Int64
    /// The object's reference to its row, counted by hand: the initialiser and `row` set it, `deinit` gives it back,
    /// and no other code touches it. An accessor that loads a counted reference retains and releases it around each
    /// value that it reads, which costs more than the reading.
    @exclusivity(unchecked) private(set) final var heldRow: Unmanaged<Snapshot>?
    @exclusivity(unchecked) final var overlay: ObjectOverlay?
    @exclusivity(unchecked) final var flags: Flags
    /// The layout's identifier, beside the flags so that an accessor compares it without following a pointer.
    @exclusivity(unchecked) final var layoutIdentifier: UInt32

    /// Creates an object of an entity and inserts it into a context, if there is one.
    ///
    /// The next save of the context writes the object. Everyday code uses `init(context:)` or
    /// ``NSEntityDescription/insertNewObject(forEntityName:into:)``. An abstract entity, and an entity that the
    /// context's model does not have, stop the process.
    ///
    /// The framework creates its objects with this initialiser. If a subclass has other designated initialisers and not
    /// this one, the process stops when one of its objects is fetched.
    ///
    /// - Parameters:
    ///   - entity: The entity of the new object.
    ///   - context: The context to insert into, or nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/init(entity:insertinto:))
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        if let materializer = ObjectMaterializer.pending {
            materializer.pointee.isPending = false
            binding = materializer.pointee.binding.takeUnretainedValue()
            key = materializer.pointee.key
            heldRow = materializer.pointee.row?.retain()
            flags = materializer.pointee.flags
            layoutIdentifier = materializer.pointee.layoutIdentifier
            super.init()
            countLife(true)
            return
        }
        if let context {
            binding = context.binding(forEntity: entity)
        } else {
            binding = NSManagedObjectContext.detachedBinding(for: entity)
        }
        if binding.isClassMissing { binding.findMissingClass(besides: Self.self) }
        let layout = binding.layout
        require(
            !layout.entity.isAbstract,
            "Cannot create an instance of the abstract entity '\(layout.name)'")
        key = NSManagedObjectID.nextTemporaryKey()
        heldRow = Unmanaged.passRetained(layout.defaultRow)
        flags = []
        layoutIdentifier = layout.identifier
        super.init()
        countLife(true)
        let object = type(of: self) == binding.managedClass ? self : withClassOfEntity()
        if let context {
            context.insertNew(object)
        }
    }

    /// Creates an object without an entity, and reports that on standard error.
    ///
    /// The object has no properties, so reading or setting any of them stops the process. Use
    /// ``init(entity:insertInto:)`` instead.
    public convenience override init() {
        let text = "CoreData: error: Failed to call designated initializer on NSManagedObject class '\(Self.self)'\n"
        FileHandle.standardError.write(Data(text.utf8))
        self.init(entity: NoEntity.entity, insertInto: nil)
    }

    deinit {
        if !flags.isDisjoint(with: [.registered, .watched]) { leave() }
        countLife(false)
        guard let heldRow else { return }
        MemoryHint.load(rowsBehind: heldRow)
        heldRow.release()
    }

    private func leave() {
        if flags.contains(.registered) { binding.identityMap?.unregister(self) }
        if flags.contains(.watched) { binding.observation?.remove(self) }
    }

    final var row: Snapshot? {
        @inline(__always) get { heldRow?.takeUnretainedValue() }
        set {
            let former = heldRow
            heldRow = newValue.map { Unmanaged.passRetained($0) }
            former?.release()
            forgetFormerRow()
        }
    }

    /// Takes the row that the object was written as. The setter of `row` would count three references to it.
    final func takeOver(_ written: Snapshot) {
        let former = heldRow
        heldRow = Unmanaged.passRetained(written)
        former?.release()
        forgetFormerRow()
    }

    @inline(__always)
    private final func forgetFormerRow() {
        flags.remove(.awaitsEventBase)
        overlay?.forgetFormerRow()
        noteNewValues()
    }

    /// Adds the object to the count of live objects, or removes it.
    @inline(__always)
    private func countLife(_ comes: Bool) {
        #if DEBUG
        binding.account?.note(.object(entity: binding.layout.name), comes: comes)
        #endif
    }

    /// Moves the object to another context, or to none.
    final func move(to new: EntityBinding) {
        countLife(false)
        if !flags.isDisjoint(with: [.watched, .tracksReads]) { moveObserving(to: new) }
        binding = new
        countLife(true)
    }

    // MARK: Facts about a class

    /// Returns the entity of this class, from the models that coordinators are using.
    ///
    /// If several of these models have the entity, the result is that of the model that came into use last. A subclass
    /// may override this method; `init(context:)` and `fetchRequest()` follow it. Any thread may call it.
    ///
    /// - Returns: The entity. If no model in use has one, or if entities with different names have this class, the
    ///   result is an entity without a name, and standard error gets a line.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/entity())
    open class func entity() -> NSEntityDescription { EntityOfClass.answer(of: self) }

    /// Returns a request for the objects of this class's entity, with the general result type.
    ///
    /// Subclasses override this form. Without an override, calls usually choose the form that returns
    /// `NSFetchRequest<Self>`.
    ///
    /// - Returns: A request without a predicate and an order.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/fetchrequest())
    @_disfavoredOverload
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        NSFetchRequest<any NSFetchRequestResult>(entityName: EntityOfClass.name(of: self))
    }

    /// Whether key-value observing reports changes of a key by itself; false for a property of the class's entity.
    ///
    /// Only programs call it. It exists for subclasses that override it.
    ///
    /// - Parameter key: The name of a property.
    /// - Returns: False if the class's entity has the property.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/automaticallynotifiesobservers(forkey:))
    open class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
        let entity = EntityOfClass.overridden(by: self) ?? ModelsInUse.entities(of: self).last
        return entity?.propertiesByName[key] == nil
    }

    /// Returns the key paths whose values affect the value of a key; none, unless a subclass overrides it.
    ///
    /// An observation of the key by ``ManagedObjectClass/observe(_:options:changeHandler:)`` follows these key paths,
    /// too. The framework does not find methods such as `keyPathsForValuesAffectingName()`.
    ///
    /// - Parameter key: The name of a property.
    /// - Returns: An empty set.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/objectivec/nsobject-swift.class/keypathsforvaluesaffectingvalue(forkey:))
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }

    // MARK: Identity

    /// The entity of the object. Any thread may read it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/entity-swift.property)
    open var entity: NSEntityDescription { binding.layout.entity }

    /// The context that the object belongs to. Any thread may read it.
    ///
    /// It is nil before the insertion, after a saved deletion, after ``NSManagedObjectContext/reset()``, and when the
    /// context no longer exists.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/managedobjectcontext)
    open var managedObjectContext: NSManagedObjectContext? { binding.context }

    /// The id of the object. Any thread may read it.
    ///
    /// The id of a new object is temporary. It becomes permanent when the object is saved to a store, which for a child
    /// context happens when the last context above it saves.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/objectid)
    open var objectID: NSManagedObjectID {
        var id = objectKey
        if key < 0, let permanent = binding.context?.announcedKey(for: id) { id = permanent }
        return NSManagedObjectID(
            objectKey: id, modelLayout: binding.modelLayout, store: id.isTemporary ? nil : store(of: id))
    }

    private func store(of id: ObjectKey) -> NSPersistentStore? {
        let number = id.storeNumber
        return binding.context?.store(numbered: number) ?? binding.coordinator?.store(numbered: number)
    }

    final var objectKey: ObjectKey { ObjectKey(layoutIndex: binding.layout.index, key: key) }

    /// A hash of the object's identity.
    // A `Hasher` mixes this once more.
    open override var hash: Int { Int(bitPattern: ObjectIdentifier(self)) >> 4 }

    /// Whether the other object is this very object.
    open override func isEqual(_ object: Any?) -> Bool {
        if let other = objectWithin(object) { return other.toOpaque() == Unmanaged.passUnretained(self).toOpaque() }
        return (object as AnyObject?) === self
    }

    // MARK: State

    /// Whether the object is new and not saved yet.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/isinserted)
    open var isInserted: Bool {
        checkConfinement()
        return flags.contains(.inserted)
    }

    /// Whether the object has unsaved changes and is neither new nor deleted.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/isupdated)
    open var isUpdated: Bool {
        checkConfinement()
        return flags.contains(.updated) && flags.isDisjoint(with: [.inserted, .deleted])
    }

    /// Whether the next save will delete the object.
    ///
    /// After that save it is false again, and ``managedObjectContext`` is nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/isdeleted)
    open var isDeleted: Bool {
        checkConfinement()
        if flags.contains(.tracksReads) { return observedDeletion() }
        return flags.contains(.deleted) && !flags.contains(.gone)
    }

    /// Whether the object is new, changed or deleted since the last save.
    ///
    /// A property that was set to the value that it had counts as a change.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/haschanges)
    open var hasChanges: Bool {
        checkConfinement()
        return !flags.isDisjoint(with: [.inserted, .updated, .deleted])
    }

    /// Whether the object is a fault: its values have not been used yet. Reading it does not fire the fault.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/isfault)
    open var isFault: Bool {
        checkConfinement()
        return isFaultUnchecked
    }

    final var isFaultUnchecked: Bool { heldRow == nil || flags.contains(.unfired) }

    /// 0 if the object's values are in memory, another number if the object is a fault.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/faultingstate)
    open var faultingState: Int { isFault ? 1 : 0 }

    /// Whether a save would change the object's row.
    ///
    /// It is false if only transient values have changed, or if properties were set to the values that they had.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/haspersistentchangedvalues)
    open var hasPersistentChangedValues: Bool {
        checkConfinement()
        return flags.contains(.inserted) || !persistentChanges().isEmpty || hasToManyChanges
    }

    // MARK: Key-value coding (the part that subclasses override)

    /// Returns the value of a property by its name.
    ///
    /// Attributes come as `NSNumber`, `String`, `Date`, `Data`, `NSDecimalNumber`, `UUID`, `URL` or the transformed
    /// object. To-one relationships come as managed objects, to-many relationships as `NSSet` or `NSOrderedSet`, and
    /// fetched properties as arrays. `objectID`, `entity`, `isDeleted` and the like have values too, unless the entity
    /// has a property with that name. So have computed properties and methods without parameters of the class, in a
    /// target with the plugin: `fullName` and `isLong` for the keys `fullName` and `long` (``NamedMethod``).
    ///
    /// - Parameter key: The name of a property.
    /// - Returns: The value, or nil. For an unknown key, the result of ``value(forUndefinedKey:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/value(forkey:))
    open func value(forKey key: String) -> Any? {
        if isRecorder { return _primitiveValue(forKey: key) }
        guard let access = binding.layout.access[key] else {
            return ownValue(forKey: key) ?? valueByName(forKey: key) ?? value(forUndefinedKey: key)
        }
        return value(by: access)
    }

    /// Sets a property by its name.
    ///
    /// The inverses of a relationship follow. If the entity has no property with exactly this name, the case of the
    /// key's first letter does not count. For other keys a computed property of the class is set, or its method
    /// `setFullName(_:)` is called, in a target with the plugin (``NamedMethod``). A value of a type that does not fit
    /// the property stops the process.
    ///
    /// - Parameters:
    ///   - value: The new value, or nil.
    ///   - key: The name of a property. An unknown key goes to ``setValue(_:forUndefinedKey:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/setvalue(_:forkey:))
    open func setValue(_ value: Any?, forKey key: String) {
        let access = binding.layout.access
        if let exact = access[key] { return set(value, forKey: key, by: exact) }
        let other = key.withOtherFirstLetter
        guard let found = access[other] else {
            if !setByName(value, forKey: key) { setValue(value, forUndefinedKey: key) }
            return
        }
        set(value, forKey: other, by: found)
    }

    // MARK: Other members that subclasses may override

    // An extension's methods cannot be overridden, so these methods are declared in the class. Extensions implement
    // them.

    /// Returns the value of a property, without calling the class's own accessors.
    ///
    /// It fires a fault. An unknown key stops the process.
    ///
    /// - Parameter key: The name of a property.
    /// - Returns: The value, as in ``value(forKey:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/primitivevalue(forkey:))
    open func primitiveValue(forKey key: String) -> Any? { _primitiveValue(forKey: key) }

    /// Sets a property without calling the class's own accessors.
    ///
    /// The object counts as changed, and the inverses of a relationship follow. An unknown key stops the process. In
    /// ``willSave()`` an attribute that is set this way is saved without one more did-change notification.
    ///
    /// - Parameters:
    ///   - value: The new value, or nil.
    ///   - key: The name of a property.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/setprimitivevalue(_:forkey:))
    open func setPrimitiveValue(_ value: Any?, forKey key: String) { _setPrimitiveValue(value, forKey: key) }

    /// Returns the properties that were set since the last fetch or save, with their present values.
    ///
    /// A property that was set to the value that it had is among them. ``hasPersistentChangedValues`` compares the
    /// values.
    ///
    /// - Returns: The values by property name; `NSNull` stands for nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/changedvalues())
    open func changedValues() -> [String: Any] { _changedValues() }

    /// Returns the properties that changed since the last did-change notification, with the values that they had then.
    ///
    /// During that notification the result is about the changes that it reports. To-one relationships have objects as
    /// values, to-many relationships sets. Transient properties are left out.
    ///
    /// - Returns: The earlier values by property name; `NSNull` stands for nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/changedvaluesforcurrentevent())
    open func changedValuesForCurrentEvent() -> [String: Any] { _changedValuesForCurrentEvent() }

    /// Returns the values of properties as they were last fetched or saved.
    ///
    /// An unknown key stops the process.
    ///
    /// - Parameter keys: The names of properties; nil for all properties.
    /// - Returns: The values by property name; `NSNull` stands for nil. Empty for a new object.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/committedvalues(forkeys:))
    open func committedValues(forKeys keys: [String]?) -> [String: Any] { _committedValues(forKeys: keys) }

    /// Whether the objects of a relationship are not in memory yet. Reading it fires no fault.
    ///
    /// An unknown key stops the process.
    ///
    /// - Parameter key: The name of a relationship.
    /// - Returns: True for a to-many relationship whose members have not been read. True for a to-one relationship if
    ///   this object or the destination is a fault. False for other properties.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/hasfault(forrelationshipnamed:))
    open func hasFault(forRelationshipNamed key: String) -> Bool { _hasFault(forRelationshipNamed: key) }

    /// Returns the ids of the objects that a relationship leads to, without creating these objects.
    ///
    /// An unknown key stops the process.
    ///
    /// - Parameter key: The name of a relationship.
    /// - Returns: The ids, in order for an ordered relationship. Empty for other properties and for an object without a
    ///   context.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/objectids(forrelationshipnamed:))
    open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        _objectIDs(forRelationshipNamed: key)
    }

    /// Returns the values of several keys.
    ///
    /// - Parameter keys: The names of properties.
    /// - Returns: The values of ``value(forKey:)``; `NSNull` stands for nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/objectivec/nsobject-swift.class/dictionarywithvalues(forkeys:))
    open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] { _dictionaryWithValues(forKeys: keys) }

    /// Sets the values of several keys.
    ///
    /// - Parameter keyedValues: The values by property name; `NSNull` stands for nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/objectivec/nsobject-swift.class/setvaluesforkeys(_:))
    open func setValuesForKeys(_ keyedValues: [String: Any]) { _setValuesForKeys(keyedValues) }

    /// Returns the value at the end of a path of keys.
    ///
    /// A path through a to-many relationship gives an array of the values of all members. A path through several of
    /// them gives one flat array.
    ///
    /// - Parameter keyPath: Keys with dots between them, such as `"author.name"`.
    /// - Returns: The value, or nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/objectivec/nsobject-swift.class/value(forkeypath:))
    open func value(forKeyPath keyPath: String) -> Any? { _value(forKeyPath: keyPath) }

    /// Sets the value at the end of a path of keys through to-one relationships.
    ///
    /// If a relationship on the way is nil, the call does nothing. A path through a to-many relationship stops the
    /// process.
    ///
    /// - Parameters:
    ///   - value: The new value, or nil.
    ///   - keyPath: Keys with dots between them.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/objectivec/nsobject-swift.class/setvalue(_:forkeypath:))
    open func setValue(_ value: Any?, forKeyPath keyPath: String) { _setValue(value, forKeyPath: keyPath) }

    /// Returns a live set of the members of an unordered to-many relationship.
    ///
    /// Changes of the set change the relationship, and changes of the relationship show in the set. Any other property
    /// stops the process. A cast to `Set` gives an empty set; use `allObjects`.
    ///
    /// - Parameter key: The name of a to-many relationship.
    /// - Returns: The live set.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/mutablesetvalue(forkey:))
    open func mutableSetValue(forKey key: String) -> NSMutableSet { _mutableSetValue(forKey: key) }

    /// Returns the live set of a to-many relationship at the end of a path of keys through to-one relationships.
    ///
    /// The process stops if the path does not lead to an object before its last key.
    ///
    /// - Parameter keyPath: Keys with dots between them.
    /// - Returns: The live set, as in ``mutableSetValue(forKey:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/objectivec/nsobject-swift.class/mutablesetvalue(forkeypath:))
    open func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet { _mutableSetValue(forKeyPath: keyPath) }

    /// Returns a live ordered set of the members of an ordered to-many relationship.
    ///
    /// Changes of the set change the relationship, and changes of the relationship show in the set. Its `array`, `set`,
    /// `firstObject` and `lastObject` show the members as of the last use of another method. Any other property stops
    /// the process.
    ///
    /// - Parameter key: The name of an ordered to-many relationship.
    /// - Returns: The live ordered set.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/objectivec/nsobject-swift.class/mutableorderedsetvalue(forkey:))
    open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        _mutableOrderedSetValue(forKey: key)
    }

    /// Returns the live ordered set of a relationship at the end of a path of keys through to-one relationships.
    ///
    /// The process stops if the path does not lead to an object before its last key.
    ///
    /// - Parameter keyPath: Keys with dots between them.
    /// - Returns: The live ordered set, as in ``mutableOrderedSetValue(forKey:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/objectivec/nsobject-swift.class/mutableorderedsetvalue(forkeypath:))
    open func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        _mutableOrderedSetValue(forKeyPath: keyPath)
    }

    /// Returns a value for a key that the entity does not have; stops the process unless a subclass overrides it.
    ///
    /// - Parameter key: The unknown key.
    /// - Returns: The value that ``value(forKey:)`` gives.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/objectivec/nsobject-swift.class/value(forundefinedkey:))
    open func value(forUndefinedKey key: String) -> Any? {
        return UndecidedPredicate.noValue(
            "the entity \(binding.layout.name) is not key value coding-compliant for the key \"\(key)\".")
    }

    /// Takes a value for a key that the entity does not have; stops the process unless a subclass overrides it.
    ///
    /// - Parameters:
    ///   - value: The value that was to be set.
    ///   - key: The unknown key.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/objectivec/nsobject-swift.class/setvalue(_:forundefinedkey:))
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        fatalError(
            "the entity \(binding.layout.name) is not key value coding-compliant for the key \"\(key)\".")
    }

    /// Fires the fault. Custom getters call it before they read a primitive value.
    ///
    /// - Parameter key: The name of the property, or nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/willaccessvalue(forkey:))
    open func willAccessValue(forKey key: String?) {
        checkConfinement(#function, key)
        _ = firedRow()
    }

    /// Does nothing. Custom getters call it after they have read a primitive value.
    ///
    /// - Parameter key: The name of the property, or nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/didaccessvalue(forkey:))
    open func didAccessValue(forKey key: String?) {}

    /// Fires the fault, and informs observers of the key. Custom setters call it before they set a primitive value.
    ///
    /// - Parameter key: The name of the property.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/willchangevalue(forkey:))
    open func willChangeValue(forKey key: String) {
        checkConfinement(#function, key)
        _ = firedRow()
        if flags.contains(.watched) { observersWillChange(key) }
    }

    /// Marks the object as changed, and informs observers.
    ///
    /// Custom setters call it after they have set a primitive value.
    ///
    /// A key that the entity does not have changes nothing, unless ``contextShouldIgnoreUnmodeledPropertyChanges`` is
    /// overridden.
    ///
    /// - Parameter key: The name of the property.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/didchangevalue(forkey:))
    open func didChangeValue(forKey key: String) {
        checkConfinement(#function, key)
        if !Self.contextShouldIgnoreUnmodeledPropertyChanges || binding.layout.access[key] != nil { noteChange() }
        if flags.contains(.watched) { observersDidChange(key) }
    }

    /// Fires the fault. Custom accessors call it before they change the members of a primitive to-many relationship.
    ///
    /// - Parameters:
    ///   - inKey: The name of the relationship.
    ///   - inMutationKind: How the members change.
    ///   - inObjects: The objects that the change is about.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/willchangevalue(forkey:withsetmutation:using:))
    open func willChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        willChangeValue(forKey: inKey)
    }

    /// Marks the object as changed. Custom accessors call it after they have changed a primitive to-many relationship.
    ///
    /// - Parameters:
    ///   - inKey: The name of the relationship.
    ///   - inMutationKind: How the members changed.
    ///   - inObjects: The objects that the change was about.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/didchangevalue(forkey:withsetmutation:using:))
    open func didChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        didChangeValue(forKey: inKey)
    }

    /// Whether ``didChangeValue(forKey:)`` ignores keys that the entity does not have; true unless overridden.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/contextshouldignoreunmodeledpropertychanges)
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

    // MARK: Life cycle (empty here; subclasses override and call super)

    /// Called once after the object was inserted into a context; a subclass sets initial values here.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/awakefrominsert())
    open func awakeFromInsert() {}

    /// Called after the object's values came into memory from the store or the parent context.
    ///
    /// It is not called for new objects.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/awakefromfetch())
    open func awakeFromFetch() {}

    /// Called after the object's values were put back or replaced as a whole.
    ///
    /// That happens by a rollback, by a refresh that keeps unsaved changes, by undo and by a merge policy. A subclass
    /// updates computed values here.
    ///
    /// - Parameter flags: The reason.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/awake(fromsnapshotevents:))
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

    /// Called once before the object is inserted, updated or deleted by a save.
    ///
    /// The save includes changes that are made here. If they change other objects, those objects get this call too.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/willsave())
    open func willSave() {}

    /// Called after the object, or its deletion, was saved.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/didsave())
    open func didSave() {}

    /// Called before a refresh makes the object a fault. Its values are still there.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/willturnintofault())
    open func willTurnIntoFault() {}

    /// Called after a refresh made the object a fault.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/didturnintofault())
    open func didTurnIntoFault() {}

    /// Called by ``NSManagedObjectContext/delete(_:)`` before the object is marked as deleted.
    ///
    /// Deletions by a delete rule call it as well.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/preparefordeletion())
    open func prepareForDeletion() {}

    // MARK: Validation

    /// Checks a value for a property against the model and by a method of the class, and may replace it.
    ///
    /// After the rules of the model it calls the method that is named after the property, such as `validateName(_:)`
    /// for the key `name`, if the class has one and its target uses the plugin (``NamedMethod``). The method takes a
    /// pointer or an `inout` value.
    ///
    /// In a subclass that has such methods, or overrides this one, a save calls this method for each new or changed
    /// object. It passes each attribute and to-one relationship, and the to-many relationships that have changed or
    /// have limits of their count. An override decides by the key and calls super for the rules of the model.
    ///
    /// - Parameters:
    ///   - value: The value to check. An override may put another value in its place.
    ///   - key: The name of a property; an unknown key is accepted.
    /// - Throws: `NSValidationMissingMandatoryPropertyError` (1570), another validation error up to 1690, or
    ///   `NSValidationMultipleErrorsError` (1560) for several errors.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/validatevalue(_:forkey:))
    open func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        checkConfinement(#function, key)
        try ObjectValidation.validate(value.pointee, forKey: key, of: self)
        try validateByName(value, forKey: key)
    }

    /// Checks a value for a property against the model, and may replace it.
    ///
    /// It calls the form that takes a pointer.
    ///
    /// - Parameters:
    ///   - value: The value to check, which may be replaced.
    ///   - key: The name of a property.
    /// - Throws: The error of the form that takes a pointer.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/validatevalue(_:forkey:))
    public final func validateValue(_ value: inout AnyObject?, forKey key: String) throws {
        try withUnsafeMutablePointer(to: &value) {
            try validateValue(AutoreleasingUnsafeMutablePointer($0), forKey: key)
        }
    }

    /// Checks a new object before a save inserts it.
    ///
    /// It checks required values, the attributes' validation rules and the counts of relationships. An override calls
    /// super and throws its own errors in the same form.
    ///
    /// - Throws: A validation error (1550 to 1690), or `NSValidationMultipleErrorsError` (1560) for several errors.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/validateforinsert())
    open func validateForInsert() throws {
        checkConfinement()
        try ObjectValidation.validateProperties(of: self)
    }

    /// Checks a changed object before a save updates it.
    ///
    /// It checks required values, the attributes' validation rules and the counts of relationships. An override calls
    /// super and throws its own errors in the same form.
    ///
    /// - Throws: A validation error (1550 to 1690), or `NSValidationMultipleErrorsError` (1560) for several errors.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/validateforupdate())
    open func validateForUpdate() throws {
        checkConfinement()
        try ObjectValidation.validateProperties(of: self)
    }

    /// Checks a deleted object before a save deletes it.
    ///
    /// - Throws: `NSValidationRelationshipDeniedDeleteError` (1600) if a relationship with the delete rule Deny still
    ///   leads to objects.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/validatefordelete())
    open func validateForDelete() throws {
        checkConfinement()
        try ObjectValidation.validateDeletion(of: self)
    }

    /// Describes the object with its values on its context's queue, and with its id alone on any other queue.
    open override var description: String {
        if let context = binding.context, context.queue != nil, !context.isHeldByCaller {
            return "<\(type(of: self))> (entity: \(binding.layout.name); id: "
                + "\(objectID.uriRepresentation().absoluteString); of another queue)"
        }
        let state = isFaultUnchecked ? "fault" : "\(flags.contains(.inserted) ? "inserted" : "data")"
        let id = objectID.uriRepresentation().absoluteString
        guard !isFaultUnchecked else {
            return "<\(type(of: self))> (entity: \(binding.layout.name); id: \(id); data: <\(state)>)"
        }
        var values: [String] = []
        for (name, access) in binding.layout.access.sorted(by: { $0.key < $1.key }) {
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
        return
            "<\(type(of: self))> (entity: \(binding.layout.name); id: \(id); data: {\(values.joined(separator: "; "))})"
    }

    private func attributeDescription(_ slot: Int) -> String {
        guard let value = boxedValue(at: slot) else { return "nil" }
        // Foundation stops the process when it prints a date whose interval is not a number.
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
