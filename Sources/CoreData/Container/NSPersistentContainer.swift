import Foundation

/// Holds a model, a coordinator with its stores, and a main-queue context.
///
/// Any thread may use a container. Its ``viewContext`` belongs to the main queue.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentcontainer)
// @unchecked Sendable: `persistentStoreDescriptions` is guarded by `lock`; everything else is immutable.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    /// The name of the container, of its model's file and of its store's file.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentcontainer/name)
    open var name: String { givenName }
    /// The model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentcontainer/managedobjectmodel)
    open var managedObjectModel: NSManagedObjectModel { ownModel }
    /// The coordinator of the container's stores.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentcontainer/persistentstorecoordinator)
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator { ownCoordinator }
    /// The main-queue context of the coordinator. Use it on the main queue.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentcontainer/viewcontext)
    open var viewContext: NSManagedObjectContext { ownViewContext }

    private let givenName: String
    private let ownModel: NSManagedObjectModel
    private let ownCoordinator: NSPersistentStoreCoordinator
    private let ownViewContext: NSManagedObjectContext
    private let lock = NSLock()
    private var descriptions: [NSPersistentStoreDescription]

    /// Creates a container whose model is found by its name.
    ///
    /// The model is the file `name.momd`, `name.mom` or `name.xcdatamodeld` in the main bundle or among the resources
    /// of the package's targets. The process stops if there is no such model.
    ///
    /// - Parameter name: The name of the container, of its model and of its store's file.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentcontainer/init(name:))
    public convenience init(name: String) {
        guard let url = ModelResources.model(named: name),
            let model = NSManagedObjectModel(contentsOf: url)
        else {
            fatalError("Failed to load model named \(name)")
        }
        self.init(name: name, managedObjectModel: model)
    }

    /// Creates a container without a name, for an empty model.
    ///
    /// It is a placeholder until a program has the real container.
    public convenience override init() {
        self.init(name: "", managedObjectModel: NSManagedObjectModel())
    }

    /// Creates a container for a model.
    ///
    /// Its only description is of a SQLite store `name.sqlite` in ``defaultDirectoryURL()``. No store is opened before
    /// ``loadPersistentStores(completionHandler:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the container and of its store's file.
    ///   - model: The model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentcontainer/init(name:managedobjectmodel:))
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        givenName = name
        ownModel = model
        ownCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        ownViewContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        descriptions = [
            NSPersistentStoreDescription(url: Self.defaultDirectoryURL().appendingPathComponent("\(name).sqlite"))
        ]
        super.init()
        ownViewContext.setUp(with: ownCoordinator, name: "viewContext")
    }

    /// Returns the folder for stores: a folder with the program's name in the application-support folder.
    ///
    /// On Linux that is `$XDG_DATA_HOME/<program>` or `~/.local/share/<program>`. The folder is not created.
    ///
    /// - Returns: The folder.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentcontainer/defaultdirectoryurl())
    open class func defaultDirectoryURL() -> URL {
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        return (support ?? FileManager.default.homeDirectoryForCurrentUser)
            .appendingPathComponent(ProcessInfo.processInfo.processName, isDirectory: true)
    }

    /// The stores that ``loadPersistentStores(completionHandler:)`` opens. Set them before.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentcontainer/persistentstoredescriptions)
    open var persistentStoreDescriptions: [NSPersistentStoreDescription] {
        get { lock.withLock { descriptions } }
        set { lock.withLock { descriptions = newValue } }
    }

    /// Opens each described store and calls the handler once for each.
    ///
    /// Folders that do not exist are created. A store is opened, and migrated if its description allows that, before
    /// this method returns, and its handler is called on the calling thread. A store whose description has
    /// `shouldAddStoreAsynchronously` is opened in the background, and its handler is called there.
    ///
    /// - Parameter block: The handler. It gets the description, and an error of
    ///   ``NSPersistentStoreCoordinator/addPersistentStore(ofType:configurationName:at:options:)`` if the store could
    ///   not be opened.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentcontainer/loadpersistentstores(completionhandler:))
    open func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions {
            if let url = description.url, StoreEngines.form(of: description.type) == .file, StorePlace(url) == .file {
                // If a folder cannot be made, opening the store throws its own error, which names the file.
                try? FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            }
            persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
        }
    }

    /// Creates a private-queue context of the container's coordinator.
    ///
    /// - Returns: The new context.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentcontainer/newbackgroundcontext())
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.setUp(with: persistentStoreCoordinator, name: nil)
        return context
    }

    /// Runs the block with a new background context, on that context's queue, and returns at once.
    ///
    /// - Parameter block: The work to do. It has to save the context itself.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentcontainer/performbackgroundtask(_:)-39sch)
    @preconcurrency
    open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    /// Runs the block with a new background context, on that context's queue, and returns its result.
    ///
    /// The caller is suspended until the block has returned. The block must not read or change the state of an actor
    /// that calls it.
    ///
    /// - Parameter block: The work to do. It has to save the context itself.
    /// - Returns: The block's result.
    /// - Throws: The block's error.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentcontainer/performbackgroundtask(_:)-25nok)
    nonisolated(nonsending) public final func performBackgroundTask<T>(
        _ block: @escaping (NSManagedObjectContext) throws -> T
    ) async rethrows -> T {
        let context = newBackgroundContext()
        return try await context.perform { try block(context) }
    }
}

extension NSManagedObjectContext {
    /// Sets a new context's coordinator and name. Only its creator has a reference to the context yet, so its queue
    /// need not be held.
    final func setUp(with coordinator: NSPersistentStoreCoordinator, name: String?) {
        HeldContexts.run(holding: self, holdsMain: HeldContexts.isMainQueueHeld) {
            persistentStoreCoordinator = coordinator
            self.name = name
        }
    }
}
