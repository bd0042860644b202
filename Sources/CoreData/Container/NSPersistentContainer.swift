import Foundation

/// Model, coordinator, stores and contexts in one object.
///
/// May be used from any thread; `viewContext` is for the main queue.
// @unchecked Sendable: `persistentStoreDescriptions` is guarded by `lock`; everything else is immutable.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    /// The name of the container: of its model file and of its store's file.
    open var name: String { givenName }
    /// The model.
    open var managedObjectModel: NSManagedObjectModel { ownModel }
    /// The coordinator of the container's stores.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator { ownCoordinator }
    /// The main-queue context, directly on the coordinator.
    open var viewContext: NSManagedObjectContext { ownViewContext }

    private let givenName: String
    private let ownModel: NSManagedObjectModel
    private let ownCoordinator: NSPersistentStoreCoordinator
    private let ownViewContext: NSManagedObjectContext
    private let lock = NSLock()
    private var descriptions: [NSPersistentStoreDescription]

    /// Makes a container whose model is the file `name.momd`, `name.mom` or `name.xcdatamodeld` in the main bundle or
    /// among the resources of the package's targets.
    ///
    /// Stops the process when there is no such model (as Apple's framework ends with an unusable container).
    public convenience init(name: String) {
        guard let url = ModelResources.model(named: name),
            let model = NSManagedObjectModel(contentsOf: url)
        else {
            fatalError("Failed to load model named \(name)")
        }
        self.init(name: name, managedObjectModel: model)
    }

    /// Makes a container of an empty model, without a name: a value for a variable until the right one is there.
    public convenience override init() {
        self.init(name: "", managedObjectModel: NSManagedObjectModel())
    }

    /// Makes a container for a model. Its only description is a SQLite store `name.sqlite` in `defaultDirectoryURL()`.
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

    /// The folder of stores without an address of their own: the application-support folder of the program, as
    /// `$XDG_DATA_HOME/<program>` or `~/.local/share/<program>` on Linux.
    open class func defaultDirectoryURL() -> URL {
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        return (support ?? FileManager.default.homeDirectoryForCurrentUser)
            .appendingPathComponent(ProcessInfo.processInfo.processName, isDirectory: true)
    }

    /// The stores that `loadPersistentStores` opens. Set it before.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription] {
        get { lock.withLock { descriptions } }
        set { lock.withLock { descriptions = newValue } }
    }

    /// Opens every described store; the handler is called once for each, with the error if it could not be opened.
    ///
    /// Stores whose description says so are opened in the background, and the handler is called there; the others are
    /// opened, and migrated where their descriptions allow it, before this returns.
    open func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions {
            if let url = description.url, StoreEngines.form(of: description.type) == .file, StorePlace(url) == .file {
                // A folder that cannot be made shows as the store's own error, which names the file.
                try? FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            }
            persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
        }
    }

    /// A new private-queue context on the coordinator.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.setUp(with: persistentStoreCoordinator, name: nil)
        return context
    }

    /// Runs the block with a new background context, on that context's queue, and returns at once.
    @preconcurrency
    open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    /// Runs the block with a new background context, on that context's queue, and returns what it returns.
    nonisolated(nonsending) public final func performBackgroundTask<T>(
        _ block: @escaping (NSManagedObjectContext) throws -> T
    ) async rethrows -> T {
        let context = newBackgroundContext()
        return try await context.perform { try block(context) }
    }
}

extension NSManagedObjectContext {
    /// Gives a context its coordinator and name before anybody else knows it: no queue has to be held.
    final func setUp(with coordinator: NSPersistentStoreCoordinator, name: String?) {
        HeldContexts.run(holding: self, holdsMain: HeldContexts.isMainQueueHeld) {
            persistentStoreCoordinator = coordinator
            self.name = name
        }
    }
}
