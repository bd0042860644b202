import Foundation

/// The entity binding: the values that all objects of one entity in one context share. An object keeps one pointer to
/// it instead of three.
final class EntityBinding: @unchecked Sendable {  // `context` is cleared once, by the context's own deinitialiser
    /// Not retained: a context clears it in its deinit. Nil for objects that belong to no context.
    unowned(unsafe) var context: NSManagedObjectContext?
    /// The coordinator to whose stores the ids of objects refer that were detached from their context.
    weak var coordinator: NSPersistentStoreCoordinator?
    let layout: EntityLayout
    let identityMap: IdentityMap?
    /// The class of the objects that the context makes of rows.
    private(set) var managedClass: NSManagedObject.Type
    /// The generation of registered modules when a search did not find the class that the entity names. Nil if the
    /// class was found, or if the entity names none.
    private var missedGeneration: Int?
    /// The objects to which an object without a context was related, until they are inserted.
    var relatedObjects: [ObjectKey: NSManagedObject] = [:]
    /// Whether the class has methods such as `validateEmail(_:)`; nil before the first validation.
    private var foundValidation: Bool?
    /// Whether objects without a context share it (`DetachedObjects`, `bindingOfDetached`). Then nothing in it may
    /// change.
    var isShared = false
    /// The binding that the objects share which have left the context; nil before the first one.
    private var detached: EntityBinding?
    /// Whether there may be objects that are not of `managedClass`.
    var holdsOtherClasses = false
    /// The context's objects that a program observes; nil while it observes none.
    var observation: ObservedObjects?
    /// Keeps the descriptions alive as long as any object is.
    let modelLayout: ModelLayout
    let model: NSManagedObjectModel
    #if DEBUG
    /// The account that counts the live objects.
    var account: LiveAccount?
    #endif

    init(
        context: NSManagedObjectContext?, layout: EntityLayout, identityMap: IdentityMap?,
        modelLayout: ModelLayout, model: NSManagedObjectModel, managedClass: NSManagedObject.Type? = nil
    ) {
        self.context = context
        self.layout = layout
        self.identityMap = identityMap
        self.managedClass = managedClass ?? NSManagedObject.self
        self.modelLayout = modelLayout
        self.model = model
        #if DEBUG
        account = context?.liveEntry?.account
        #endif
        if managedClass == nil { findClass() }
    }

    /// The object that a to-one relationship leads to in a row, if it was read lately.
    @inline(__always)
    func recentObject(for slot: Int, in row: Snapshot) -> NSManagedObject? {
        guard let context, !row.isNull(slot) else { return nil }
        var layoutIndex = layout.destinations[slot].layoutIndex
        let companion = layout.destinations[slot].companion
        if companion >= 0, !row.isNull(companion) { layoutIndex = Int(row.int(companion)) }
        // The code on the context's queue holds the context, and the context holds its remembered objects.
        return Unmanaged.passUnretained(context.recentObjects)._withUnsafeGuaranteedRef {
            $0.object(for: ObjectKey(layoutIndex: layoutIndex, key: row.int(slot)))
        }
    }

    /// The flags that each new object has.
    var flagsOfObjects: NSManagedObject.Flags { observation?.tracksReads == true ? .tracksReads : [] }

    /// Whether objects of `managedClass` have methods such as `validateEmail(_:)`.
    var validatesByName: Bool {
        if let foundValidation { return foundValidation }
        // The class of a module above has no such methods.
        let found =
            managedClass != NSManagedObject.self && layout.entity.representation == nil
            && NamedMethods.validates(managedClass)
        foundValidation = found
        return found
    }

    /// A binding for objects that leave the context.
    ///
    /// - Parameter isShared: Whether all objects that leave get the binding. An object that is observed needs its own
    ///   one.
    func bindingOfDetached(isShared: Bool) -> EntityBinding {
        if isShared, let detached, detached.managedClass == managedClass { return detached }
        let new = EntityBinding(
            context: nil, layout: layout, identityMap: nil, modelLayout: modelLayout, model: model,
            managedClass: managedClass)
        new.coordinator = context?.persistentStoreCoordinator ?? coordinator
        new.foundValidation = foundValidation
        new.isShared = isShared
        #if DEBUG
        new.account = account
        #endif
        if isShared { detached = new }
        return new
    }

    /// A binding with the values of this one, for one object alone.
    func unsharedCopy() -> EntityBinding {
        let new = EntityBinding(
            context: nil, layout: layout, identityMap: nil, modelLayout: modelLayout, model: model,
            managedClass: managedClass)
        new.coordinator = coordinator
        new.foundValidation = foundValidation
        #if DEBUG
        new.account = account
        #endif
        return new
    }

    /// Whether the entity names a class that was not found yet.
    var isClassMissing: Bool { missedGeneration != nil }

    /// Searches again for a class that was not found, if modules have been registered since.
    func findMissingClass() {
        if let missedGeneration, missedGeneration != ManagedClassLookup.generation { findClass() }
    }

    /// Searches again for a class that was not found, also in the module of a class that is in use.
    func findMissingClass(besides candidate: NSManagedObject.Type) {
        guard isClassMissing, candidate != NSManagedObject.self else { return }
        ManagedClassLookup.learnModule(of: candidate)
        findMissingClass()
    }

    private func findClass() {
        let generation = ManagedClassLookup.generation
        let before = managedClass
        foundValidation = nil
        managedClass = ManagedClassLookup.managedClass(of: layout.entity)
        // Objects may have been made before the class was found.
        if missedGeneration != nil, managedClass != before { holdsOtherClasses = true }
        let isNamed = layout.entity.managedObjectClassName.map { !$0.isEmpty && $0 != "NSManagedObject" } ?? false
        missedGeneration = isNamed && managedClass == NSManagedObject.self ? generation : nil
    }
}
