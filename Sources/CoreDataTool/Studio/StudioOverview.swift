import CoreData
import Foundation

/// The facts about the store that the page needs at its start.
struct StudioOverview {
    let session: StudioSession
    let model: StudioModel

    func json() throws -> JSON {
        let (counts, mirror) = try session.perform {
            (try session.counts(), try session.store.mirror(session.context))
        }
        let entities = Dictionary(uniqueKeysWithValues: counts.map { ($0.name, $0.count) })
        let current = model.current
        return .object([
            ("store", .string(session.store.shown)), ("kind", .string(session.store.address.type)),
            ("identifier", .optional(session.store.metadata[NSStoreUUIDKey] as? String)),
            ("isWritable", .bool(session.isWritable)), ("keepsHistory", .bool(session.keepsHistory)),
            ("mirror", mirror.map { .string("\($0)") } ?? .null),
            ("version", .optional(current?.name)),
            (
                "versions",
                .array(
                    model.versions.map { version in
                        .object([
                            ("name", .string(version.name)), ("isCurrent", .bool(version.isCurrent)),
                            ("isStore", .bool(version.name == current?.name)),
                        ])
                    })
            ),
            (
                "entities",
                .array(
                    session.store.model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") }
                        .map { json($0, entities[$0.name ?? ""] ?? 0) })
            ),
        ])
    }

    private func json(_ entity: NSEntityDescription, _ count: Int) -> JSON {
        .object([
            ("name", .string(entity.name ?? "")), ("parent", .optional(entity.superentity?.name)),
            ("isAbstract", .bool(entity.isAbstract)), ("count", .integer(Int64(count))),
            ("attributes", .array(entity.sortedProperties(NSAttributeDescription.self).map(json))),
            ("relationships", .array(entity.sortedProperties(NSRelationshipDescription.self).map(json))),
            (
                "fetchedProperties",
                .array(entity.sortedProperties(NSFetchedPropertyDescription.self).map { .string($0.name) })
            ),
            ("indexes", .array(entity.indexes.map { .string(ModelFacts.text($0)) })),
            (
                "constraints",
                .array(ModelFacts.constraints(of: entity).map { .array($0.map { .string($0) }) })
            ),
        ])
    }

    private func json(_ attribute: NSAttributeDescription) -> JSON {
        let elements = (attribute as? NSCompositeAttributeDescription)?.elements ?? []
        return .object([
            ("name", .string(attribute.name)), ("type", .string(attribute.attributeType.readableName)),
            ("isOptional", .bool(attribute.isOptional)),
            ("isDerived", .bool(attribute is NSDerivedAttributeDescription)),
            ("isTransient", .bool(attribute.isTransient)),
            ("isExternal", .bool(attribute.allowsExternalBinaryDataStorage)),
            ("isNumber", .bool(attribute.attributeType.isNumber)),
            ("elements", .array(elements.map { .string($0.name) })),
        ])
    }

    private func json(_ relationship: NSRelationshipDescription) -> JSON {
        .object([
            ("name", .string(relationship.name)), ("destination", .optional(relationship.destinationEntity?.name)),
            ("isToMany", .bool(relationship.isToMany)), ("isOrdered", .bool(relationship.isOrdered)),
            ("isOptional", .bool(relationship.isOptional)),
            ("inverse", .optional(relationship.inverseRelationship?.name)),
            ("deleteRule", .string(relationship.deleteRule.title)),
        ])
    }
}
