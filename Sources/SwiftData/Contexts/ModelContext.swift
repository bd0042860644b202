import CoreData
import Foundation

/// Fetches models, keeps track of their changes, and saves them.
///
/// A context may be used by one thread at a time. ``ModelContainer/mainContext`` belongs to the main thread.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext)
public final class ModelContext: Equatable {
    let managed: ManagedContext
    /// The container of a context that a program has made.
    private let ownContainer: ModelContainer?
    /// The container whose main context this is. It keeps the context, so the context keeps what it is made of.
    private weak var keeper: ModelContainer?
    let parts: ModelContainer.Parts
    let isMain: Bool
    /// What the last save of the managed object context wrote.
    var saved: SavedObjectIDs?
    /// New objects with the values of a subclass alone. The initialiser of a model makes one before it initialises its
    /// superclass, and a relationship brings it into the context.
    var waiting: [_ModelCore] = []
    /// New objects that a relationship has brought into the context before their initialisers ended, or after their
    /// models had gone.
    var unfinished: [_ModelCore] = []
    /// The deletions by class that the next save executes as statements.
    var collected: [CollectedDeletion] = []
    /// The number of transactions that are running, one within the other.
    var transactionDepth = 0
    let usage = ContextUsage()
    /// Plans the saves of the main context.
    private var autosave: Autosave?
    /// The models with unsaved changes, which stay until the changes are saved or given up.
    private var held: [(model: AnyObject, core: _ModelCore)] = []
    /// Models to which relationships have led, held for a while. Walking from many models to few would otherwise make
    /// and drop each of the few again and again. The number is that of the framework's own recent objects.
    private var recent: [AnyObject] = []
    private var oldestRecent = 0
    private static let recentModels = 4_096
    /// The lists of relationships that the program changes, each a ``MemberList``, until the models are let go.
    var memberLists: [MemberListKey: AnyObject] = [:]
    /// Models that stay as well, whose next change plans another save.
    private var kept: [AnyObject] = []

    /// Creates a context.
    ///
    /// - Parameter container: The container, which the context keeps.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/init(_:))
    public convenience init(_ container: ModelContainer) { self.init(container, isMain: false) }

    init(_ container: ModelContainer, isMain: Bool) {
        ownContainer = isMain ? nil : container
        keeper = isMain ? container : nil
        parts = container.parts
        managed = ManagedContext(
            concurrencyType: isMain ? .mainQueueConcurrencyType : .confinementConcurrencyType)
        managed.persistentStoreCoordinator = container.coordinator
        managed.mergePolicy = ModelMergePolicy.shared
        managed.undoManager = nil
        self.isMain = isMain
        autosaveEnabled = isMain
        managed.modelContext = self
        if isMain {
            managed.automaticallyMergesChangesFromParent = true
            parts.remoteCommits?.follow()
            managed.observesProperties = true
        } else {
            managed.collectMerges()
        }
        managed.onSave { [weak self] in self?.didSave($0) }
        if !parts.customRows.isEmpty { notifyCustomStores { $0.begin(editingState) } }
    }

    private func didSave(_ changes: SavedObjectIDs) {
        saved = changes
        GivenIdentifiers.settle(GivenIdentifiers.cores(of: self))
        letGo()
    }

    deinit {
        if !parts.customRows.isEmpty { notifyCustomStores { $0.end(editingState) } }
        managed.modelContext = nil
    }

    /// The container. A main context that has outlived its container gives one over the same stores.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/container)
    public var container: ModelContainer {
        if let known = ownContainer ?? keeper { return known }
        let new = ModelContainer(parts, mainContext: self)
        keeper = new
        return new
    }

    /// Whether two contexts are the same object.
    public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs === rhs }

    /// The managed object context behind this context, of the module `CoreData`.
    ///
    /// OpenCoreData only.
    @_disfavoredOverload public var managedObjectContext: NSManagedObjectContext { managed }

    /// The manager of undoing; nil unless set.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/undomanager)
    public var undoManager: UndoManager? {
        get { managed.undoManager }
        set { managed.undoManager = newValue }
    }

    /// The author that the history notes for this context's saves.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/author)
    public var author: String? {
        get { managed.transactionAuthor }
        set { managed.transactionAuthor = newValue }
    }

    /// Whether the context saves by itself, at the end of the event in which a model was changed, and before the
    /// program ends. True for the main context unless set; other contexts never do.
    ///
    /// The event is the block that the main queue runs. An error is posted as ``didFailToSave``, and the next change
    /// makes another attempt. A program that ends by a signal, or by `exit` on another thread, saves nothing.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/autosaveenabled)
    public var autosaveEnabled: Bool {
        didSet { if autosaveEnabled, hasChanges { noteChange() } }
    }

    /// Plans a save, after a change of the main context.
    func noteChange() {
        guard isMain, autosaveEnabled, MainQueue.isCurrent else { return }
        let plan = autosave ?? Autosave(self)
        autosave = plan
        plan.schedule()
    }

    // MARK: Models that stay

    func hold(_ model: AnyObject, _ core: _ModelCore) {
        if held.isEmpty { noteChange() }
        held.append((model, core))
    }

    /// Holds a model in place of one that was kept long ago.
    func keep(_ model: AnyObject) {
        if recent.count < Self.recentModels { return recent.append(model) }
        recent[oldestRecent] = model
        oldestRecent = (oldestRecent + 1) % Self.recentModels
    }

    /// Lets models go whose changes are saved or given up.
    func letGo() {
        autosave?.letGo()
        let models = held
        held = []
        memberLists = [:]
        recent = []
        oldestRecent = 0
        kept = []
        for (_, core) in models { core.letGo() }
    }

    /// Keeps the models, and notes their next changes again, after a save that has failed.
    func noteNextChange() {
        for (model, core) in held {
            core.letGo()
            kept.append(model)
        }
        held = []
        memberLists = [:]
    }
}

extension ModelContext: CustomReflectable {
    /// The managed object context, under the name by which published code finds it.
    public var customMirror: Mirror { Mirror(self, children: ["_nsContext": managed], displayStyle: .class) }
}
