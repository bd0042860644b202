import CoreData
import Foundation
import Synchronization

/// What the accessors of a model have: the core, or in a subclass the values that were set before the superclass was
/// initialised. The macro's expansions use it.
public protocol _CoreSource {
    /// Returns the core.
    ///
    /// - Parameter model: The model that has the source.
    /// - Returns: The core of the model.
    func core(of model: AnyObject) -> _ModelCore
    /// The core that takes initial values; nil while a model is made of a row.
    var initialCore: _ModelCore? { get }
}

extension _ModelCore: _CoreSource {
    /// Returns the core itself, or the one that has taken its place.
    @inlinable public func core(of model: AnyObject) -> _ModelCore { isReplaced ? winner : self }
    /// The core itself, if a program initialises its model.
    public var initialCore: _ModelCore? { takesInitialValues ? self : nil }
}

/// The values of a subclass of a model until its superclass is initialised. The macro's expansions use it.
public struct _EarlyCore: _CoreSource {
    let core: _ModelCore?

    /// Creates the values.
    ///
    /// - Parameter type: The subclass.
    public init<Model: PersistentModel>(_ type: Model.Type) {
        core = ModelMaking.isMaking(type) ? nil : .early(type)
    }

    /// Returns the core of the model.
    public func core(of model: AnyObject) -> _ModelCore {
        guard let model = model as? any PersistentModel else { fatalError("\(type(of: model)) is no model") }
        return model.presentCore
    }

    /// The core that takes initial values.
    public var initialCore: _ModelCore? { core }
}

/// The place of a property of a model. The macro writes one constant for each property; any thread may use it.
///
/// The declared type of the property chooses the overload of each method.
public struct _Slot: Sendable {
    @usableFromInline let managed: ManagedSlot
    let plan: PlanCache

    /// Creates the place of a property.
    ///
    /// - Parameter name: The property's name.
    public init(_ name: String) {
        managed = ManagedSlot(name)
        plan = PlanCache()
    }

    var name: String { managed.name }
}

// MARK: - Attributes of Foundation's types

extension _Slot {
    /// Returns the value of an attribute.
    @inlinable
    public func value<Value: ManagedAttributeValue, Source: _CoreSource>(of source: Source, _ model: AnyObject) -> Value
    {
        let core = source.core(of: model)
        if let value = Value.optionalManagedValue(of: managed, in: core) { return value }
        return defaultValue(in: core)
    }

    /// Returns the value of an optional attribute.
    @inlinable
    public func value<Value: ManagedAttributeValue, Source: _CoreSource>(of source: Source, _ model: AnyObject)
        -> Value?
    {
        let core = source.core(of: model)
        return Value.optionalManagedValue(of: managed, in: core)
    }

    /// Sets an attribute.
    @inlinable
    public func set<Value: ManagedAttributeValue, Source: _CoreSource>(
        _ value: Value, of source: Source, _ model: AnyObject
    ) {
        let core = source.core(of: model)
        willChange(core, model)
        Value.setOptionalManagedValue(value, of: managed, in: core)
    }

    /// Sets an optional attribute.
    @inlinable
    public func set<Value: ManagedAttributeValue, Source: _CoreSource>(
        _ value: Value?, of source: Source, _ model: AnyObject
    ) {
        let core = source.core(of: model)
        willChange(core, model)
        Value.setOptionalManagedValue(value, of: managed, in: core)
    }

    /// Gives an attribute its first value.
    @inlinable
    public func initialize<Value: ManagedAttributeValue, Source: _CoreSource>(_ value: Value, of source: Source) {
        guard let core = source.initialCore else { return }
        Value.setOptionalManagedValue(value, of: managed, in: core)
    }

    /// Gives an optional attribute its first value.
    @inlinable
    public func initialize<Value: ManagedAttributeValue, Source: _CoreSource>(_ value: Value?, of source: Source) {
        guard let core = source.initialCore else { return }
        Value.setOptionalManagedValue(value, of: managed, in: core)
    }

    /// Lets the model stay as long as it has changes.
    @usableFromInline
    func willChange(_ core: _ModelCore, _ model: AnyObject) { core.prepareChange(by: model, of: self) }

    /// The default value of a property without a value; stops the process if it has none.
    @usableFromInline
    func defaultValue<Value>(in core: _ModelCore, holding raw: Any? = nil) -> Value {
        if let value = core.modelType.defaultValue(of: name) as? Value { return value }
        fatalError(core.unreadableValue(of: name, as: Value.self, holding: raw))
    }
}

// MARK: - Enumerations with a raw value

