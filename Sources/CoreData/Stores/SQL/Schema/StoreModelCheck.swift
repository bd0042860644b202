import Foundation

/// Compares a store with a model: by version hashes, and by structure if a hash is not known exactly.
package struct StoreModelCheck {
    package let model: NSManagedObjectModel
    package let layout: ModelLayout
    package let configurationName: String?
    package let url: URL
    /// Returns the model that the store was created with; nil if it keeps none.
    package let archivedModel: () throws -> NSManagedObjectModel?

    /// The user-info key for the names of the entities that differ: `[String]`.
    package static let entitiesKey = "entities"

    /// Throws Core Data's "incompatible" error, which names the entities that differ.
    package func check(_ metadata: [String: Any]) throws {
        let configuration = configurationName == "PF_DEFAULT_CONFIGURATION_NAME" ? nil : configurationName
        switch model.compatibility(ofConfiguration: configuration, withStoreMetadata: metadata) {
        case .compatible:
            // A hash does not depend on the names of some attributes, and stores of Apple's framework do not record
            // these names.
            let version = StoredVersion(metadata)
            let unnamed = model.entities.filter { version.hashes?[$0.name ?? ""] != nil && !version.tellsNames(in: $0) }
            if unnamed.isEmpty { return }
            let different = entitiesThatDiffer(unnamed.compactMap(\.name))
            if !different.isEmpty { throw Self.incompatible(different, metadata: metadata, url: url) }
        case .undecided(let entities):
            let different = entitiesThatDiffer(entities)
            if !different.isEmpty { throw Self.incompatible(different, metadata: metadata, url: url) }
        case .incompatible(let entities):
            throw Self.incompatible(entities, metadata: metadata, url: url)
        }
    }

    /// Whether a store with these metadata was created with this version of the model.
    package func fits(_ metadata: [String: Any]) throws -> Bool {
        do {
            try check(metadata)
            return true
        } catch let error as NSError where error.code == NSPersistentStoreIncompatibleVersionHashError {
            return false
        }
    }

    /// Compares entities whose hash is not known exactly with the model that the store was created with: everything
    /// that a version hash covers, and the derivation. Without an archived model the tables decide, when they are
    /// opened.
    private func entitiesThatDiffer(_ names: [String]) -> [String] {
        guard let archived = try? archivedModel() else { return [] }
        return names.filter { name in
            guard let mine = model.entitiesByName[name], let theirs = archived.entitiesByName[name] else { return true }
            return Self.facts(of: mine) != Self.facts(of: theirs)
        }
    }

    /// The properties of an entity that determine the layout, one line for each.
    package static func facts(of entity: NSEntityDescription) -> [String] {
        var lines = [
            "\(entity.name ?? "") \(entity.isAbstract) \(entity.superentity?.name ?? "-") "
                + "\(entity.versionHashModifier ?? "")",
            entity.uniquenessConstraintNames.map { $0.joined(separator: ".") }.sorted().joined(separator: ","),
        ]
        for property in entity.properties where !property.isTransient {
            lines.append(facts(of: property))
        }
        return lines.sorted()
    }

    private static func facts(of property: NSPropertyDescription) -> String {
        var line = "\(property.name) \(property.isOptional) \(property.versionHashModifier ?? "")"
        switch property {
        case let composite as NSCompositeAttributeDescription:
            line += " composite {" + composite.elements.map { facts(of: $0) }.sorted().joined(separator: "; ") + "}"
        case let attribute as NSAttributeDescription:
            line += " \(attribute.attributeType.rawValue) \(attribute.allowsExternalBinaryDataStorage)"
            line += " \(attribute.preservesValueInHistoryOnDeletion)"
            if let derived = attribute as? NSDerivedAttributeDescription {
                line += " = \(derived.derivationExpression?.description ?? "")"
            }
        case let relationship as NSRelationshipDescription:
            line += " → \(relationship.destinationEntity?.name ?? "") \(relationship.inverseRelationship?.name ?? "")"
            line += " \(relationship.minCount)…\(relationship.maxCount) \(relationship.isOrdered)"
        default:
            break
        }
        return line
    }

    /// Core Data's error for a store that the model does not fit. The reason names the entities.
    package static func incompatible(_ entities: [String], metadata: [String: Any], url: URL) -> NSError {
        var reason = "The model used to open the store is incompatible with the one used to create the store"
        if url.isFileURL, metadata[NSStoreModelVersionHashesKey] == nil {
            reason =
                "The store “\(url.lastPathComponent)” has lost its metadata: nothing tells which model it was written "
                + "with. NSIgnorePersistentStoreVersioningOption opens it with the model of this coordinator. "
                + SQLStoreMetadata.remedy
        }
        let list = entities.isEmpty ? "" : " (entities that differ: \(entities.joined(separator: ", ")))"
        return .coreData(
            NSPersistentStoreIncompatibleVersionHashError, reason: reason, url: url,
            userInfo: [
                "metadata": metadata, entitiesKey: entities,
                NSLocalizedDescriptionKey:
                    "The managed object model version used to open the persistent store is incompatible with the one "
                    + "that was used to create the persistent store\(list): \(url.path)",
            ])
    }
}

extension StoreOpening {
    /// Throws if the store was created with another version of the model.
    package func requireModel(
        _ metadata: [String: Any], made archived: @escaping () throws -> NSManagedObjectModel?
    ) throws {
        if StoreOptions.bool(options, NSIgnorePersistentStoreVersioningOption) ?? false { return }
        try StoreModelCheck(
            model: layout.model, layout: layout, configurationName: configuration,
            url: url ?? URL(fileURLWithPath: "/dev/null"), archivedModel: archived
        ).check(metadata)
    }
}
