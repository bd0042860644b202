import CoreData

/// The description of a model by its public properties, a line for each of them.
package enum ModelText {
    package static func lines(_ model: NSManagedObjectModel) -> [String] {
        var lines = model.entities.flatMap(lines(of:))
        for (name, hash) in model.entityVersionHashesByName {
            lines.append("hash \(name): \(hash.base64EncodedString())")
        }
        lines.append("checksum \(model.versionChecksum)")
        for name in model.configurations {
            let members = model.entities(forConfigurationName: name)?.compactMap(\.name).sorted() ?? []
            lines.append("configuration \(name): \(members.joined(separator: ", "))")
        }
        for (name, request) in model.fetchRequestTemplatesByName {
            lines.append("request \(name): \(request.entityName ?? "nil") \(request.predicate?.description ?? "all")")
            lines.append("request \(name): " + flags(of: request))
        }
        return lines.sorted()
    }

    private static func flags(of request: NSFetchRequest<any NSFetchRequestResult>) -> String {
        "result \(request.resultType.rawValue), limit \(request.fetchLimit), batches of \(request.fetchBatchSize)"
            + (request.includesSubentities ? ", subentities" : "")
            + (request.includesPropertyValues ? ", values" : "")
            + (request.includesPendingChanges ? ", pending changes" : "")
            + (request.returnsObjectsAsFaults ? ", faults" : "") + (request.returnsDistinctResults ? ", distinct" : "")
    }

    private static func userInfo(_ table: [AnyHashable: Any]?, of owner: String) -> [String] {
        (table ?? [:]).map { "user info \(owner): \($0.key) = \($0.value)" }
    }

    /// The conditions, and the codes or texts of the errors, that a value must satisfy.
    private static func conditions(_ property: NSPropertyDescription, of owner: String) -> [String] {
        zip(property.validationPredicates, property.validationWarnings).map {
            "validation \(owner): \($0.description); \($1)"
        }
    }

    private static func lines(of entity: NSEntityDescription) -> [String] {
        let name = entity.name ?? "nil"
        var lines = [
            "entity \(name): class \(entity.managedObjectClassName ?? "nil"), of \(entity.superentity?.name ?? "nil")"
                + (entity.isAbstract ? ", abstract" : "") + renaming(entity.renamingIdentifier, name)
        ]
        for property in entity.properties where entity.superentity?.propertiesByName[property.name] == nil {
            lines.append(
                "\(name).\(property.name): \(text(property))\(renaming(property.renamingIdentifier, property.name))")
            lines += conditions(property, of: "\(name).\(property.name)")
            lines += userInfo(property.userInfo, of: "\(name).\(property.name)")
        }
        lines += userInfo(entity.userInfo, of: name)
        for index in entity.indexes {
            let elements = index.elements.map { element in
                "\(element.propertyName ?? "expression") \(element.collationType.rawValue) "
                    + (element.isAscending ? "ascending" : "descending")
            }
            lines.append(
                "index \(name).\(index.name): \(elements.joined(separator: ", "))"
                    + (index.partialIndexPredicate.map { ", where \($0.description)" } ?? ""))
        }
        for constraint in entity.uniquenessConstraints {
            let names = constraint.compactMap { ($0 as? String) ?? ($0 as? NSAttributeDescription)?.name }
            lines.append("unique \(name): \(names.joined(separator: ", "))")
        }
        return lines
    }

    private static func renaming(_ identifier: String?, _ name: String) -> String {
        identifier.map { $0 == name ? "" : ", formerly \($0)" } ?? ""
    }

    private static func text(_ property: NSPropertyDescription) -> String {
        let flags = (property.isOptional ? ", optional" : "") + (property.isTransient ? ", transient" : "")
        switch property {
        case let relationship as NSRelationshipDescription:
            let isMany = relationship.isToMany
            return "to \(relationship.destinationEntity?.name ?? "nil"), "
                + "inverse \(relationship.inverseRelationship?.name ?? "nil"), "
                + "\(relationship.minCount) to \(relationship.maxCount)\(isMany ? ", many" : "")"
                + (relationship.isOrdered ? ", ordered" : "") + ", rule \(relationship.deleteRule.rawValue)" + flags
        case let attribute as NSAttributeDescription:
            let value = attribute.defaultValue.map { PropertyText.text($0, of: attribute) } ?? "nil"
            let composite = (attribute as? NSCompositeAttributeDescription)?.elements.map { "\($0.name) \(text($0))" }
            return "type \(attribute.attributeType.rawValue), default \(value)"
                + (attribute.valueTransformerName.map { ", by \($0)" } ?? "")
                + (attribute.allowsExternalBinaryDataStorage ? ", external" : "")
                + (attribute.preservesValueInHistoryOnDeletion ? ", kept in history" : "")
                + ((attribute as? NSDerivedAttributeDescription).map {
                    ", derived by \($0.derivationExpression?.description ?? "nil")"
                } ?? "")
                + (composite.map { ", of (\($0.joined(separator: "; ")))" } ?? "") + flags
        default: return "other" + flags
        }
    }
}