extension _Slot {
    /// Returns an enumeration.
    @inlinable
    public func value<Value: RawRepresentable, Source: _CoreSource>(of source: Source, _ model: AnyObject) -> Value
    where Value.RawValue: ManagedAttributeValue {
        let core = source.core(of: model)
        let raw = Value.RawValue.optionalManagedValue(of: managed, in: core)
        if let raw, let value = Value(rawValue: raw) { return value }
        return defaultValue(in: core, holding: raw)
    }

    /// Returns an optional enumeration; nil for a raw value without a case.
    @inlinable
    public func value<Value: RawRepresentable, Source: _CoreSource>(of source: Source, _ model: AnyObject) -> Value?
    where Value.RawValue: ManagedAttributeValue {
        let core = source.core(of: model)
        return Value.RawValue.optionalManagedValue(of: managed, in: core).flatMap { Value(rawValue: $0) }
    }

    /// Sets an enumeration.
    @inlinable
    public func set<Value: RawRepresentable, Source: _CoreSource>(_ value: Value, of source: Source, _ model: AnyObject)
    where Value.RawValue: ManagedAttributeValue { set(value.rawValue, of: source, model) }

    /// Sets an optional enumeration.
    @inlinable
    public func set<Value: RawRepresentable, Source: _CoreSource>(
        _ value: Value?, of source: Source, _ model: AnyObject
    )
    where Value.RawValue: ManagedAttributeValue { set(value?.rawValue, of: source, model) }

    /// Gives an enumeration its first value.
    @inlinable
    public func initialize<Value: RawRepresentable, Source: _CoreSource>(_ value: Value, of source: Source)
    where Value.RawValue: ManagedAttributeValue { initialize(value.rawValue, of: source) }

    /// Gives an optional enumeration its first value.
    @inlinable
    public func initialize<Value: RawRepresentable, Source: _CoreSource>(_ value: Value?, of source: Source)
    where Value.RawValue: ManagedAttributeValue { initialize(value?.rawValue, of: source) }
}

// MARK: - Relationships

extension _Slot {
    /// Returns the model to which a relationship leads.
    @inlinable
    public func value<Model: PersistentModel, Source: _CoreSource>(of source: Source, _ model: AnyObject) -> Model {
        guard let found: Model = value(of: source, model) else { leadsNowhere(in: source.core(of: model)) }
        return found
    }

    /// Stops the process for a relationship that is not optional and leads to no model.
    @usableFromInline
    func leadsNowhere(in core: _ModelCore) -> Never {
        fatalError(
            """
            Relationship '\(name)' of entity '\(core.entity.name ?? "")' of \(core.objectID) leads to no model, and is \
            not optional
            """)
    }

    /// Returns the model to which an optional relationship leads.
    @inlinable
    public func value<Model: PersistentModel, Source: _CoreSource>(of source: Source, _ model: AnyObject) -> Model? {
        guard let destination = destination(of: source.core(of: model), model) else { return nil }
        if type(of: destination) == Model.self { return unsafeDowncast(destination, to: Model.self) }
        return _ModelCore.typed(destination, as: Model.self)
    }

    /// The model to which a relationship leads, without its type, which generic code would look up.
    @usableFromInline
    func destination(of core: _ModelCore, _ model: AnyObject) -> AnyObject? {
        core.bind(model)
        guard let object = core.toOne(managed) else { return nil }
        return unsafeDowncast(object, to: _ModelCore.self).destination
    }

    /// Returns the models to which a relationship leads.
    public func value<Model: PersistentModel, Source: _CoreSource>(of source: Source, _ model: AnyObject) -> [Model] {
        let core = source.core(of: model)
        core.bind(model)
        if let models: [Model] = core.listedModels(managed) { return models }
        return core.toMany(managed).map { unsafeDowncast($0, to: _ModelCore.self).model(as: Model.self) }
    }

    /// Returns the models to which an optional relationship leads: an empty array if there are none.
    public func value<Model: PersistentModel, Source: _CoreSource>(of source: Source, _ model: AnyObject) -> [Model]? {
        let models: [Model] = value(of: source, model)
        return models
    }

    /// Sets a relationship; the inverse follows.
    public func set<Model: PersistentModel, Source: _CoreSource>(_ value: Model, of source: Source, _ model: AnyObject)
    {
        set(Optional(value), of: source, model)
    }

    /// Sets an optional relationship; the inverse follows.
    public func set<Model: PersistentModel, Source: _CoreSource>(_ value: Model?, of source: Source, _ model: AnyObject)
    {
        let core = source.core(of: model)
        willChange(core, model)
        core.bind(model)
        core.set(managed, toOne: value.map { core.joined($0) })
        core.hold()
    }

