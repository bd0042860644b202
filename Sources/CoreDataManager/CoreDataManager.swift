// Implementation notes: CoreDataManager.
//
// - Three causes together make a program that no longer starts after an update: a large store, a changed schema, and
//   opening the store on the main thread. This module removes the third one.
// - `Launch/` has the one readiness state (`LaunchMachine`). Every asynchronous entry point awaits it. A synchronous
//   one before the end of the launch throws (`readyOrThrow`) or stops with a message (`mainContext`). So no part of a
//   program can open the store by other means while it is being migrated.
// - `Migration/` decides by the store's metadata alone, and migrates with a coordinator that is released afterwards.
//   The coordinator of the program's contexts gets no migration options at all.
// - A `MigrationAdapter` migrates and forecasts the cost. Only the adapter and the watch over the machine's memory
//   differ between platforms. `Platform/` has a folder for each platform, and the package excludes the folders of the
//   other platforms.
// - If there is a mapping model (`MappingModelAdapter`), this framework's coordinator migrates by it, as an option
//   requests. On Apple's platforms a migration manager does this, under a file coordinator's claim, into a folder of
//   the system for replacements. In both cases only one process migrates at a time, and a process that waited opens the
//   migrated store (`ContestedLaunchTests`).
// - `Contexts/` builds root → main → background. The root alone writes to the store, on its own queue. Saving the main
//   context moves its changes into the root, and waits for the disk only with `wait: true`. New objects get their
//   permanent ids before the first of those saves. With the layout `.siblings` there is no root, and every context
//   writes.
// - A progress screen is due only when a migration outlasts the grace delay. The main queue checks this once more,
//   because the migration may be over by then. Completion handlers wait for a shown screen's minimum time. Tasks do
//   not.
// - `Texts/` has the texts for users. The kind of a failure comes from the innermost error of a kind that
//   `LaunchFailure` distinguishes.
// - `CompilerRulesTests` compile samples to find which values the compiler lets cross queues, and which cases it cannot
//   detect. Managed objects are explicitly not Sendable; contexts are, as on Apple's platforms.
// - `References/` and `Values/` have the values that cross queues, and those that are too large for a row. A
//   `DeferredValue` is loaded by one detached task that all waiters share. The pool records costs and uses, and holds
//   values weakly. `MemoryPressure` empties it when the machine, or the container, runs out of memory.
// - `Probe/` measures a launch as users experience it: first screen, readiness, longest stall of the main queue. Its
//   watchdog checks from another thread.
// - `KilledLaunchTests` kills a launching process at random moments, one to three times in a row, and launches again.
//   The kills happen while the store is made, and during three kinds of migrations: in one transaction, object by
//   object into a copy, and in stages. Finished stages are not begun again.

import CoreData

/// A Core Data stack whose launch no migration can block.
///
/// A manager checks, migrates and opens its store away from the caller's thread. It reports every step to its
/// observers, and no code can use the contexts before they are ready. With the usual layout there are three levels of
/// contexts. A private root alone writes to the store. The main-queue context is its child, and background contexts are
/// children of the main context.
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
/// - A Sendable value keeps it.
/// - A task gets it while the sender still uses it.
///
/// The compiler also refuses ``mainContext`` away from the main actor. It only warns about a `perform` without `await`,
/// as on Apple's platforms. It cannot detect an object that is fetched and sent away at once, and it trusts `@unchecked
/// Sendable` and `nonisolated(unsafe)`. The contexts' own check detects the use of such an object (see
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
    /// The queue for checks, migrations and openings of this manager, one at a time, away from every caller.
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
    public convenience init(modelURL: URL, storeURL: URL, configuration: Configuration = Configuration()) {
        self.init(storeURL: storeURL, configuration: configuration) {
            guard let model = NSManagedObjectModel(contentsOf: modelURL) else {
                throw CoreDataManagerError.unreadableModel(modelURL)
            }
            return model
        }
    }

    /// Makes a manager whose launch gets the model by a closure, in the background.
    package init(
        storeURL: URL, configuration: Configuration, loadModel: @escaping @Sendable () throws -> NSManagedObjectModel
    ) {
        self.storeURL = storeURL
        self.configuration = configuration
        self.loadModel = loadModel
        machine = LaunchMachine(minimumScreenTime: configuration.minimumScreenTime)
        machine.belong(to: self)
    }
}
