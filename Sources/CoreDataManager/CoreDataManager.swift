import CoreData

/// One Core Data stack whose launch no migration can block.
///
/// A manager checks, migrates and opens its store away from the caller's thread, tells every observer how far it is,
/// and lets nobody touch the stack before it is ready. When it is, there are three floors of contexts: a private root
/// that alone writes to the store, the main-queue context that the program shows, and background contexts as its
/// children.
///
/// ```swift
/// let manager = CoreDataManager(model: model, storeURL: url)
/// manager.launch(
///     progressScreen: { migration in showProgress(migration) },
///     completion: { result in showFirstScreen(result) })
/// ```
///
/// Threads: every method may be called from any thread; `mainContext` belongs to the main actor. Nothing here reads,
/// opens or migrates the store on the caller's thread, with the one exception of `isMigrationRequired()`, which reads
/// the model and the store's metadata only.
///
/// ## Queues
/// An object belongs to the queue of its context. In Swift 6 mode the compiler refuses an object that is returned from
/// `performMain` or `performBackground`, captured by their blocks or by an awaited `perform`, kept in something
/// Sendable, or sent to a task while it is still used; and `mainContext` away from the main actor. For a `perform` that
/// nobody awaits it warns, as on Apple's platforms. It does not see an object that was fetched a moment ago and is sent
/// away without being used again, nor what is marked `@unchecked Sendable` or `nonisolated(unsafe)`: the contexts' own
/// check sees those where the object is used (`Configuration.confinement`; in debug builds it stops the process there).
/// `ObjectReference` carries an object across.
///
/// ## Topics
/// - Launching: `launch(progressScreen:completion:)`, `launch(display:completion:)`, `launch()`, `ready()`,
///   `readyOrThrow()`, `state`, `states`, `stateDidChangeNotification`
/// - Failing: `failure`, `retry(completion:)`, `retry()`
/// - Migrating: `isMigrationRequired()`, `forecast()`, `migrate()`
/// - Contexts: `mainContext`, `newBackgroundContext()`, `performBackground(saving:_:)`, `performMain(_:)`,
///   `reference(to:uri:)`
/// - Saving: `save(wait:completion:)`, `saveMain(wait:)`, `saveBackground(_:wait:)`
public final class CoreDataManager: Sendable {
    /// The file of the store.
    public let storeURL: URL
    /// What the manager was told about the store and the launch.
    public let configuration: Configuration

    let loadModel: @Sendable () throws -> NSManagedObjectModel
    let machine: LaunchMachine
    let running = RunningMigration()
    /// Checks, migrations and openings of this manager, one at a time, away from every caller.
    let queue = DispatchQueue(label: "CoreDataManager.launch", qos: .userInitiated)

    /// Makes a manager for the store at `storeURL`. Touches no file: that begins with `launch`.
    ///
    /// - Parameters:
    ///   - model: the current version of the schema.
    ///   - storeURL: the store's file; it is created when it is not there.
    ///   - configuration: the store's type and options, and the timing of the launch.
    public init(model: NSManagedObjectModel, storeURL: URL, configuration: Configuration = Configuration()) {
        self.storeURL = storeURL
        self.configuration = configuration
        loadModel = { model }
        machine = LaunchMachine(minimumScreenTime: configuration.minimumScreenTime)
        machine.belong(to: self)
    }

    /// Makes a manager whose model file is read in the background too, as part of the launch.
    ///
    /// - Parameters:
    ///   - modelURL: a model file or bundle, as `NSManagedObjectModel(contentsOf:)` takes it.
    ///   - storeURL: the store's file; it is created when it is not there.
    ///   - configuration: the store's type and options, and the timing of the launch.
    public init(modelURL: URL, storeURL: URL, configuration: Configuration = Configuration()) {
        self.storeURL = storeURL
        self.configuration = configuration
        loadModel = {
            guard let model = NSManagedObjectModel(contentsOf: modelURL) else {
                throw CoreDataManagerError.unreadableModel(modelURL)
            }
            return model
        }
        machine = LaunchMachine(minimumScreenTime: configuration.minimumScreenTime)
        machine.belong(to: self)
    }
}
