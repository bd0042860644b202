import Foundation

/// A policy that carries out one entity mapping of a migration. Subclasses decide how objects are migrated.
///
/// For each entity mapping the manager makes one policy, of the class that the mapping names. It calls the policy on
/// the thread of the migration, which holds the queues of both contexts:
///
/// 1. ``begin(_:with:)``, then ``createDestinationInstances(forSource:in:manager:)`` for every source object, then
///    ``endInstanceCreation(forMapping:manager:)``.
/// 2. After all mappings have done that: ``createRelationships(forDestination:in:manager:)`` for every destination
///    object, then ``endRelationshipCreation(forMapping:manager:)``.
/// 3. After all mappings have done that: ``performCustomValidation(forMapping:manager:)`` and ``end(_:manager:)``.
///
/// The objects on both sides are of the class ``NSManagedObject`` itself, because the classes of an application fit one
/// version of the model only. The objects come in batches, and each batch is saved. An object outlives its batch only
/// as long as the policy holds it. Validation takes place at the end.
///
/// An error of a policy ends the migration with `NSEntityMigrationPolicyError` (134170), with the policy's error as the
/// underlying error.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymigrationpolicy)
open class NSEntityMigrationPolicy: NSObject {
    /// Creates a policy. The manager creates one for each entity mapping.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymigrationpolicy)
    public override init() { super.init() }

    /// Whether the next start of the program can resume a killed migration in which policies of this class took part.
    ///
    /// OpenCoreData only. False unless a subclass overrides it. The resumed migration creates new policies. So a
    /// subclass that returns true promises that its hooks need nothing that earlier hooks left in memory: neither in
    /// the policy, including the values of ``begin(_:with:)``, nor in the manager's `userInfo`, nor elsewhere.
    ///
    /// Checkpoints are made about twice a second, between batches, and behind each entity mapping of each pass. The new
    /// store, the associations and the order of the hooks are resumed from the last checkpoint. Hooks that ran before
    /// it do not run again. Changes that later hooks made to the new store are undone, and these hooks run once more. A
    /// hook that changes anything else, such as files, must be able to do it twice.
    ///
    /// If the class returns false, only the entity mappings before the first one of such a class are resumed. From
    /// there on the hooks of all mappings run again. If the manager is of a program's own class, the migration begins
    /// anew.
    open class var canResume: Bool { false }

    /// Called when the entity mapping begins. The base class does nothing.
    ///
    /// - Parameters:
    ///   - mapping: The entity mapping.
    ///   - manager: The manager of the migration.
    /// - Throws: Any error; it ends the migration.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymigrationpolicy/begin(_:with:))
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// Creates the destination objects of one source object.
    ///
    /// The base class creates one object of the destination entity, sets its attributes by the value expressions of the
    /// mapping, and associates the two objects. An override that does not call `super` has to call
    /// ``NSMigrationManager/associate(sourceInstance:withDestinationInstance:for:)`` for the objects that it creates.
    /// Objects without an association get no relationships.
    ///
    /// - Parameters:
    ///   - sInstance: An object of the source context.
    ///   - mapping: The entity mapping.
    ///   - manager: The manager of the migration.
    /// - Throws: Any error; it ends the migration.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymigrationpolicy/createdestinationinstances(forsource:in:manager:))
    open func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        guard let entity = manager.destinationEntity(for: mapping) else { return }
        let destination = try manager.makeDestination(entity, from: sInstance, by: mapping)
        try manager.setAttributes(of: destination, from: sInstance, by: mapping, policy: self)
        manager.associate(sourceInstance: sInstance, withDestinationInstance: destination, for: mapping)
    }

    /// Called after all source objects of the mapping have been handled. The base class does nothing.
    ///
    /// - Parameters:
    ///   - mapping: The entity mapping.
    ///   - manager: The manager of the migration.
    /// - Throws: Any error; it ends the migration.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymigrationpolicy/endinstancecreation(formapping:manager:))
    open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Sets the relationships of one destination object.
    ///
    /// The base class sets them by the value expressions of the mapping. Only an override is called for every object:
    /// the framework skips objects for which nothing is left to do.
    ///
    /// - Parameters:
    ///   - dInstance: An object of the destination context.
    ///   - mapping: The entity mapping.
    ///   - manager: The manager of the migration.
    /// - Throws: Any error; it ends the migration.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymigrationpolicy/createrelationships(fordestination:in:manager:))
    open func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try manager.setRelationships(of: dInstance, by: mapping, policy: self)
    }

    /// Called after all destination objects of the mapping have their relationships. The base class does nothing.
    ///
    /// - Parameters:
    ///   - mapping: The entity mapping.
    ///   - manager: The manager of the migration.
    /// - Throws: Any error; it ends the migration.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymigrationpolicy/endrelationshipcreation(formapping:manager:))
    open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Checks the result of the mapping, after all mappings have their relationships. The base class does nothing.
    ///
    /// - Parameters:
    ///   - mapping: The entity mapping.
    ///   - manager: The manager of the migration.
    /// - Throws: Any error; it ends the migration.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymigrationpolicy/performcustomvalidation(formapping:manager:))
    open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called when the entity mapping ends. The base class does nothing.
    ///
    /// - Parameters:
    ///   - mapping: The entity mapping.
    ///   - manager: The manager of the migration.
    /// - Throws: Any error; it ends the migration.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymigrationpolicy/end(_:manager:))
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Carries out a function that a value expression calls by `FUNCTION($entityPolicy, "name:", argument)`.
    ///
    /// OpenCoreData only. On Apple's platforms the name is a selector of the policy. Here it is the method with this
    /// name in Objective-C, such as `join(_:with:)` for `join:with:`, if the policy's target uses the plugin
    /// (``NamedMethod``). Without the plugin a subclass overrides this method and compares the name:
    ///
    /// ```swift
    /// override func performFunction(_ name: String, arguments: [Any?]) throws -> Any? {
    ///     switch name {
    ///     case "year:": (arguments[0] as? Date).map { calendar.component(.year, from: $0) }
    ///     default: try super.performFunction(name, arguments: arguments)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name in the expression, with its colons.
    ///   - arguments: The values of the arguments.
    /// - Returns: The value of the function.
    /// - Throws: `NSEntityMigrationPolicyError` (134170) for a name that no class implements.
    open func performFunction(_ name: String, arguments: [Any?]) throws -> Any? {
        if let result = try NamedMethods.call(name, of: self, arguments) { return result }
        throw MappingErrors.unknownFunction(name, of: self)
    }
}
