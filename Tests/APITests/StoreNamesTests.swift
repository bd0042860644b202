import CoreData
import Testing

// Each line names a symbol with the type it has in Apple's interface: a change of either no longer compiles.

@Suite("Apple's names of stores")
struct StoreNamesTests {
    @Test("NSPersistentStoreCoordinator has its members")
    func persistentStoreCoordinator() {
        _ = NSPersistentStoreCoordinator.self
        let _: (NSManagedObjectModel) -> NSPersistentStoreCoordinator = NSPersistentStoreCoordinator.init(
            managedObjectModel:)
        let _: KeyPath<NSPersistentStoreCoordinator, NSManagedObjectModel> = \.managedObjectModel
        let _: KeyPath<NSPersistentStoreCoordinator, [NSPersistentStore]> = \.persistentStores
        let _: ReferenceWritableKeyPath<NSPersistentStoreCoordinator, String?> = \.name
        let _: (NSPersistentStoreCoordinator) -> (URL) -> NSPersistentStore? = NSPersistentStoreCoordinator
            .persistentStore(for:)
        let _: (NSPersistentStoreCoordinator) -> (NSPersistentStore) -> URL = NSPersistentStoreCoordinator.url(for:)
        let _:
            (NSPersistentStoreCoordinator) -> (String, String?, URL?, [AnyHashable: Any]?) throws -> NSPersistentStore =
                NSPersistentStoreCoordinator.addPersistentStore(ofType:configurationName:at:options:)
        let _:
            (NSPersistentStoreCoordinator) -> (NSPersistentStore.StoreType, String?, URL, [AnyHashable: Any]?) throws ->
                NSPersistentStore = NSPersistentStoreCoordinator.addPersistentStore(type:configuration:at:options:)
        let _:
            (NSPersistentStoreCoordinator) -> (
                NSPersistentStoreDescription, @escaping (NSPersistentStoreDescription, Error?) -> Void
            ) -> Void = NSPersistentStoreCoordinator.addPersistentStore(with:completionHandler:)
        let _: (NSPersistentStoreCoordinator) -> (NSPersistentStore) throws -> Void = NSPersistentStoreCoordinator
            .remove(_:)
        let _: (NSPersistentStoreCoordinator) -> ([String: Any]?, NSPersistentStore) -> Void =
            NSPersistentStoreCoordinator.setMetadata(_:for:)
        let _: (NSPersistentStoreCoordinator) -> (NSPersistentStore) -> [String: Any] = NSPersistentStoreCoordinator
            .metadata(for:)
        let _: (NSPersistentStoreCoordinator) -> (URL) -> NSManagedObjectID? = NSPersistentStoreCoordinator
            .managedObjectID(forURIRepresentation:)
        let _: (NSPersistentStoreCoordinator) -> (String) -> NSManagedObjectID? = NSPersistentStoreCoordinator
            .managedObjectID(for:)
        let _: (String, URL, [AnyHashable: Any]?) throws -> [String: Any] = NSPersistentStoreCoordinator
            .metadataForPersistentStore(ofType:at:options:)
        let _: (NSPersistentStore.StoreType, URL, [AnyHashable: Any]?) throws -> [String: Any] =
            NSPersistentStoreCoordinator.metadataForPersistentStore(type:at:options:)
        let _: ([String: Any]?, String, URL, [AnyHashable: Any]?) throws -> Void = NSPersistentStoreCoordinator
            .setMetadata(_:forPersistentStoreOfType:at:options:)
        let _: ([String: Any]?, NSPersistentStore.StoreType, URL, [AnyHashable: Any]?) throws -> Void =
            NSPersistentStoreCoordinator.setMetadata(_:type:at:options:)
        let _:
            (NSPersistentStoreCoordinator) -> (NSPersistentStore, URL, [AnyHashable: Any]?, String) throws ->
                NSPersistentStore = NSPersistentStoreCoordinator.migratePersistentStore(_:to:options:withType:)
        let _:
            (NSPersistentStoreCoordinator) -> (NSPersistentStore, URL, [AnyHashable: Any]?, NSPersistentStore.StoreType)
                throws -> NSPersistentStore = NSPersistentStoreCoordinator.migratePersistentStore(_:to:options:type:)
        let _: (NSPersistentStoreCoordinator) -> (URL, String, [AnyHashable: Any]?) throws -> Void =
            NSPersistentStoreCoordinator.destroyPersistentStore(at:ofType:options:)
        let _:
            (NSPersistentStoreCoordinator) -> (URL, NSPersistentStore.StoreType, [AnyHashable: Any]?) throws -> Void =
                NSPersistentStoreCoordinator.destroyPersistentStore(at:type:options:)
        let _: (URL, [AnyHashable: Any]?) throws -> NSManagedObjectModel = NSPersistentStoreCoordinator
            .cachedModelForPersistentStore(at:options:)
        let _: (NSPersistentStoreCoordinator) -> (URL, NSPersistentStore) -> Bool = NSPersistentStoreCoordinator
            .setURL(_:for:)
        let _: (AnyClass?, String) -> Void = NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)
        let _: (AnyClass, NSPersistentStore.StoreType) -> Void = NSPersistentStoreCoordinator.registerStoreClass(
            _:type:)
        let types: [String: NSValue] = NSPersistentStoreCoordinator.registeredStoreTypes
        #expect(Set(types.keys).isSuperset(of: ["SQLite", "InMemory", "Binary", "XML"]))
        #expect(NSSQLiteStoreType == "SQLite")
        #expect(NSInMemoryStoreType == "InMemory")
        #expect(NSBinaryStoreType == "Binary")
        #expect(NSXMLStoreType == "XML")
        let _:
            (NSPersistentStoreCoordinator) -> (URL, [AnyHashable: Any]?, URL, [AnyHashable: Any]?, String) throws ->
                Void = NSPersistentStoreCoordinator.replacePersistentStore(
                    at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)
        let _:
            (NSPersistentStoreCoordinator) -> (
                URL, [AnyHashable: Any]?, URL, [AnyHashable: Any]?, NSPersistentStore.StoreType
            ) throws -> Void = NSPersistentStoreCoordinator.replacePersistentStore(
                at:destinationOptions:withPersistentStoreFrom:sourceOptions:type:)
        let _: Notification.Name = .NSPersistentStoreCoordinatorStoresDidChange
        let _: Notification.Name = .NSPersistentStoreCoordinatorWillRemoveStore
        _ = { (coordinator: NSPersistentStoreCoordinator) in coordinator.perform {} }
        _ = { (coordinator: NSPersistentStoreCoordinator) -> Int in coordinator.performAndWait { 1 } }
        _ = { (coordinator: NSPersistentStoreCoordinator) async -> Int in await coordinator.perform { 1 } }
    }

    @Test("NSPersistentStore has its members")
    func persistentStore() {
        _ = NSPersistentStore.self
        let _: (NSPersistentStoreCoordinator?, String?, URL, [AnyHashable: Any]?) -> NSPersistentStore =
            NSPersistentStore.init(persistentStoreCoordinator:configurationName:at:options:)
        let _: (URL) throws -> [String: Any] = NSPersistentStore.metadataForPersistentStore(with:)
        let _: ([String: Any]?, URL) throws -> Void = NSPersistentStore.setMetadata(_:forPersistentStoreAt:)
        let _: (NSPersistentStore) -> () throws -> Void = NSPersistentStore.loadMetadata
        let _: KeyPath<NSPersistentStore, NSPersistentStoreCoordinator?> = \.persistentStoreCoordinator
        let _: KeyPath<NSPersistentStore, String> = \.configurationName
        let _: KeyPath<NSPersistentStore, [AnyHashable: Any]?> = \.options
        let _: ReferenceWritableKeyPath<NSPersistentStore, URL?> = \.url
        let _: ReferenceWritableKeyPath<NSPersistentStore, String?> = \.identifier
        let _: KeyPath<NSPersistentStore, String> = \.type
        let _: ReferenceWritableKeyPath<NSPersistentStore, Bool> = \.isReadOnly
        let _: ReferenceWritableKeyPath<NSPersistentStore, [String: Any]?> = \.metadata
        let _: (NSPersistentStore) -> (NSPersistentStoreCoordinator) -> Void = NSPersistentStore.didAdd(to:)
        let _: (NSPersistentStore) -> (NSPersistentStoreCoordinator?) -> Void = NSPersistentStore.willRemove(from:)
        #expect(NSPersistentStore.StoreType.sqlite.rawValue == "SQLite")
        #expect(NSPersistentStore.StoreType.binary.rawValue == "Binary")
        #expect(NSPersistentStore.StoreType.inMemory.rawValue == "InMemory")
        #expect(NSPersistentStore.StoreType.xml.rawValue == "XML")
    }

    @Test("NSPersistentStoreDescription has its members")
    func persistentStoreDescription() {
        _ = NSPersistentStoreDescription.self
        let _: (URL) -> NSPersistentStoreDescription = NSPersistentStoreDescription.init(url:)
        let _: () -> NSPersistentStoreDescription = NSPersistentStoreDescription.init
        let _: ReferenceWritableKeyPath<NSPersistentStoreDescription, String> = \.type
        let _: ReferenceWritableKeyPath<NSPersistentStoreDescription, String?> = \.configuration
        let _: ReferenceWritableKeyPath<NSPersistentStoreDescription, URL?> = \.url
        let _: KeyPath<NSPersistentStoreDescription, [String: NSObject]> = \.options
        let _: (NSPersistentStoreDescription) -> (NSObject?, String) -> Void = NSPersistentStoreDescription.setOption(
            _:forKey:)
        let _: ReferenceWritableKeyPath<NSPersistentStoreDescription, Bool> = \.isReadOnly
        let _: ReferenceWritableKeyPath<NSPersistentStoreDescription, TimeInterval> = \.timeout
        let _: KeyPath<NSPersistentStoreDescription, [String: NSObject]> = \.sqlitePragmas
        let _: (NSPersistentStoreDescription) -> (NSObject?, String) -> Void = NSPersistentStoreDescription.setValue(
            _:forPragmaNamed:)
        let _: ReferenceWritableKeyPath<NSPersistentStoreDescription, Bool> = \.shouldAddStoreAsynchronously
        let _: ReferenceWritableKeyPath<NSPersistentStoreDescription, Bool> = \.shouldMigrateStoreAutomatically
        let _: ReferenceWritableKeyPath<NSPersistentStoreDescription, Bool> = \.shouldInferMappingModelAutomatically
        let _: () -> NSPersistentStoreDescription = NSPersistentStoreDescription.init
    }

    @Test("NSPersistentContainer has its members")
    func persistentContainer() {
        _ = NSPersistentContainer.self
        let _: () -> URL = NSPersistentContainer.defaultDirectoryURL
        let _: (String) -> NSPersistentContainer = NSPersistentContainer.init(name:)
        let _: (String, NSManagedObjectModel) -> NSPersistentContainer = NSPersistentContainer.init(
            name:managedObjectModel:)
        let _: KeyPath<NSPersistentContainer, String> = \.name
        let _: KeyPath<NSPersistentContainer, NSManagedObjectContext> = \.viewContext
        let _: KeyPath<NSPersistentContainer, NSManagedObjectModel> = \.managedObjectModel
        let _: KeyPath<NSPersistentContainer, NSPersistentStoreCoordinator> = \.persistentStoreCoordinator
        let _: ReferenceWritableKeyPath<NSPersistentContainer, [NSPersistentStoreDescription]> =
            \.persistentStoreDescriptions
        let _: (NSPersistentContainer) -> (@escaping (NSPersistentStoreDescription, Error?) -> Void) -> Void =
            NSPersistentContainer.loadPersistentStores(completionHandler:)
        let _: (NSPersistentContainer) -> () -> NSManagedObjectContext = NSPersistentContainer.newBackgroundContext
        _ = { (container: NSPersistentContainer) in container.performBackgroundTask { _ in } }
        _ = { (container: NSPersistentContainer) async throws -> Int in
            try await container.performBackgroundTask { try $0.count(for: NSFetchRequest<NSManagedObject>()) }
        }
    }
}
