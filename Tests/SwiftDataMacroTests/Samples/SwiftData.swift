@_exported import Foundation
@_exported import Observation

// The declarations that expansions use, with as little behind them as makes models hold values.

@attached(
    member, conformances: Observable, PersistentModel, Sendable, names: named(_$core),
    named(_$settle),
    named(_$Root), named(persistentBackingData), named(schemaMetadata), named(init))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, Sendable)
public macro Model() = #externalMacro(module: "SwiftDataMacros", type: "PersistentModelMacro")

@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_), prefixed(_$))
public macro _PersistedProperty() = #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")

@attached(peer)
public macro Attribute(_ options: Schema.Attribute.Option..., originalName: String? = nil) =
    #externalMacro(module: "SwiftDataMacros", type: "AttributePropertyMacro")

@attached(peer)
public macro Relationship(deleteRule: Schema.Relationship.DeleteRule = .nullify, inverse: AnyKeyPath? = nil) =
    #externalMacro(module: "SwiftDataMacros", type: "RelationshipPropertyMacro")

@attached(peer)
public macro Transient() = #externalMacro(module: "SwiftDataMacros", type: "TransientPropertyMacro")

@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
    #externalMacro(module: "SwiftDataMacros", type: "UniqueMacro")

@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
    #externalMacro(module: "SwiftDataMacros", type: "IndexMacro")

@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "SwiftDataMacros", type: "ModelActorMacro")

public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
    init(backingData: any BackingData<Self>)
    var persistentBackingData: any BackingData<Self> { get set }
    static var schemaMetadata: [Schema.PropertyMetadata] { get }
    func _$settle() -> _ModelCore
}

extension PersistentModel {
    public var id: ObjectIdentifier { ObjectIdentifier(self) }
    public static func == (left: Self, right: Self) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    public nonisolated func access<Member>(keyPath: KeyPath<Self, Member>) {}
    public nonisolated func withMutation<Member, Result>(
        keyPath: KeyPath<Self, Member>, _ mutation: () throws -> Result
    ) rethrows -> Result {
        try mutation()
    }
}

public protocol BackingData<Model> {
    associatedtype Model
}

struct CoreBackingData<Model>: BackingData {
    let core: _ModelCore
}

public class Schema {
    public struct Attribute {
        public struct Option { public static var unique: Option { Option() } }
        public init(_ options: Option..., originalName: String? = nil) {}
    }

    public struct Relationship {
        public enum DeleteRule { case nullify, cascade }
        public init(deleteRule: DeleteRule = .nullify, inverse: AnyKeyPath? = nil) {}
    }

    public struct Index<T> { public init(_ indices: [PartialKeyPath<T>]...) {} }
    public struct Unique<T> { public init(_ constraints: [PartialKeyPath<T>]...) {} }

    public struct PropertyMetadata {
        public let name: String
        public init(name: String, keypath: AnyKeyPath, defaultValue: Any?, metadata: Any?) { self.name = name }
        public init<T>(index: Index<T>) { name = "#Index" }
        public init<T>(unique: Unique<T>) { name = "#Unique" }
    }
}

public struct _NoType: Sendable {
    public init() {}
}

public final class _ModelCore {
    var values: [String: Any] = [:]

    public static func next(_ type: Any.Type) -> _ModelCore { _ModelCore() }
    public func backingData<Model: PersistentModel>(of type: Model.Type, _ model: AnyObject) -> any BackingData<Model> {
        CoreBackingData(core: self)
    }
    public func take<Model>(_ data: any BackingData<Model>) {}
    public func joined(by early: _EarlyCore, _ type: Any.Type) -> _ModelCore {
        values.merge(early.core.values) { present, _ in present }
        early.core.values = [:]
        return self
    }
}

public struct _EarlyCore {
    let core = _ModelCore()
    public init(_ type: Any.Type) {}
}

public struct _Slot: Sendable {
    let name: String

    public init(_ name: String) { self.name = name }

    public func place<Value, Core>(_ value: Value, at place: UnsafeMutablePointer<Core>) {}
    public func initialize<Value>(_ value: Value, of core: _ModelCore) { core.values[name] = value }
    public func initialize<Value>(_ value: Value, of core: _EarlyCore) { core.core.values[name] = value }
    public func value<Value, Model>(of core: _ModelCore, _ model: Model) -> Value { core.values[name] as! Value }
    public func value<Value, Model: PersistentModel>(of core: _EarlyCore, _ model: Model) -> Value {
        model._$settle().values[name] as! Value
    }
    public func set<Value, Model>(_ value: Value, of core: _ModelCore, _ model: Model) { core.values[name] = value }
    public func set<Value, Model: PersistentModel>(_ value: Value, of core: _EarlyCore, _ model: Model) {
        model._$settle().values[name] = value
    }
}

public protocol ModelExecutor: Executor {}

public protocol ModelActor: Actor {
    nonisolated var modelContainer: ModelContainer { get }
    nonisolated var modelExecutor: any ModelExecutor { get }
}

public final class ModelContainer: Sendable {}

public final class ModelContext {
    public init(_ container: ModelContainer) {}
}

public final class DefaultSerialModelExecutor: ModelExecutor, SerialExecutor {
    public init(modelContext: ModelContext) {}
    public func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(on: asUnownedSerialExecutor())
    }
}
