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
    private let parts: ModelContainer.Parts
    /// The changes of other contexts that wait to be merged.
    let box = Siblings.Box()
    let isMain: Bool
    /// What the last save of the managed object context wrote.
    var saved: SavedObjectIDs?
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
        managed.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        managed.undoManager = nil
        self.isMain = isMain
        autosaveEnabled = isMain
        managed.modelContext = self
        if isMain {
            managed.automaticallyMergesChangesFromParent = true
            managed.observesProperties = true
        } else {
            container.siblings.add(box)
        }
        // Also a save through `managedObjectContext` is one that the other contexts merge.
        managed.onSave { [weak self] in
            guard let self else { return }
            saved = $0
            parts.siblings.announce($0, from: box)
        }
    }

    deinit { managed.modelContext = nil }

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
    public var managedObjectContext: NSManagedObjectContext { managed }

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

    /// Whether the context saves by itself, one second after the first unsaved change. True for the main context unless
    /// set; other contexts never do.
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
        let models = held
        held = []
        memberLists = [:]
        recent = []
        oldestRecent = 0
        for (_, core) in models { core.letGo() }
    }
}

extension ModelContext: CustomReflectable {
    /// The managed object context, under the name by which published code finds it.
    public var customMirror: Mirror { Mirror(self, children: ["_nsContext": managed], displayStyle: .class) }
}
