import Foundation

// See `InitializedOfAnyClass`.

extension NSPersistentStore: InitializedOfAnyClass {}

extension InitializedOfAnyClass where Self: NSPersistentStore {
    /// Creates a store for a coordinator, of the class that the initialiser is called on.
    ///
    /// - Parameters:
    ///   - root: The coordinator; it is not retained.
    ///   - name: The name of a configuration; nil stands for all entities.
    ///   - url: The address of the store.
    ///   - options: The options with which the store is added.
    @_disfavoredOverload
    public init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        self.init(ofClass: root, name, url, options)
    }

    @_silgen_name("OpenCoreData_storeOfClass")
    init(ofClass root: NSPersistentStoreCoordinator?, _ name: String?, _ url: URL, _ options: [AnyHashable: Any]?)

    @_silgen_name("OpenCoreData_storeOfClass")
    static func make(
        _ root: consuming NSPersistentStoreCoordinator?, configuration name: consuming String?, at url: consuming URL,
        options: consuming [AnyHashable: Any]?
    ) -> Self {
        unsafeDowncast(
            (self as NSPersistentStore.Type).makeStore(root, configuration: name, at: url, options: options), to: self)
    }
}

extension NSPersistentStore {
    @_silgen_name("OpenCoreData_store")
    convenience init(
        of root: NSPersistentStoreCoordinator?, _ name: String?, _ url: URL, _ options: [AnyHashable: Any]?
    ) {
        self.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    /// Makes a store by the initialiser of the class on which it is called.
    @_silgen_name("OpenCoreData_store")
    static func makeStore(
        _ root: consuming NSPersistentStoreCoordinator?, configuration name: consuming String?, at url: consuming URL,
        options: consuming [AnyHashable: Any]?
    ) -> NSPersistentStore
}
