import CoreData
import Foundation

/// A class of a schema together with its entity in a managed object model: makes cores and models, and knows the
/// properties' values.
final class ModelType: EntityRepresentation, @unchecked Sendable {  // the plans are behind a lock
    let type: any PersistentModel.Type
    let schemaEntity: Schema.Entity?
    unowned let entity: NSEntityDescription
    let hasRelationships: Bool
    /// Where the class's objects have their core, whose place tells where they are.
    let placeOffset: Int?
    private let make: (_ModelCore) -> AnyObject
    private let typed: (AnyObject) -> any PersistentModel
    private let plans = Locked<[String: AnyObject]>([:])
    /// Made when the first new object is: before that the model may still change.
    private let detached = Locked<DetachedObjects?>(nil)

    init(_ type: any PersistentModel.Type, _ entity: NSEntityDescription, _ schemaEntity: Schema.Entity?) {
        self.type = type
        self.entity = entity
        self.schemaEntity = schemaEntity
        hasRelationships = !entity.relationshipsByName.isEmpty
        placeOffset = Self.placeOffset(in: type)
        make = Self.maker(type)
        typed = Self.typer(type)
    }

    private static func typer<Model: PersistentModel>(_ type: Model.Type) -> (AnyObject) -> any PersistentModel {
        { unsafeDowncast($0, to: type) }
    }

    /// A model of this class as one. A cast would search for the conformance each time.
    func typed(_ model: AnyObject) -> any PersistentModel { typed(model) }

    private static func maker<Model: PersistentModel>(_ type: Model.Type) -> (_ModelCore) -> AnyObject {
        let values = ModelBackingData<Model>.ofRow
        return { ModelMaking.make(type, $0, of: values) }
    }

    var managedClass: NSManagedObject.Type { _ModelCore.self }

    /// Makes the model of a core.
    func makeModel(_ core: _ModelCore) -> AnyObject { make(core) }

    /// Makes the core of a new model, which belongs to no context.
    func makeCore() -> _ModelCore {
        let objects = detached.withLock { known in
            if let known { return known }
            let new = DetachedObjects(of: entity)
            known = new
            return new
        }
        return unsafeDowncast(objects.make(), to: _ModelCore.self)
    }

    /// The initial value of a property, where one is written.
    func defaultValue(of name: String) -> Any? {
        (schemaEntity?.attributesByName[name]?.defaultValue).flatMap { value in
            (value as? any OptionalType)?.anyWrapped ?? value
        }
    }

    /// The plan for a property's values, made once.
    func plan(named name: String, _ make: () -> AnyObject) -> AnyObject {
        plans.withLock { known in
            if let plan = known[name] { return plan }
            let plan = make()
            known[name] = plan
            return plan
        }
    }

    /// The properties, for copying values.
    var properties: [NSPropertyDescription] { entity.properties }

    // MARK: The types in use

    private static let current = Locked<[ObjectIdentifier: ModelType]>([:])

    /// The class in the schema in which it was last used; without one, in the schema of the classes that it leads to.
    ///
    /// The process stops for a class that no store can keep, because a model's initializer cannot throw. A container
    /// over the class throws the same fault.
    static func of<Model: PersistentModel>(_ type: Model.Type) -> ModelType {
        if let known = current.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        do {
            let schema = try ManagedSchema.of(Schema([type]))
            guard let found = schema.types[ObjectIdentifier(type)] else { fatalError("\(type) is in no schema") }
            current.withLock { $0[ObjectIdentifier(type)] = found }
            return found
        } catch {
            fatalError("A model of \(type) cannot be made: \(error)")
        }
    }

    /// Lets new models of a schema's classes have its layout.
    static func use(_ schema: ManagedSchema) {
        current.withLock { current in
            for (type, model) in schema.types { current[type] = model }
        }
    }
}

/// A schema as a managed object model. There is one for each set of classes, and it stays for ever, because constants
/// of accessors refer to it.
final class ManagedSchema: @unchecked Sendable {  // immutable
    let schema: Schema
    let model: NSManagedObjectModel
    let types: [ObjectIdentifier: ModelType]

    private static let known = Locked<[Schema: ManagedSchema]>([:])

    /// The managed object model of a schema.
    ///
    /// - Throws: A `SchemaFault` for classes that no store can keep.
    static func of(_ schema: Schema) throws -> ManagedSchema {
        if let fault = schema.fault { throw fault }
        ModelPredicates.installation
        if let found = known.withLock({ $0[schema] }) { return found }
        let new = ManagedSchema(schema, try ModelBuilder(schema: schema).model())
        return known.withLock { known in
            if let found = known[schema] { return found }
            known[schema] = new
            return new
        }
    }

    /// - Parameter model: A model with the entities of the schema, not in use.
    init(_ schema: Schema, _ model: NSManagedObjectModel) {
        self.schema = schema
        self.model = model
        var types: [ObjectIdentifier: ModelType] = [:]
        for entity in schema.entities {
            guard let type = entity.type, let description = model.entitiesByName[entity.name] else { continue }
            let modelType = ModelType(type, description, entity)
            description.representation = modelType
            types[ObjectIdentifier(type)] = modelType
        }
        self.types = types
        // Containers on several threads share the schema. One of them reads the model while another begins to use it.
        model.freeze()
    }
}

extension _ModelCore {
    /// Copies a property of another core of the same entity.
    func copy(_ property: NSPropertyDescription, from other: _ModelCore) {
        setPrimitiveValue(other.primitiveValue(forKey: property.name), forKey: property.name)
    }
}
