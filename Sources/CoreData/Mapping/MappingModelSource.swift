import Foundation

/// A mapping model in Xcode's form: a folder `Name.xcmappingmodel` with an XML store `xcmapping.xml`.
///
/// It has only the entries of a developer: which entities correspond, policies, and expressions that are not the usual
/// ones. The rest follows from the two models. The file has their paths, and copies of them from the last time Xcode
/// read them.
package struct MappingModelSource {
    struct Entity {
        var name: String?
        var number: Int
        var source: String?
        var destination: String?
        var policy: String?
        var userInfo: [AnyHashable: Any]?
        var sourceExpression: NSExpression?
        var filter: String?
        var attributes: [Property] = []
        var relationships: [Property] = []

        var mappingName: String { name ?? NSEntityMapping.defaultName(source: source, destination: destination) }
    }

    struct Property {
        var name: String
        /// The expression that the developer entered; nil for the usual one.
        var expression: NSExpression?
        /// For relationships: whether Xcode makes the expression.
        var isAutomatic: Bool
        var userInfo: [AnyHashable: Any]?
    }

    private(set) var entities: [Entity] = []
    /// The paths of the two models in the project, such as `Shop/Shop.xcdatamodeld/Shop 2.xcdatamodel`.
    package private(set) var sourceModelPath: String?
    package private(set) var destinationModelPath: String?
    /// The classes of policies that entity mappings name, each with the newer entity or, without one, the older.
    package var policies: [(entity: String, policy: String)] {
        entities.compactMap { entity in
            entity.policy.flatMap { ["", "NSEntityMigrationPolicy"].contains($0) ? nil : $0 }
                .map { (entity.destination ?? entity.source ?? "", $0) }
        }
    }
    /// The two models as archives, if Xcode has put them into the file.
    private var sourceModelArchive: Data?
    private var destinationModelArchive: Data?
    /// The file that errors name.
    private let file: String

    /// Reads the folder, or the XML file itself. Errors name the file and, if they concern an entity, the entity.
    package init(at url: URL) throws {
        let file = ModelFile.isDirectory(url) ? url.appendingPathComponent("xcmapping.xml") : url
        try FileKind.requireReadable(file)
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch let failure as NSError {
            throw NSError.coreData(
                failure.domain == NSCocoaErrorDomain ? failure.code : NSCoreDataError,
                reason: "The mapping model '\(file.path)' cannot be read.", url: url, underlying: failure)
        }
        try self.init(data, file: file.path)
    }

    /// Reads the content of the XML file, which errors name.
    package init(_ data: Data, file: String) throws {
        self.file = file
        let store = try XMLStoreObjects(data, file: file)
        guard let model = store.objects(of: "XDDEVMAPPINGMODEL").first else {
            throw modelError("The store holds no mapping model.", file: file)
        }
        sourceModelPath = model.text("sourcemodelpath")
        destinationModelPath = model.text("destinationmodelpath")
        sourceModelArchive = model.data("sourcemodeldata")
        destinationModelArchive = model.data("destinationmodeldata")
        let objects = Dictionary(store.objects.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        entities = try store.objects(of: "XDDEVENTITYMAPPING").map { object in
            do {
                return try Self.entity(object, objects)
            } catch let failure as NSError {
                throw modelError(
                    failure.localizedDescription, entity: object.text("destinationname") ?? object.text("sourcename"),
                    file: file)
            }
        }
        .sorted { $0.number < $1.number }
    }

    private static func entity(
        _ object: XMLStoreObjects.Object, _ objects: [String: XMLStoreObjects.Object]
    ) throws -> Entity {
        var entity = Entity(number: object.text("mappingnumber").flatMap { Int($0) } ?? 0)
        entity.name = object.text("name")
        entity.source = object.text("sourcename")
        entity.destination = object.text("destinationname")
        entity.policy = object.text("migrationpolicyclassname")
        entity.userInfo = try userInfo(object)
        entity.sourceExpression = try expression(object.data("sourceexpressiondata"))
        entity.filter = object.text("sourcefilterpredicatestring")
        func properties(_ relationship: String) throws -> [Property] {
            try (object.relationships[relationship] ?? []).compactMap { try objects[$0].map(property) }
                .sorted { $0.name < $1.name }
        }
        entity.attributes = try properties("attributemappings")
        entity.relationships = try properties("relationshipmappings")
        return entity
    }

    private static func property(_ object: XMLStoreObjects.Object) throws -> Property {
        var entered = try expression(object.data("valueexpressiondata"))
        if entered == nil, let path = object.text("sourcekeypath"), let mapping = object.text("sourcemappingname") {
            entered = MappingExpressions.instances(ofMapping: mapping, from: NSExpression(format: path))
        }
        return Property(
            name: object.text("name") ?? "", expression: entered,
            isAutomatic: object.flag("autogenerateexpression"), userInfo: try userInfo(object))
    }

    private static func expression(_ data: Data?) throws -> NSExpression? {
        guard let data, !data.isEmpty else { return nil }
        let archive = try KeyedArchive(data)
        return try ModelDecoder(archive: archive).decodeExpression(archive.root())
    }

    /// User information is kept as a property list or an archive. Other data stay as they are for the application.
    private static func userInfo(_ object: XMLStoreObjects.Object) throws -> [AnyHashable: Any]? {
        guard let data = object.data("userinfodata"), !data.isEmpty, let archive = try? KeyedArchive(data),
            let value = try? archive.value(archive.top)
        else { return nil }
        return value as? [AnyHashable: Any]
    }
}

extension MappingModelSource {
    /// The mapping model between the models that `find` has for the two paths. If it finds none, cannot read it, or
    /// finds one without an entity that the mapping model names, the copy in the mapping model's own file takes its
    /// place.
    ///
    /// Throws if neither is of use: the error of `find`, or one that names the path.
    package func mappingModel(_ find: (String) throws -> NSManagedObjectModel?) throws -> NSMappingModel {
        try mappingModel(
            from: model(sourceModelPath, archive: sourceModelArchive, naming: entities.compactMap(\.source), find),
            to: model(
                destinationModelPath, archive: destinationModelArchive, naming: entities.compactMap(\.destination), find
            ))
    }

    private func model(
        _ path: String?, archive: Data?, naming entities: [String], _ find: (String) throws -> NSManagedObjectModel?
    ) throws -> NSManagedObjectModel {
        let found = Result { try path.flatMap { try find($0) } }
        if case .success(let model?) = found, archive == nil || model.has(entities) { return model }
        if let archive, !archive.isEmpty {
            do {
                return try XcodeModelArchive.model(in: archive, file: file)
            } catch let failure as NSError {
                // The error about the found model explains the problem better.
                if let model = try found.get() { return model }
                throw modelError(
                    "The copy of the model '\(path ?? "")' in the mapping model cannot be read: "
                        + failure.localizedDescription, file: file)
            }
        }
        _ = try found.get()
        guard let path else {
            throw modelError("The mapping model does not say which models it leads between.", file: file)
        }
        throw modelError(
            "The model '\(path)' is not near the mapping model, which has no copy of it and is of no use without.",
            file: file)
    }

    /// The mapping model between two models. Its hashes are theirs. Expressions that the developer did not enter are
    /// made by Xcode's rules. Throws for an entity that a model does not have.
    package func mappingModel(
        from source: NSManagedObjectModel, to destination: NSManagedObjectModel
    ) throws -> NSMappingModel {
        let (older, newer) = (source.entitiesByName, destination.entitiesByName)
        let (olderHashes, newerHashes) = (source.entityVersionHashesByName, destination.entityVersionHashesByName)
        let model = NSMappingModel()
        model.entityMappings = try entities.map { entity in
            let mapping = NSEntityMapping()
            mapping.name = entity.mappingName
            mapping.entityMigrationPolicyClassName = entity.policy
            mapping.userInfo = entity.userInfo
            mapping.sourceEntityName = entity.source
            mapping.destinationEntityName = entity.destination
            mapping.sourceEntityVersionHash = entity.source.flatMap { olderHashes[$0] }
            mapping.destinationEntityVersionHash = entity.destination.flatMap { newerHashes[$0] }
            mapping.mappingType = Self.type(of: entity, mapping)
            let old = try entity.source.map { name in
                guard let found = older[name] else { throw Self.missing(name, "source") }
                return found
            }
            let new = try entity.destination.map { name in
                guard let found = newer[name] else { throw Self.missing(name, "destination") }
                return found
            }
            if let name = entity.source {
                mapping.sourceExpression =
                    entity.sourceExpression
                    ?? MappingExpressions.objects(of: name, predicate: entity.filter ?? "TRUEPREDICATE")
            }
            mapping.attributeMappings = entity.attributes.map { property in
                Self.mapping(property, property.expression ?? Self.usual(property.name, from: old, to: new))
            }
            mapping.relationshipMappings = entity.relationships.map { property in
                let origin = property.isAutomatic ? old?.relationshipsByName[property.name] : nil
                return Self.mapping(property, property.expression ?? origin.map { usual($0) })
            }
            return mapping
        }
        return model
    }

    /// The type of a mapping. Xcode's mapping models do not contain it, so it is inferred from their content.
    private static func type(of entity: Entity, _ mapping: NSEntityMapping) -> NSEntityMappingType {
        if entity.policy != nil { return .customEntityMappingType }
        if entity.source == nil { return .addEntityMappingType }
        if entity.destination == nil { return .removeEntityMappingType }
        return mapping.sourceEntityVersionHash == mapping.destinationEntityVersionHash
            ? .copyEntityMappingType : .transformEntityMappingType
    }

    /// The expression for the attribute of the same name, if it exists and the new attribute can have its values.
    private static func usual(
        _ name: String, from old: NSEntityDescription?, to new: NSEntityDescription?
    ) -> NSExpression? {
        guard let before = old?.attributesByName[name], let after = new?.attributesByName[name],
            before.attributeValueClassName == after.attributeValueClassName,
            before.valueTransformerName == after.valueTransformerName
        else { return nil }
        return MappingExpressions.source(name)
    }

    /// The destinations of the objects to which the relationship of the same name leads: by the entity mapping that has
    /// them, or by any if several have some.
    private func usual(_ relationship: NSRelationshipDescription) -> NSExpression {
        var family: Set<String> = []
        var pending = [relationship.destinationEntity].compactMap(\.self)
        while let entity = pending.popLast() {
            family.insert(entity.name ?? "")
            pending += entity.subentities
        }
        let candidates = entities.filter { $0.source.map(family.contains) == true && $0.destination != nil }
        guard candidates.count == 1 else { return MappingExpressions.relationship(relationship.name) }
        return MappingExpressions.instances(
            ofMapping: candidates[0].mappingName, from: MappingExpressions.source(relationship.name))
    }

    private static func mapping(_ property: Property, _ expression: NSExpression?) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = property.name
        mapping.valueExpression = expression
        mapping.userInfo = property.userInfo
        return mapping
    }

    private static func missing(_ name: String, _ side: String) -> NSError {
        modelError("The \(side) model of the mapping model has no entity of this name.", entity: name)
    }

    /// Whether the two models have every entity, attribute and relationship that the mapping model names, and no common
    /// entity that it leaves out.
    func fits(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) -> Bool {
        misfits(source, destination).isEmpty
    }

    /// The reason why a mapping model does not fit two versions.
    package enum Misfit {
        /// The older version lacks an entity that the mapping model names.
        case missingSource(entity: String)
        /// The newer version lacks an entity that the mapping model names, or a property of it.
        case missing(entity: String, property: String?)
        /// The mapping model has no entry for a property of the newer version, or for an entity of both.
        case leftOut(entity: String, property: String?)
    }

    /// The reasons why the mapping model does not fit two versions.
    package func misfits(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) -> [Misfit] {
        let (older, newer) = (source.entitiesByName, destination.entitiesByName)
        var found: [Misfit] = []
        for entity in entities {
            if let name = entity.source, older[name] == nil { found.append(.missingSource(entity: name)) }
            guard let name = entity.destination else { continue }
            guard let properties = newer[name]?.propertiesByName else {
                found.append(.missing(entity: name, property: nil))
                continue
            }
            let mentioned = Set((entity.attributes + entity.relationships).map(\.name))
            found += mentioned.filter { properties[$0] == nil }.sorted().map { .missing(entity: name, property: $0) }
            let present = properties.values.filter {
                ($0 is NSAttributeDescription || $0 is NSRelationshipDescription)
                    && !($0 is NSDerivedAttributeDescription)
            }
            found += present.filter { !mentioned.contains($0.name) && !$0.isTransient }.map(\.name).sorted()
                .map { .leftOut(entity: name, property: $0) }
        }
        let kept = MappingModelFile.entitiesInBoth(source, destination)
        let mapped = Set(entities.compactMap(\.source)).intersection(entities.compactMap(\.destination))
        return found + kept.subtracting(mapped).sorted().map { .leftOut(entity: $0, property: nil) }
    }
}

extension NSManagedObjectModel {
    fileprivate func has(_ entities: [String]) -> Bool {
        let known = entitiesByName
        return entities.allSatisfy { known[$0] != nil }
    }
}
