import CoreData
import Foundation

/// Decides whether a store has an unsettled rule in another way than the schema, and gives the schema the store's form.
///
/// Some rules of Apple's SwiftData are not known: whether an annotated relationship has an inverse, how a collection of
/// `Codable` values is kept, how wide a number is. A store that has it otherwise keeps its form, by its own model.
struct StoreAdoption {
    let schema: Schema
    let url: URL

    /// The models that were adopted. They stay for ever, as those of schemas do.
    private static let adopted = Locked<[Key: ManagedSchema]>([:])

    private struct Key: Hashable {
        let schema: Schema
        let hashes: [String: Data]
    }

    /// The schema in the store's form; nil if its own form fits, or if the store is of another version.
    func managedSchema() throws -> ManagedSchema? {
        guard
            let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url),
            let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        else { return nil }
        let own = try ManagedSchema.of(schema).model
        if own.entityVersionHashesByName == hashes || Set(own.entityVersionHashesByName.keys) != Set(hashes.keys) {
            return nil
        }
        let key = Key(schema: schema, hashes: hashes)
        if let known = Self.adopted.withLock({ $0[key] }) { return known }
        guard let theirs = try? NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url),
            theirs.entityVersionHashesByName == hashes, differsByUnsettledRules(own, theirs),
            let model = theirs.copy() as? NSManagedObjectModel
        else { return nil }
        let new = ManagedSchema(schema, model)
        return Self.adopted.withLock { adopted in
            if let known = adopted[key] { return known }
            adopted[key] = new
            return new
        }
    }

    private func differsByUnsettledRules(_ own: NSManagedObjectModel, _ theirs: NSManagedObjectModel) -> Bool {
        schema.entities.allSatisfy { entity in
            guard let mine = own.entitiesByName[entity.name], let other = theirs.entitiesByName[entity.name],
                Set(mine.propertiesByName.keys) == Set(other.propertiesByName.keys),
                mine.superentity?.name == other.superentity?.name,
                Set(mine.uniquenessConstraints.map { "\($0)" }) == Set(other.uniquenessConstraints.map { "\($0)" })
            else { return false }
            return mine.propertiesByName.allSatisfy { name, property in
                guard let stored = other.propertiesByName[name] else { return false }
                return property.versionHash == stored.versionHash || isUnsettled(property, stored, entity)
            }
        }
    }

    private func isUnsettled(
        _ own: NSPropertyDescription, _ stored: NSPropertyDescription, _ entity: Schema.Entity
    ) -> Bool {
        guard own.isOptional == stored.isOptional, own.isTransient == stored.isTransient,
            own.versionHashModifier ?? "" == stored.versionHashModifier ?? ""
        else { return false }
        switch (own, stored) {
        case (let own as NSRelationshipDescription, let stored as NSRelationshipDescription):
            // The inverse of a side that the program has annotated without naming it.
            let isSettled = entity.relationshipsByName[own.name]?.inverseKeyPath != nil
            return !isSettled && own.maxCount == stored.maxCount && own.minCount == stored.minCount
                && own.destinationEntity?.name == stored.destinationEntity?.name
        case (let own as NSAttributeDescription, let stored as NSAttributeDescription):
            guard let type = entity.attributesByName[own.name]?.valueType else { return false }
            return Self.canHold(ValueKind.of(type), stored)
        default: return false
        }
    }

    /// Whether an attribute of a store can have the values of a type of an unsettled kind.
    private static func canHold(_ kind: ValueKind, _ stored: NSAttributeDescription) -> Bool {
        switch kind {
        case .archive, .json:
            [.binaryDataAttributeType, .transformableAttributeType].contains(stored.attributeType)
        case .scalar(let own):
            integers.contains(own) && integers.contains(stored.attributeType)
        case .enumeration(let cases):
            (stored as? NSCompositeAttributeDescription).map { composite in
                composite.elements.map(\.name) == cases.map(\.name)
            } ?? (stored.attributeType == .binaryDataAttributeType)
        case .rawEnumeration(let raw): stored.attributeType == raw
        case .structure: stored.attributeType == .binaryDataAttributeType
        case .none: false
        }
    }

    private static let integers: [NSAttributeType] = [
        .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
    ]
}
