import Foundation
import Observation

/// Makes a class a model: its stored properties are kept in a store, and observed.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/model())
@attached(
    member, conformances: Observable, PersistentModel, Sendable,
    names: named(_$core), named(_$settle), named(_$Root), named(persistentBackingData), named(schemaMetadata),
    named(init), named(access), named(withMutation))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, Sendable)
public macro Model() = #externalMacro(module: "SwiftDataMacros", type: "PersistentModelMacro")

/// Makes the accessors of a property. ``Model()`` adds it to the stored properties of a class.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_), prefixed(_$))
public macro _PersistedProperty() = #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")

/// Gives an attribute options, a name in the version before, or a text that changes its version hash.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/attribute(_:originalname:hashmodifier:))
@attached(peer)
public macro Attribute(
    _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "AttributePropertyMacro")

/// Gives a relationship a delete rule, limits, or the relationship that leads back.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/relationship(_:deleterule:minimummodelcount:maximummodelcount:originalname:inverse:hashmodifier:))
@attached(peer)
public macro Relationship(
    _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
    minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
    inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "RelationshipPropertyMacro")

/// Keeps a property in memory only.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/transient())
@attached(peer)
public macro Transient() = #externalMacro(module: "SwiftDataMacros", type: "TransientPropertyMacro")

/// Makes the values of properties unique together. A new model with values that are taken changes the old one.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/unique(_:))
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
    #externalMacro(module: "SwiftDataMacros", type: "UniqueMacro")

/// Gives the store indexes of properties.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/index(_:)-74ia2)
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
    #externalMacro(module: "SwiftDataMacros", type: "IndexMacro")

/// Gives the store indexes of a kind.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/index(_:)-7d4z0)
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
    #externalMacro(module: "SwiftDataMacros", type: "IndexMacro")

/// Gives an actor a context of its own.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelactor())
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "SwiftDataMacros", type: "ModelActorMacro")
