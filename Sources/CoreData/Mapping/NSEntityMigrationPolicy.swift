import Foundation

/// Carries out one entity mapping of a migration; subclasses decide what becomes of the objects.
///
/// For each entity mapping the manager makes one policy, of the class the mapping names, and calls it on the thread of
/// the migration, which holds both contexts:
///
/// 1. `begin(_:with:)`, then `createDestinationInstances(forSource:in:manager:)` for every source object, then
///    `endInstanceCreation(forMapping:manager:)`;
/// 2. once all mappings are there, `createRelationships(forDestination:in:manager:)` for every destination object, then
///    `endRelationshipCreation(forMapping:manager:)`;
/// 3. once all relationships are there, `performCustomValidation(forMapping:manager:)` and `end(_:manager:)`.
///
/// Objects of both sides are plain `NSManagedObject`s, because an application's classes know one version of the model
/// only. They come in batches that are saved one by one: an object lives on as long as the policy holds it. Validation
/// is left to the end. An error that a policy throws ends the migration with 134170, which has it as its underlying
/// error.
open class NSEntityMigrationPolicy: NSObject {
    /// Makes a policy. The manager does, once for each entity mapping.
    public override init() { super.init() }

    /// Whether the next start of the program goes on in the midst of a migration that was killed while policies of this
    /// class took part, with new policies. False unless a subclass says otherwise.
    ///
    /// An addition to Apple's interface. A subclass that returns true promises that its hooks need nothing that earlier
    /// ones have left in memory: neither in the policy (not even what `begin(_:with:)` has put there) nor in the
    /// manager's `userInfo` nor elsewhere. Then the new store, the associations and the order of the hooks are resumed
    /// as they were at the last checkpoint, of which there are about two a second, between batches, and one behind each
    /// entity mapping of each pass: hooks that had run before it do not run again; what later ones did to the new store
    /// is undone, and they run once more. What a hook does elsewhere, to files for example, it must be able to do
    /// twice.
    ///
    /// With a class that returns false the entity mappings before the first one of such a class are resumed, and from
    /// there on the hooks of all run again. A migration whose manager is of a class of the program's own begins anew.
    open class var canResume: Bool { false }

    /// The entity mapping begins.
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// Makes the destination objects of one source object: here, one object of the destination entity, whose attributes
    /// get what the mapping's value expressions give; the two are then associated.
    ///
    /// An override that does not call `super` associates what it makes
    /// (`associate(sourceInstance:withDestinationInstance:for:)`), or no relationships are made for it.
    open func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        guard let entity = manager.destinationEntity(for: mapping) else { return }
        let destination = try manager.makeDestination(entity, from: sInstance, by: mapping)
        try manager.setAttributes(of: destination, from: sInstance, by: mapping, policy: self)
        manager.associate(sourceInstance: sInstance, withDestinationInstance: destination, for: mapping)
    }

    /// All source objects of the mapping have been looked at.
    open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Gives one destination object its relationships: here, what the mapping's value expressions give.
    open func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try manager.setRelationships(of: dInstance, by: mapping, policy: self)
    }

    /// All destination objects of the mapping have their relationships.
    open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Everything is there: the last place to look for what must not be. Throwing ends the migration.
    open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// The entity mapping is at its end.
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// What `FUNCTION($entityPolicy, "name:", argument)` in a value expression calls: the function of that name.
    ///
    /// On Apple's platforms the name is a selector of the policy. Here a subclass overrides this method and asks the
    /// name:
    ///
    ///     override func performFunction(_ name: String, arguments: [Any?]) throws -> Any? {
    ///         switch name {
    ///         case "year:": (arguments[0] as? Date).map { calendar.component(.year, from: $0) }
    ///         default: try super.performFunction(name, arguments: arguments)
    ///         }
    ///     }
    ///
    /// Throws 134170 for a name that nobody knows.
    open func performFunction(_ name: String, arguments: [Any?]) throws -> Any? {
        throw MappingErrors.unknownFunction(name, of: self)
    }
}