    /// Replaces the models of a relationship; the inverses follow.
    public func set<Model: PersistentModel, Source: _CoreSource>(
        _ value: [Model], of source: Source, _ model: AnyObject
    ) {
        let core = source.core(of: model)
        willChange(core, model)
        core.bind(model)
        if core.extend(managed, to: value) { return }
        let members = core.joined(value)
        if core.keepsMembers(insteadOf: members) { return }
        core.set(managed, toMany: members)
        core.hold()
        core.list(value, of: managed)
    }

    /// Replaces the models of an optional relationship; the inverses follow.
    public func set<Model: PersistentModel, Source: _CoreSource>(
        _ value: [Model]?, of source: Source, _ model: AnyObject
    ) {
        set(value ?? [], of: source, model)
    }

    /// Gives a relationship its first value.
    public func initialize<Model: PersistentModel, Source: _CoreSource>(_ value: Model, of source: Source) {
        initialize(Optional(value), of: source)
    }

    /// Gives an optional relationship its first value.
    public func initialize<Model: PersistentModel, Source: _CoreSource>(_ value: Model?, of source: Source) {
        guard let core = source.initialCore, let value else { return }
        core.set(managed, toOne: core.joined(value))
    }

    /// Gives a relationship its first models.
    public func initialize<Model: PersistentModel, Source: _CoreSource>(_ value: [Model], of source: Source) {
        guard let core = source.initialCore else { return }
        let members = core.joined(value)
        if core.keepsMembers(insteadOf: members) { return }
        core.set(managed, toMany: members)
    }

    /// Gives an optional relationship its first models.
    public func initialize<Model: PersistentModel, Source: _CoreSource>(_ value: [Model]?, of source: Source) {
        initialize(value ?? [], of: source)
    }
}

// MARK: - Structures, collections and the rest

extension _Slot {
    /// Returns a value of any other type.
    @inlinable @_disfavoredOverload
    public func value<Value, Source: _CoreSource>(of source: Source, _ model: AnyObject) -> Value {
        let core = source.core(of: model)
        return withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { memory in
            guard let base = memory.baseAddress, read(core, into: base) else { return defaultValue(in: core) }
            return base.move()
        }
    }

    /// Gives memory the value of a property; false if the store has none.
    @usableFromInline
    func read<Value>(_ core: _ModelCore, into memory: UnsafeMutablePointer<Value>) -> Bool {
        plan.read(named: name, of: core, into: memory)
    }

    /// Sets a value of any other type.
    @_disfavoredOverload
    public func set<Value, Source: _CoreSource>(_ value: Value, of source: Source, _ model: AnyObject) {
        let core = source.core(of: model)
        willChange(core, model)
        plan(of: Value.self, in: core).write(value, core)
    }

    /// Gives a value of any other type.
    @_disfavoredOverload
    public func initialize<Value, Source: _CoreSource>(_ value: Value, of source: Source) {
        guard let core = source.initialCore else { return }
        plan(of: Value.self, in: core).write(value, core)
    }

    private func plan<Value>(of type: Value.Type, in core: _ModelCore) -> ValuePlan<Value> {
        plan.plan(of: type, named: name, in: core)
    }
}

extension _ModelCore {
    /// Prepares for a change by an accessor.
    @usableFromInline
    func prepareChange(by model: AnyObject, of slot: _Slot) {
        if isHeld { return }
        guard managedObjectContext != nil else {
            guard hasLostContext else { return }
            fatalError(
                """
                Property '\(slot.name)' of entity '\(entity.name ?? "")' cannot be set: the model \(objectID) has been \
                deleted, or its context is gone
                """)
        }
        bind(model)
        hold()
    }

    /// The core of a model, in the same context as this one.
    func joined<Model: PersistentModel>(_ model: Model) -> _ModelCore {
        let core = model.presentCore
        core.bind(model)
        join(core)
        return core
    }

    /// Returns the cores of models, after all of them and this one have come into one context. The last of the models
    /// may be the one that has a context.
    func joined<Model: PersistentModel>(_ models: [Model]) -> [_ModelCore] {
        let cores = models.map { joined($0) }
        guard let context = managedObjectContext else { return cores }
        for core in cores where core.managedObjectContext !== context { join(core) }
        return cores
    }
}

/// The storage of a property of a model, which is empty: the values are in the core. The macro's expansions use it.
public struct _NoType {
    /// Creates it.
    public init() {}
}
