import Foundation

/// Mapping models as keyed archives: the content of a `.cdm` file.
package enum MappingModelArchive {
    /// The mapping model in an archive. Throws an error that describes the problem; the data may be any bytes.
    package static func decode(_ data: Data) throws -> NSMappingModel {
        let archive = try KeyedArchive(data)
        let root = try archive.root()
        guard root.isKind(of: "NSMappingModel") else {
            throw archiveError("The archive holds an object of the class '\(root.className)', not a mapping model.")
        }
        let decoder = ModelDecoder(archive: archive)
        let model = NSMappingModel()
        model.entityMappings = try root.elements("NSEntityMappings").compactMap { element in
            try archive.object(element).map { try entityMapping($0, decoder) }
        }
        return model
    }

    private static func entityMapping(_ archived: ArchivedObject, _ decoder: ModelDecoder) throws -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.name = try archived.string("NSMappingName") ?? ""
        mapping.mappingType =
            try archived.integer("NSMappingType").flatMap { UInt(exactly: $0) }
            .flatMap { NSEntityMappingType(rawValue: $0) } ?? .undefinedEntityMappingType
        mapping.sourceEntityName = try archived.string("NSSourceEntityName")
        mapping.sourceEntityVersionHash =
            try archived.archive.value(archived.fields["NSSourceEntityVersionHash"]) as? Data
        mapping.destinationEntityName = try archived.string("NSDestinationEntityName")
        mapping.destinationEntityVersionHash =
            try archived.archive.value(archived.fields["NSDestinationEntityVersionHash"]) as? Data
        mapping.entityMigrationPolicyClassName = try archived.string("NSEntityMigrationPolicyClassName")
        mapping.sourceExpression = try archived.object("NSSourceExpression").map { try decoder.decodeExpression($0) }
        mapping.attributeMappings = try properties("NSAttributeMappings", of: archived, decoder)
        mapping.relationshipMappings = try properties("NSRelationshipMappings", of: archived, decoder)
        mapping.userInfo = try decoder.userInfo(archived)
        return mapping
    }

    private static func properties(
        _ key: String, of archived: ArchivedObject, _ decoder: ModelDecoder
    ) throws -> [NSPropertyMapping] {
        try archived.elements(key).compactMap { element in
            guard let object = try archived.archive.object(element) else { return nil }
            let mapping = NSPropertyMapping()
            mapping.name = try object.string("NSDestinationPropertyName")
            mapping.valueExpression = try object.object("NSValueExpression").map { try decoder.decodeExpression($0) }
            mapping.userInfo = try decoder.userInfo(object)
            return mapping
        }
    }

    /// The archive of a mapping model. Throws for expressions that no archive can hold, naming entity and property.
    package static func encode(_ model: NSMappingModel) throws -> Data {
        // Expressions are archived in a mapping model as they are in a model.
        var encoder = ModelEncoder(model: NSManagedObjectModel(), form: .file)
        var mappings: [(key: String, value: PropertyListValue)] = []
        for mapping in model.entityMappings ?? [] {
            do {
                mappings.append((mapping.name ?? "", try add(mapping, &encoder)))
            } catch let failure as NSError {
                throw modelError(failure.localizedDescription, entity: mapping.destinationEntityName)
            }
        }
        let root = encoder.writer.add(
            ["NSMappingModel", "NSObject"],
            [
                "NSEntityMappings": encoder.writer.add(array: mappings.map(\.value)),
                "NSEntityMappingsByName": encoder.writer.add(dictionary: mappings),
            ])
        return encoder.writer.archive(root: root)
    }

    private static func add(_ mapping: NSEntityMapping, _ encoder: inout ModelEncoder) throws -> PropertyListValue {
        var fields: [String: PropertyListValue] = [
            "NSMappingName": encoder.writer.add(string: mapping.name),
            "NSMappingType": .integer(Int64(mapping.mappingType.rawValue)),
            "NSSourceEntityName": encoder.writer.add(string: mapping.sourceEntityName),
            "NSDestinationEntityName": encoder.writer.add(string: mapping.destinationEntityName),
            "NSEntityMigrationPolicyClassName": encoder.writer.add(string: mapping.entityMigrationPolicyClassName),
        ]
        fields["NSSourceEntityVersionHash"] = add(mapping.sourceEntityVersionHash, &encoder)
        fields["NSDestinationEntityVersionHash"] = add(mapping.destinationEntityVersionHash, &encoder)
        fields["NSSourceExpression"] =
            try mapping.sourceExpression.map { try encoder.add(expression: $0) } ?? KeyedArchiveWriter.null
        fields["NSAttributeMappings"] = try add(mapping.attributeMappings ?? [], &encoder)
        fields["NSRelationshipMappings"] = try add(mapping.relationshipMappings ?? [], &encoder)
        fields["NSUserInfo"] = try mapping.userInfo.map { try encoder.add(userInfo: $0) } ?? KeyedArchiveWriter.null
        return encoder.writer.add(["NSEntityMapping", "NSObject"], fields)
    }

    private static func add(_ data: Data?, _ encoder: inout ModelEncoder) -> PropertyListValue {
        data.map { encoder.writer.add(scalar: .data($0)) } ?? KeyedArchiveWriter.null
    }

    private static func add(
        _ properties: [NSPropertyMapping], _ encoder: inout ModelEncoder
    ) throws -> PropertyListValue {
        var elements: [PropertyListValue] = []
        for property in properties {
            let expression = try property.valueExpression.map { try encoder.add(expression: $0) }
            let info = try property.userInfo.map { try encoder.add(userInfo: $0) }
            elements.append(
                encoder.writer.add(
                    ["NSPropertyMapping", "NSObject"],
                    [
                        "NSDestinationPropertyName": encoder.writer.add(string: property.name),
                        "NSValueExpression": expression ?? KeyedArchiveWriter.null,
                        "NSPropertyTransforms": KeyedArchiveWriter.null,
                        "NSUserInfo": info ?? KeyedArchiveWriter.null,
                    ]))
        }
        return encoder.writer.add(array: elements)
    }
}
