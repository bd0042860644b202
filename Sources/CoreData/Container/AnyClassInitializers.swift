import Foundation

// See `InitializedOfAnyClass`.

extension NSManagedObjectContext: InitializedOfAnyClass {}
extension NSPersistentContainer: InitializedOfAnyClass {}
extension NSPersistentStoreCoordinator: InitializedOfAnyClass {}

// MARK: Contexts

extension InitializedOfAnyClass where Self: NSManagedObjectContext {
    /// Makes a context that is tied to a queue of the given kind, of the class it is called on.
    @_disfavoredOverload
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) { self.init(ofClass: ct) }

    @_silgen_name("OpenCoreData_contextOfClass")
    init(ofClass type: NSManagedObjectContextConcurrencyType)

    @_silgen_name("OpenCoreData_contextOfClass")
    static func make(_ type: consuming NSManagedObjectContextConcurrencyType) -> Self {
        unsafeDowncast((self as NSManagedObjectContext.Type).makeContext(type), to: self)
    }
}

extension NSManagedObjectContext {
    @_silgen_name("OpenCoreData_context")
    convenience init(of type: NSManagedObjectContextConcurrencyType) { self.init(concurrencyType: type) }

    @_silgen_name("OpenCoreData_context")
    static func makeContext(_ type: consuming NSManagedObjectContextConcurrencyType) -> NSManagedObjectContext
}

// MARK: Coordinators

extension InitializedOfAnyClass where Self: NSPersistentStoreCoordinator {
    /// Makes a coordinator for a model, of the class it is called on.
    @_disfavoredOverload
    public init(managedObjectModel model: NSManagedObjectModel) { self.init(ofClass: model) }

    @_silgen_name("OpenCoreData_coordinatorOfClass")
    init(ofClass model: NSManagedObjectModel)

    @_silgen_name("OpenCoreData_coordinatorOfClass")
    static func make(_ model: consuming NSManagedObjectModel) -> Self {
        unsafeDowncast((self as NSPersistentStoreCoordinator.Type).makeCoordinator(model), to: self)
    }
}

extension NSPersistentStoreCoordinator {
    @_silgen_name("OpenCoreData_coordinator")
    convenience init(of model: NSManagedObjectModel) { self.init(managedObjectModel: model) }

    @_silgen_name("OpenCoreData_coordinator")
    static func makeCoordinator(_ model: consuming NSManagedObjectModel) -> NSPersistentStoreCoordinator
}

// MARK: Containers

extension InitializedOfAnyClass where Self: NSPersistentContainer {
    /// Makes a container for a model, of the class it is called on.
    @_disfavoredOverload
    public init(name: String, managedObjectModel model: NSManagedObjectModel) { self.init(ofClass: name, model) }

    /// Makes a container whose model is found by its name, of the class it is called on.
    @_disfavoredOverload
    public init(name: String) { self.init(ofClass: name, nil) }

    @_silgen_name("OpenCoreData_containerOfClass")
    init(ofClass name: String, _ model: NSManagedObjectModel?)

    @_silgen_name("OpenCoreData_containerOfClass")
    static func make(_ name: consuming String, _ model: consuming NSManagedObjectModel?) -> Self {
        unsafeDowncast((self as NSPersistentContainer.Type).makeContainer(name, model), to: self)
    }
}

extension NSPersistentContainer {
    @_silgen_name("OpenCoreData_container")
    convenience init(of name: String, _ model: NSManagedObjectModel?) {
        if let model {
            self.init(name: name, managedObjectModel: model)
        } else {
            self.init(name: name)
        }
    }

    @_silgen_name("OpenCoreData_container")
    static func makeContainer(
        _ name: consuming String, _ model: consuming NSManagedObjectModel?
    ) -> NSPersistentContainer
}
