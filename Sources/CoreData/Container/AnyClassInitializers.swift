import Foundation

// See `InitializedOfAnyClass`.

extension NSManagedObjectContext: InitializedOfAnyClass {}
extension NSPersistentContainer: InitializedOfAnyClass {}
extension NSPersistentStoreCoordinator: InitializedOfAnyClass {}

// MARK: Contexts

extension InitializedOfAnyClass where Self: NSManagedObjectContext {
    /// Creates a context that is tied to a queue of the given kind.
    ///
    /// This form is chosen for generic types, metatypes and `Self`. It calls the initialiser of the class that it is
    /// called on.
    ///
    /// - Parameter ct: The main queue, or a private queue that the context creates.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/init(concurrencytype:))
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
    /// Creates a coordinator without stores.
    ///
    /// This form is chosen for generic types, metatypes and `Self`. It calls the initialiser of the class that it is
    /// called on.
    ///
    /// - Parameter model: The model of the stores.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/init(managedobjectmodel:))
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
    /// Creates a container for a model.
    ///
    /// This form is chosen for generic types, metatypes and `Self`. It calls the initialiser of the class that it is
    /// called on.
    ///
    /// - Parameters:
    ///   - name: The name of the container and of its store's file.
    ///   - model: The model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentcontainer/init(name:managedobjectmodel:))
    @_disfavoredOverload
    public init(name: String, managedObjectModel model: NSManagedObjectModel) { self.init(ofClass: name, model) }

    /// Creates a container whose model is found by its name.
    ///
    /// This form is chosen for generic types, metatypes and `Self`. It calls the initialiser of the class that it is
    /// called on. The process stops if there is no such model.
    ///
    /// - Parameter name: The name of the container, of its model and of its store's file.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentcontainer/init(name:))
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
