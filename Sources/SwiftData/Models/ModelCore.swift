import CoreData
import Foundation
import Observation

/// The managed object that a model wraps. The macro's expansions use it.
///
/// Programs use ``PersistentModel/managedObject``.
public final class _ModelCore: NSManagedObject {
    @exclusivity(unchecked) private var reference: ZeroingReference<AnyObject>?
    @exclusivity(unchecked) private var state: State = []
    /// Whether the model shows the values of another core.
    @exclusivity(unchecked) @usableFromInline var isReplaced = false

    private struct State: OptionSet {
        let rawValue: UInt8
        /// The model is being initialised by a program, so the initial values of its properties count.
        static let takesInitialValues = State(rawValue: 1 << 0)
        /// The values of a subclass have come to the core of the model.
        static let hasJoined = State(rawValue: 1 << 2)
        /// The context retains the model.
        static let isHeld = State(rawValue: 1 << 1)
        /// The context has lists of relationships of this core.
        static let hasMemberLists = State(rawValue: 1 << 3)
        /// A context makes the model of this core, which has its values.
        static let isBeingMade = State(rawValue: 1 << 4)
        /// A program has got the temporary id.
        static let hasGivenID = State(rawValue: 1 << 5)
        /// The program has set a to-many relationship of the model before its insertion.
        static let hasSetMembers = State(rawValue: 1 << 6)
        /// The core has the values of a subclass alone.
        static let isEarly = State(rawValue: 1 << 7)
    }

    deinit {
        if state.contains(.hasGivenID) { GivenIdentifiers.forget(self) }
        if isReplaced { ReplacedCores.forget(self) }
    }

    // MARK: Making

    /// Returns the core of a model that is being initialised: a new one, or that of a row of which a context makes a
    /// model.
    ///
    /// - Parameter type: The topmost class of the model.
    /// - Returns: The core.
    public static func next<Model: PersistentModel>(_ type: Model.Type) -> _ModelCore {
        if let pending = ModelMaking.take(type) { return pending }
        let core = ModelType.of(type).makeCore()
        core.state = .takesInitialValues
        return core
    }

    /// Returns a core for the values of a subclass, until its superclass is initialised.
    static func early<Model: PersistentModel>(_ type: Model.Type) -> _ModelCore {
        let core = ModelType.of(type).makeCore()
        core.state = [.takesInitialValues, .isEarly]
        return core
    }

    /// Whether the core has the values of a subclass, which have not come to the core of the model yet.
    var waitsForModel: Bool { state.contains(.isEarly) && !state.contains(.hasJoined) }

    /// Returns this core, after the values of a subclass have come to it.
    ///
    /// - Parameters:
    ///   - early: The values.
    ///   - type: The subclass.
    /// - Returns: This core.
    public func joined<Model: PersistentModel>(by early: _EarlyCore, _ type: Model.Type) -> _ModelCore {
        guard let early = early.core, !early.state.contains(.hasJoined) else { return self }
        early.state.insert(.hasJoined)
        if let model = early.livingModel { bind(model) }
        if let context = early.modelContext, managedObjectContext == nil { context.insert(self) }
        // The values of the superclass may have brought this core into a context, where those of the subclass are not.
        if let context = modelContext, early.managedObjectContext == nil { context.insert(early) }
        absorb(early)
        early.managedObjectContext?.delete(early)
        return self
    }

    /// Whether initial values of properties count.
    var takesInitialValues: Bool { state.contains(.takesInitialValues) }

    /// Notes that the model is made of values that the core has.
    func beginMaking() {
        state.remove(.takesInitialValues)
        state.insert(.isBeingMade)
    }

    /// Notes that the model of this core has been made.
    func endMaking() { state.remove(.isBeingMade) }

    // MARK: The model

    /// The model, if it is alive.
    var livingModel: AnyObject? {
        switch reference {
        case .some(let reference): reference.object
        case nil: nil
        }
    }

    /// Notes the model of this core. A living one that is noted already stays.
    func bind(_ model: AnyObject) {
        switch reference {
        case .some(let known): if known.leads(to: model) || known.object != nil { return }
        case nil: break
        }
        reference = ZeroingReference(model)
    }

    /// The model of this core, which is made on demand.
    var model: AnyObject {
        if let living = livingModel { return living }
        let made = modelType.makeModel(self)
        bind(made)
        return made
    }

    /// The model of this core as an object of its class.
    func model<Model: PersistentModel>(as type: Model.Type) -> Model {
        let model = model
        return Swift.type(of: model) == type ? unsafeDowncast(model, to: type) : Self.typed(model, as: type)
    }

    /// The model of this core, to which a relationship of another model leads. The context holds it for a while.
    var destination: AnyObject {
        if let living = livingModel { return living }
        let made = model
        modelContext?.keep(made)
        return made
    }

    /// A model as an object of a class above its own; stops the process if it is of any other class.
    @usableFromInline
    static func typed<Model: PersistentModel>(_ model: AnyObject, as type: Model.Type) -> Model {
        if let model = model as? Model { return model }
        let id = (model as? any PersistentModel)?.persistentModelID
        fatalError("The model of entity '\(id?.entityName ?? "")' is a \(Swift.type(of: model)), not a \(type)")
    }

