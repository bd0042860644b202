import Foundation
import Synchronization

/// The layouts of all entities of a frozen model, in the numbering that SQLite files have (Z_ENT): depth first, names
/// without case.
package final class ModelLayout: @unchecked Sendable {  // immutable after init
    /// Unowned, because the model holds its layout. Code that keeps the layout has to hold the model.
    package unowned let model: NSManagedObjectModel
    // Unchecked: the initialiser alone changes them, and each new object needs them.
    @exclusivity(unchecked) package private(set) var entities: [EntityLayout] = []
    @exclusivity(unchecked) private var indexByName: [String: Int] = [:]

    private static let nextIdentifier = Atomic<UInt32>(1)

    /// Lays out every entity of the model. The model must have been validated and frozen.
    package init(model: NSManagedObjectModel) {
        self.model = model
        var drafts: [Draft] = []
        for (index, entity) in model.entityNumbering.enumerated() {
            indexByName[entity.name ?? ""] = index
            drafts.append(Draft(entity: entity, index: index))
        }
        for index in drafts.indices {
            guard let parent = drafts[index].entity.superentity, let parentIndex = indexByName[parent.name ?? ""] else {
                drafts[index].rootIndex = index
                continue
            }
            drafts[index].superIndex = parentIndex
            drafts[index].rootIndex = drafts[parentIndex].rootIndex
        }
        // The numbering is depth first, so a subtree is a contiguous range, whose end is found by going backwards.
        for index in drafts.indices.reversed() {
            drafts[index].subtreeEnd = max(drafts[index].subtreeEnd, index + 1)
            if let parent = drafts[index].superIndex {
                drafts[parent].subtreeEnd = max(drafts[parent].subtreeEnd, drafts[index].subtreeEnd)
            }
        }
        declareOwnSlots(&drafts)
        declareHiddenSlots(&drafts)
        assemble(drafts)
        for layout in entities { layout.makeDefaultRow() }
    }

    /// The layout of an entity by its name.
    package func layout(named name: String) -> EntityLayout? {
        indexByName[name].map { entities[$0] }
    }

    /// Whether a layout is one of this model's.
    @inline(__always)
    func has(_ layout: EntityLayout) -> Bool {
        layout.index < entities.count && entities[layout.index] === layout
    }

    /// The layout of an entity description of this model (or of an equal model: matched by name).
    package func layout(of entity: NSEntityDescription) -> EntityLayout? {
        layout(named: entity.name ?? "")
    }

    /// Whether a relationship of this model may lead to an object of a key's entity. Code that follows a relationship
    /// relies on the slots of its destination, so rows from outside have to be checked.
    func mayLead(_ relationship: NSRelationshipDescription, to key: ObjectKey) -> Bool {
        guard let destination = relationship.destinationEntity.flatMap(layout(of:)) else { return true }
        return destination.subtree.contains(key.layoutIndex)
    }

    private struct Draft {
        let entity: NSEntityDescription
        let index: Int
        var rootIndex = 0
        var superIndex: Int?
        var subtreeEnd = 0
        var own: [OwnSlot] = []
        var ownToManys: [NSRelationshipDescription] = []
    }

    private enum OwnSlot {
        case attribute(NSAttributeDescription)
        case element(NSAttributeDescription, of: NSCompositeAttributeDescription, path: [String])
        case toOne(NSRelationshipDescription)
        case companion(NSRelationshipDescription)
        case order(NSRelationshipDescription)
        case owner(NSRelationshipDescription)
        case ownerOrder(NSRelationshipDescription)
    }

    private func declareOwnSlots(_ drafts: inout [Draft]) {
        for index in drafts.indices {
            for property in drafts[index].entity.ownProperties.sorted(by: { $0.name < $1.name }) {
                switch property {
                case let composite as NSCompositeAttributeDescription:
                    for (path, element) in composite.leaves {
                        drafts[index].own.append(.element(element, of: composite, path: path))
                    }
                case let attribute as NSAttributeDescription:
                    drafts[index].own.append(.attribute(attribute))
                case let relationship as NSRelationshipDescription where relationship.isToMany:
                    drafts[index].ownToManys.append(relationship)
                case let relationship as NSRelationshipDescription:
                    drafts[index].own.append(.toOne(relationship))
                    if let destination = destinationIndex(of: relationship),
                        drafts[destination].subtreeEnd > destination + 1
                    {
                        drafts[index].own.append(.companion(relationship))
                    }
                    if relationship.inverseRelationship?.isOrdered == true, !relationship.isTransient {
                        drafts[index].own.append(.order(relationship))
                    }
                default:
                    break
                }
            }
        }
    }

    /// Declares the hidden slots of to-many relationships without an inverse, which keep their owner in the
    /// destination's rows.
    private func declareHiddenSlots(_ drafts: inout [Draft]) {
        for index in drafts.indices {
            for relationship in drafts[index].ownToManys where relationship.inverseRelationship == nil {
                guard !relationship.isTransient, let destination = destinationIndex(of: relationship) else { continue }
                drafts[destination].own.append(.owner(relationship))
                if relationship.isOrdered { drafts[destination].own.append(.ownerOrder(relationship)) }
            }
        }
    }

    private func destinationIndex(of relationship: NSRelationshipDescription) -> Int? {
        relationship.destinationEntity.flatMap { indexByName[$0.name ?? ""] }
    }

    private struct RelationshipName: Hashable {
        let entity: String
        let relationship: String
        init(_ relationship: NSRelationshipDescription) {
            entity = relationship.entity.name ?? ""
            self.relationship = relationship.name
        }
    }

    private func assemble(_ drafts: [Draft]) {
        var slotLists: [[Slot]] = []
        var toOneSlots: [RelationshipName: Int] = [:]
        var orderSlots: [RelationshipName: Int] = [:]
        var ownerSlots: [RelationshipName: Int] = [:]
        var ownerOrderSlots: [RelationshipName: Int] = [:]
        for draft in drafts {
            var slots = draft.superIndex.map { slotLists[$0] } ?? []
            for own in draft.own {
                let number = slots.count
                switch own {
                case .attribute(let attribute):
                    slots.append(
                        Slot(
                            name: attribute.name, kind: SlotKind(attribute.attributeType), role: .attribute(attribute),
                            isPersistent: !attribute.isTransient, declaringIndex: draft.index))
                case .element(let attribute, let composite, let path):
                    slots.append(
                        Slot(
                            name: ([composite.name] + path).joined(separator: "."),
                            kind: SlotKind(attribute.attributeType), role: .attribute(attribute),
                            isPersistent: !attribute.isTransient && !composite.isTransient,
                            declaringIndex: draft.index, composite: composite, elementPath: path))
                case .toOne(let relationship):
                    toOneSlots[RelationshipName(relationship)] = number
                    let destination = destinationIndex(of: relationship)
                    let hasCompanion = destination.map { drafts[$0].subtreeEnd > $0 + 1 } ?? false
                    slots.append(
                        Slot(
                            name: relationship.name, kind: .reference,
                            role: .toOne(relationship, companion: hasCompanion ? number + 1 : nil),
                            isPersistent: !relationship.isTransient, declaringIndex: draft.index,
                            destinationIndex: destination))
                case .companion(let relationship):
                    slots.append(
                        Slot(
                            name: relationship.name, kind: .entityNumber, role: .companion(slot: number - 1),
                            isPersistent: !relationship.isTransient, declaringIndex: draft.index))
                case .order(let relationship):
                    orderSlots[RelationshipName(relationship)] = number
                    slots.append(
                        Slot(
                            name: relationship.name, kind: .order,
                            role: .order(slot: toOneSlots[RelationshipName(relationship)] ?? number),
                            isPersistent: true, declaringIndex: draft.index))
                case .owner(let relationship):
                    ownerSlots[RelationshipName(relationship)] = number
                    slots.append(
                        Slot(
                            name: relationship.name, kind: .reference, role: .owner(relationship), isPersistent: true,
                            declaringIndex: draft.index))
                case .ownerOrder(let relationship):
                    ownerOrderSlots[RelationshipName(relationship)] = number
                    slots.append(
                        Slot(
                            name: relationship.name, kind: .order, role: .order(slot: number - 1), isPersistent: true,
                            declaringIndex: draft.index))
                }
            }
            slotLists.append(slots)
        }

        let toManyIndex = toManyIndexes(drafts)
        let naming = namingSides(drafts)
        var toManyLists: [[ToManySlot]] = []
        for draft in drafts {
            var toManys = draft.superIndex.map { toManyLists[$0] } ?? []
            for relationship in draft.ownToManys {
                let kind: ToManyKind
                let name = RelationshipName(relationship)
                if relationship.isTransient {
                    kind = .transient
                } else if let inverse = relationship.inverseRelationship {
                    if inverse.isToMany {
                        kind = .join(
                            inverse: toManyIndex[RelationshipName(inverse)] ?? 0,
                            isNaming: naming.contains(name))
                    } else {
                        kind = .inverseKey(
                            slot: toOneSlots[RelationshipName(inverse)] ?? 0,
                            order: orderSlots[RelationshipName(inverse)])
                    }
                } else {
                    kind = .ownerKey(slot: ownerSlots[name] ?? 0, order: ownerOrderSlots[name])
                }
                toManys.append(
                    ToManySlot(
                        relationship: relationship, index: toManys.count, kind: kind,
                        destinationIndex: destinationIndex(of: relationship) ?? 0, isOrdered: relationship.isOrdered,
                        declaringIndex: draft.index))
            }
            toManyLists.append(toManys)
        }

        for draft in drafts {
            for number in slotLists[draft.index].indices {
                guard case .toOne(let relationship, _) = slotLists[draft.index][number].role,
                    let inverse = relationship.inverseRelationship
                else { continue }
                slotLists[draft.index][number].inverse =
                    inverse.isToMany
                    ? toManyIndex[RelationshipName(inverse)].map { .toMany(index: $0) }
                    : toOneSlots[RelationshipName(inverse)].map { .toOne(slot: $0) }
            }
            var access: [String: PropertyAccess] = [:]
            for (number, slot) in slotLists[draft.index].enumerated() {
                switch slot.role {
                case .attribute where slot.composite == nil: access[slot.name] = .attribute(slot: number)
                case .attribute: break
                case .toOne: access[slot.name] = .toOne(slot: number)
                case .companion, .order, .owner: break
                }
            }
            for toMany in toManyLists[draft.index] { access[toMany.relationship.name] = .toMany(index: toMany.index) }
            for property in draft.entity.propertiesByName.values {
                switch property {
                case let fetched as NSFetchedPropertyDescription: access[fetched.name] = .fetched(fetched)
                case let composite as NSCompositeAttributeDescription:
                    access[composite.name] = .composite(
                        Self.access(to: composite, at: [composite.name], slotLists[draft.index]))
                default: break
                }
            }
            entities.append(
                EntityLayout(
                    entity: draft.entity, index: draft.index, rootIndex: draft.rootIndex, superIndex: draft.superIndex,
                    subtreeEnd: draft.subtreeEnd, slots: slotLists[draft.index], toManys: toManyLists[draft.index],
                    access: access, model: self,
                    identifier: Self.nextIdentifier.wrappingAdd(1, ordering: .relaxed).newValue))
        }
    }

    private static func access(
        to composite: NSCompositeAttributeDescription, at path: [String], _ slots: [Slot]
    ) -> CompositeAccess {
        var elements: [String: PropertyAccess] = [:]
        for element in composite.elements {
            let name = (path + [element.name]).joined(separator: ".")
            if let inner = element as? NSCompositeAttributeDescription {
                elements[element.name] = .composite(access(to: inner, at: path + [element.name], slots))
            } else if let slot = slots.firstIndex(where: { $0.composite != nil && $0.name == name }) {
                elements[element.name] = .attribute(slot: slot)
            }
        }
        return CompositeAccess(name: path.joined(separator: "."), elements: elements)
    }

    private func toManyIndexes(_ drafts: [Draft]) -> [RelationshipName: Int] {
        var counts: [Int] = []
        var indexes: [RelationshipName: Int] = [:]
        for draft in drafts {
            var count = draft.superIndex.map { counts[$0] } ?? 0
            for relationship in draft.ownToManys {
                indexes[RelationshipName(relationship)] = count
                count += 1
            }
            counts.append(count)
        }
        return indexes
    }

    /// The side of each many-to-many pair that names the join table in a file: entities by name without case, in each
    /// its to-many properties, inherited ones included, by name; the first one found names the pair. If both ends are
    /// in one entity, the end with the greater name names it.
    private func namingSides(_ drafts: [Draft]) -> Set<RelationshipName> {
        var naming: Set<RelationshipName> = []
        var seen: Set<RelationshipName> = []
        let byName = drafts.map { (key: ($0.entity.name ?? "").lowercased(), entity: $0.entity) }
            .sorted { $0.key < $1.key }.map(\.entity)
        for entity in byName {
            let toManys = entity.propertiesByName.values.compactMap { $0 as? NSRelationshipDescription }
                .filter { $0.isToMany && !$0.isTransient && $0.inverseRelationship?.isToMany == true }
                .sorted { $0.name < $1.name }
            for relationship in toManys {
                let name = RelationshipName(relationship)
                guard let inverse = relationship.inverseRelationship, !seen.contains(name) else { continue }
                seen.insert(name)
                seen.insert(RelationshipName(inverse))
                let isSameEntity = name.entity == RelationshipName(inverse).entity
                naming.insert(isSameEntity && inverse.name > relationship.name ? RelationshipName(inverse) : name)
            }
        }
        return naming
    }
}

extension SlotKind {
    /// The kind of slot that holds an attribute of the given type.
    package init(_ type: NSAttributeType) {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: self = .integer
        case .booleanAttributeType: self = .boolean
        case .doubleAttributeType: self = .double
        case .floatAttributeType: self = .float
        case .decimalAttributeType: self = .decimal
        case .stringAttributeType: self = .string
        case .URIAttributeType: self = .uri
        case .UUIDAttributeType: self = .uuid
        case .dateAttributeType: self = .date
        case .binaryDataAttributeType: self = .data
        case .objectIDAttributeType: self = .uri
        case .undefinedAttributeType, .transformableAttributeType, .compositeAttributeType: self = .transformable
        }
    }
}
