import Foundation

// See `InitializedOfAnyClass`.

extension NSMigrationManager: InitializedOfAnyClass {}
extension NSEntityMigrationPolicy: InitializedOfAnyClass {}

// MARK: Managers

extension InitializedOfAnyClass where Self: NSMigrationManager {
    /// Creates a manager of the class that the initialiser is called on.
    ///
    /// - Parameters:
    ///   - sourceModel: The model of the source store.
    ///   - destinationModel: The model of the destination store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/init(sourcemodel:destinationmodel:))
    @_disfavoredOverload
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        self.init(ofClass: sourceModel, destinationModel)
    }

    @_silgen_name("OpenCoreData_migrationManagerOfClass")
    init(ofClass source: NSManagedObjectModel, _ destination: NSManagedObjectModel)

    @_silgen_name("OpenCoreData_migrationManagerOfClass")
    static func make(_ source: consuming NSManagedObjectModel, _ destination: consuming NSManagedObjectModel) -> Self {
        unsafeDowncast((self as NSMigrationManager.Type).makeManager(source, destination), to: self)
    }
}

extension NSMigrationManager {
    @_silgen_name("OpenCoreData_migrationManager")
    convenience init(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) {
        self.init(sourceModel: source, destinationModel: destination)
    }

    /// Makes a manager by the initialiser of the class on which it is called.
    @_silgen_name("OpenCoreData_migrationManager")
    static func makeManager(
        _ source: consuming NSManagedObjectModel, _ destination: consuming NSManagedObjectModel
    ) -> NSMigrationManager
}

// MARK: Policies

extension InitializedOfAnyClass where Self: NSEntityMigrationPolicy {
    /// Creates a policy of the class that the initialiser is called on.
    @_disfavoredOverload
    public init() { self.init(ofClass: ()) }

    @_silgen_name("OpenCoreData_migrationPolicyOfClass")
    init(ofClass nothing: Void)

    @_silgen_name("OpenCoreData_migrationPolicyOfClass")
    static func make(_ nothing: Void) -> Self {
        unsafeDowncast((self as NSEntityMigrationPolicy.Type).makePolicy(()), to: self)
    }
}

extension NSEntityMigrationPolicy {
    @_silgen_name("OpenCoreData_migrationPolicy")
    convenience init(of nothing: Void) { self.init() }

    /// Makes a policy by the initialiser of the class on which it is called.
    @_silgen_name("OpenCoreData_migrationPolicy")
    static func makePolicy(_ nothing: Void) -> NSEntityMigrationPolicy
}