    /// The type of the model, by the entity.
    var modelType: ModelType {
        if let known = KnownModelTypes.type(of: layoutNumber) { return known }
        guard let type = entity.representation as? ModelType else {
            fatalError("The entity '\(entity.name ?? "")' has no model")
        }
        KnownModelTypes.note(type, of: layoutNumber)
        return type
    }

    // MARK: Another core in its place

    /// The core whose values the model shows: this one, or that of the row that has its unique values.
    var present: _ModelCore { isReplaced ? winner : self }

    @usableFromInline var winner: _ModelCore { ReplacedCores.winner(of: self) }

    // MARK: The id

    /// The id for a program. A temporary one is noted, because the program may keep it beyond the save.
    var givenID: NSManagedObjectID {
        let id = objectID
        if id.isTemporaryID, !state.contains(.hasGivenID) {
            state.insert(.hasGivenID)
            GivenIdentifiers.note(self, id)
        }
        return id
    }

    /// Notes the context of a new model whose temporary id a program has, and of values that wait for their model.
    public override func awakeFromInsert() {
        if waitsForModel {
            modelContext?.waiting.append(self)
        } else if takesInitialValues, livingModel == nil {
            modelContext?.unfinished.append(self)
        }
        if state.contains(.hasGivenID) { GivenIdentifiers.note(self, objectID) }
    }

    /// Whether setting a to-many relationship has to leave it as it is. An empty array before the insertion removes no
    /// models that lead here by themselves: an initialiser often sets one after it has joined them.
    func keepsMembers(insteadOf models: [_ModelCore]) -> Bool {
        if managedObjectContext != nil { return false }
        if models.isEmpty { return !state.contains(.hasSetMembers) }
        state.insert(.hasSetMembers)
        return false
    }

    // MARK: The context

    var modelContext: ModelContext? { (managedObjectContext as? ManagedContext)?.modelContext }

    /// Whether the context retains the model.
    var isHeld: Bool { state.contains(.isHeld) }

    /// Lets the context retain the model until its changes are saved.
    func hold() {
        if state.contains(.isHeld) { return }
        guard let model = livingModel, let context = modelContext else { return }
        state.insert(.isHeld)
        context.hold(model, self)
    }

    func letGo() { state.subtract([.isHeld, .hasMemberLists]) }

    /// Whether the context has lists of relationships of this core.
    var hasMemberLists: Bool { state.contains(.hasMemberLists) }

    func noteMemberList() { state.insert(.hasMemberLists) }

    /// Brings this core and another one into one context, so that a relationship can join them.
    func join(_ other: _ModelCore) {
        let (own, others) = (managedObjectContext, other.managedObjectContext)
        if own === others {
            if own == nil, entity.managedObjectModel !== other.entity.managedObjectModel {
                other.move(to: entity.managedObjectModel)
            }
            return
        }
        if own == nil {
            guard let context = other.modelContext else { return }
            context.insert(self)
            if takesInitialValues, !state.contains(.isEarly), livingModel != nil { context.unfinished.append(self) }
            return
        }
        if others == nil { return modelContext?.insert(other) ?? () }
        fatalError(
            """
            Illegal attempt to establish a relationship between models of different contexts: \(objectID) and \
            \(other.objectID)
            """)
    }

    // MARK: Values as a whole

    /// Returns the values for Apple's interface.
    ///
    /// - Parameters:
    ///   - type: The topmost class of the model.
    ///   - model: The model.
    /// - Returns: The values.
    public func backingData<Model: PersistentModel>(of type: Model.Type, _ model: AnyObject) -> any BackingData<Model> {
        bind(model)
        return ModelBackingData<Model>(core: self)
    }

    /// Ends the initialisation of a model by its values.
    ///
    /// - Parameter backingData: The values. Those of another core are copied.
    public func take<Model: PersistentModel>(_ backingData: any BackingData<Model>) {
        // A cast would cost a large part of what making a model does.
        if state.contains(.isBeingMade) { return }
        state.remove(.takesInitialValues)
        guard let other = (backingData as? any CoreBacked)?.core, other !== self else { return }
        for property in other.modelType.properties {
            if property is NSRelationshipDescription {
                // By the coded way, so that the inverses follow.
                setValue(other.value(forKey: property.name), forKey: property.name)
            } else {
                copy(property, from: other)
            }
        }
    }

    // MARK: Observation

    /// Registers the read of a property whose accessor the program has written.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - keyPath: The property.
    public func access<Model: PersistentModel, Member>(_ model: Model, _ keyPath: KeyPath<Model, Member>) {
        observationRegistrar.access(model, keyPath: keyPath)
    }

    /// Runs a change of a property whose accessor the program has written.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - keyPath: The property.
    ///   - mutation: The change.
    /// - Returns: The result of the change.
    /// - Throws: The error of the change.
    public func withMutation<Model: PersistentModel, Member, Result>(
        _ model: Model, _ keyPath: KeyPath<Model, Member>, _ mutation: () throws -> Result
    ) rethrows -> Result {
        try observationRegistrar.withMutation(of: model, keyPath: keyPath, mutation)
    }
}
