// About the room CoreDataManager.
//
// - Three things together make a program that no longer starts after an update: a large store, a changed schema, and
//   opening the store on the main thread. This module takes the third away.
// - `Launch/` holds the one readiness state (`LaunchMachine`). Every asynchronous entry point awaits it. A synchronous
//   one before its end throws (`readyOrThrow`) or stops with a message (`mainContext`). So no part of a program can
//   open the store by another way while it is being migrated.
// - `Migration/` decides by the store's metadata alone, and migrates with a coordinator that is thrown away. The
//   coordinator that serves the program gets no migration options at all.
// - A `MigrationAdapter` does the work and says its cost. The adapter and the watch over the machine's memory are the
//   places where platforms differ. `Platform/` has files for each platform, and the package leaves out the others'.
// - Where there is a mapping model (`MappingModelAdapter`), this framework's coordinator migrates by it, told by an
//   option. On Apple's platforms a migration manager does, under a file coordinator's claim, into a folder that the
//   system gives. Either way processes take turns, and a process that waited opens the migrated store
//   (`ContestedLaunchTests`).
// - `Contexts/` builds root → main → background. The root alone writes to the store, on its own queue. Saving the main
//   context moves its changes into the root, and waits for the disk only if asked to. New objects get their permanent
//   ids before the first of those saves. With the layout `.siblings` there is no root, and every context writes.
// - A progress screen is asked for only when a migration outlasts the grace delay. The main queue asks once more,
//   because the migration may be over by then. Completion handlers wait for a shown screen's minimum time; tasks do
//   not.
// - `Texts/` has the words for users. A failure is classified by the innermost error that gives a reason
//   (`LaunchFailure`).
// - `CompilerRulesTests` ask the compiler which values it lets cross queues, and which it does not see. Managed objects
//   are explicitly not Sendable; contexts are, as on Apple's platforms.
// - `References/` and `Values/` have the values that cross queues, and those that are too large for a row. A
//   `DeferredValue` is loaded by one detached task that all waiters share. The pool knows costs and uses, and holds
//   values weakly. `MemoryPressure` empties it when the machine, or the container, runs short.
// - `Probe/` measures a launch as users feel it: first screen, readiness, longest stall of the main queue. Its watchdog
//   looks from another thread.
// - `KilledLaunchTests` kills a launching process at random moments, one to three times in a row, and launches again.
//   It does so while the store is made, in a migration in one transaction, in one object by object into a copy, and in
//   one in stages. Stages that were finished are not begun again.

import CoreData

/// A Core Data stack whose launch no migration can block.
///
/// A manager checks, migrates and opens its store away from the caller's thread. It tells every observer how far it is,
/// and nobody can use the contexts before they are ready. With the usual layout there are three levels of contexts. A
/// private root alone writes to the store. The main-queue context is its child, and background contexts are children of
/// the main context.
///
/// ```swift
/// let manager = CoreDataManager(model: model, storeURL: url)
/// manager.launch(
///     progressScreen: { migration in showProgress(migration) },
///     completion: { result in showFirstScreen(result) })
/// ```
///
/// Call every method from any thread. ``mainContext`` belongs to the main actor. The manager never reads, opens or
/// migrates the store on the caller's thread. The one exception is ``isMigrationRequired()``, which reads the model and
/// the store's metadata.
///
/// ## Queues
///
/// An object belongs to the queue of its context. In Swift 6 mode the compiler refuses these uses of an object:
///
/// - A block of `performMain` or `performBackground` returns or captures it, or the block of an awaited `perform`
///   captures it.
/// - Something Sendable keeps it.
/// - A task gets it while the sender still uses it.
///
/// The compiler also refuses ``mainContext`` away from the main actor. It only warns about a `perform` that nobody
/// awaits, as on Apple's platforms. It does not see an object that is fetched and sent away at once, and it trusts
/// `@unchecked Sendable` and `nonisolated(unsafe)`. The contexts' own check finds such an object where it is used (see
/// ``Configuration/confinement``). An ``ObjectReference`` carries an object across.
///
/// ## Topics
///
/// ### Making a manager
///
/// - ``init(model:storeURL:configuration:)``
/// - ``init(modelURL:storeURL:configuration:)``
/// - ``Configuration``
/// - ``configuration``
/// - ``storeURL``
///
/// ### Launching
///
/// - ``launch(progressScreen:completion:)``
/// - ``launch(display:completion:)``
/// - ``launch()``
/// - ``launch(display:)``
/// - ``ready()``
/// - ``readyOrThrow()``
///
/// ### Following the launch
///
/// - ``state``
/// - ``states``
/// - ``stateDidChangeNotification``
/// - ``stateKey``
///
/// ### Failures
///
/// - ``failure``
/// - ``retry(completion:)``
/// - ``retry()``
///
/// ### Migrating
///
/// - ``isMigrationRequired()``
/// - ``forecast()``
/// - ``migrate(progress:)``
///
/// ### Contexts
///
/// - ``mainContext``
/// - ``newBackgroundContext()``
/// - ``performBackground(saving:_:)``
/// - ``performBackground(saving:_:completion:)``
/// - ``performMain(_:)``
/// - ``reference(to:uri:)``
///
/// ### Saving
///
/// - ``save(wait:completion:)``
/// - ``saveMain(wait:)``
/// - ``saveBackground(_:wait:)``
public final class CoreDataManager: Sendable {
    /// The file of the store.
    public let storeURL: URL
    /// The settings that the manager was made with.
    public let configuration: Configuration

    let loadModel: @Sendable () throws -> NSManagedObjectModel
    let machine: LaunchMachine
    let running = RunningMigration()
    /// Checks, migrations and openings of this manager, one at a time, away from every caller.
    let queue = DispatchQueue(label: "CoreDataManager.launch", qos: .userInitiated)

    /// Makes a manager for a store. Nothing reads or writes a file before the launch.
    ///
    /// - Parameters:
    ///   - model: The current version of the model.
    ///   - storeURL: The file of the store. The launch creates it if it is missing.
    ///   - configuration: The type and the options of the store, and the timing of the launch.
    public init(model: NSManagedObjectModel, storeURL: URL, configuration: Configuration = Configuration()) {
        self.storeURL = storeURL
        self.configuration = configuration
        loadModel = { model }
        machine = LaunchMachine(minimumScreenTime: configuration.minimumScreenTime)
        machine.belong(to: self)
    }

    /// Makes a manager that reads its model from a file. The launch reads the file in the background.
    ///
    /// - Parameters:
    ///   - modelURL: A model file or bundle, as `NSManagedObjectModel(contentsOf:)` takes it.
    ///   - storeURL: The file of the store. The launch creates it if it is missing.
    ///   - configuration: The type and the options of the store, and the timing of the launch.
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
