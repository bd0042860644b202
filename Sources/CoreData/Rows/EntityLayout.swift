import Foundation
import Synchronization

/// The purpose of a slot.
package enum SlotRole {
    case attribute(NSAttributeDescription)
    /// A to-one relationship; `companion` is the slot that holds the concrete entity when the destination has
    /// sub-entities.
    case toOne(NSRelationshipDescription, companion: Int?)
    /// The concrete entity of the row that the reference in `slot` leads to.
    case companion(slot: Int)
    /// The position of this row among the members of the owner that the reference in `slot` leads to (ordered to-many).
    case order(slot: Int)
    /// The key of the owner of a to-many relationship that has no inverse; it is kept in the member's row.
    case owner(NSRelationshipDescription)
}

/// One place of a row: an attribute, a to-one key, or a hidden value that relationships need.
package struct Slot {
    package let name: String
    package let kind: SlotKind
    package let role: SlotRole
    /// False for transient properties, which have a slot but are never read from a store or written to it.
    package let isPersistent: Bool
    /// The layout that declares the slot.
    package let declaringIndex: Int
    /// The layout of a to-one relationship's destination entity.
    package var destinationIndex: Int?
    /// The other side of a to-one relationship, also valid for the destination's sub-entities.
    package var inverse: InverseSide?
    /// The composite attribute that contains the attribute at any depth. `elementPath` leads from it to the attribute,
    /// and the slot's name is the whole key path.
    package var composite: NSCompositeAttributeDescription?
    package var elementPath: [String] = []

    package var property: NSPropertyDescription? {
        switch role {
        case .attribute(let attribute): attribute
        case .toOne(let relationship, _): relationship
        case .companion, .order, .owner: nil
        }
    }
}

/// The way in which the members of a to-many relationship are found.
package enum ToManyKind {
    /// The members' rows hold the owner's key in `slot` (of the destination's layout); `order` is their position slot.
    case inverseKey(slot: Int, order: Int?)
    /// No inverse: the members' rows hold the owner's key in a hidden slot of the destination's layout.
    case ownerKey(slot: Int, order: Int?)
    /// Both sides are to-many: pairs in a join table. `inverse` is the index of the other side in the destination's
    /// `toManys`. `isNaming` marks the side whose changes are written (the other side mirrors it).
    case join(inverse: Int, isNaming: Bool)
    /// A transient to-many: kept in memory only.
    case transient
}

/// A to-many relationship in a layout.
package struct ToManySlot {
    package let relationship: NSRelationshipDescription
    /// The place in `EntityLayout.toManys`, valid for every sub-entity.
    package let index: Int
    package let kind: ToManyKind
    package let destinationIndex: Int
    package let isOrdered: Bool
    package let declaringIndex: Int

    /// Whether members hold the owner's key, and a deleted owner may not stay in any of them.
    package var isLeftByOwners: Bool {
        guard case .inverseKey = kind else { return false }
        return relationship.deleteRule != .noActionDeleteRule
    }
}

/// The value to which a key of key-value coding leads.
package enum PropertyAccess: Sendable {
    case attribute(slot: Int)
    case toOne(slot: Int)
    case toMany(index: Int)
    case fetched(NSFetchedPropertyDescription)
    case composite(CompositeAccess)
}

/// The places of the elements of a composite attribute.
package final class CompositeAccess: Sendable {
    package let name: String
    /// The slots of attributes, and nested composites.
    package let elements: [String: PropertyAccess]
    /// The slots of all elements, including those of nested composites.
    package let slots: [Int]

    package init(name: String, elements: [String: PropertyAccess]) {
        self.name = name
        self.elements = elements
        slots = elements.values.flatMap { access -> [Int] in
            switch access {
            case .attribute(let slot): [slot]
            case .composite(let inner): inner.slots
            case .toOne, .toMany, .fetched: []
            }
        }.sorted()
    }
}

/// The destination of a to-one relationship's slot.
package struct Destination {
    /// The layout of the declared destination entity.
    package let layoutIndex: Int
    /// The slot that holds the concrete entity; -1 when the destination has no sub-entities.
    package let companion: Int
    package let inverse: InverseSide?
}

/// The other side of a relationship, in the layout of the destination.
package enum InverseSide {
    case toOne(slot: Int)
    case toMany(index: Int)
}

/// The places of the values of one entity in a row: key → slot, the slots of the super-entity first, so that a slot
/// number is valid for every sub-entity. Made once when a model is frozen; immutable afterwards.
package final class EntityLayout: @unchecked Sendable {  // immutable once its ModelLayout is built
    package let entity: NSEntityDescription
    /// The place in the model's numbering (depth first, names without case): Z_ENT - 1 where a store holds all
    /// entities.
    package let index: Int
    package let rootIndex: Int
    package let superIndex: Int?
    /// The layouts of this entity and of everything below it, in numbering order: `index ..< subtreeEnd`.
    package let subtreeEnd: Int
    package let slots: [Slot]
    package let toManys: [ToManySlot]
    /// The destinations of to-one relationships by slot, without the slot's other fields.
    package let destinations: [Destination]
    /// The slots that hold keys of other rows.
    package let referenceSlots: [Int]
    /// The slots whose values are stored behind all slots of a row.
    package let longSlots: [Int]
    /// The slots among the first 64 whose values are stored in the slots themselves, as bits.
    package let shortSlots: UInt64
    /// The slots of to-one relationships that have an inverse and are stored in rows.
    package let pairedSlots: [Int]
    /// The slots of one-to-one relationships, with the slots of their inverses.
    package let oneToOnes: [(slot: Int, inverse: Int)]
    package let access: [String: PropertyAccess]
    package let nullWords: Int
    package let validationRules: ValidationRules
    package unowned let model: ModelLayout
    // The variables below are set before the first object or row has this layout, and never again. No access can
    // overlap with that, and an exclusivity check would cost as much as the reading.

    /// A number that no other layout of any model in the process has. Slot caches of accessors compare it.
    @exclusivity(unchecked) package private(set) var identifier: UInt32
    /// The identifier of the layout whose objects record which keys are read. No slot cache ever holds it.
    package static let identifierOfRecorders = UInt32.max

    /// The derived attributes: their slots, their expressions, and the relationships that the expressions use.
    package let derivations: [(slot: Int, expression: NSExpression, relationships: Set<String>)]

    /// The row of a new object: the default values of the attributes, and every relationship nil.
    @exclusivity(unchecked) package private(set) var defaultRow: Snapshot!
    /// The persistent slots of transformable attributes with a default value. The default row does not hold the value,
    /// which is encoded when an object is saved.
    @exclusivity(unchecked) package private(set) var transformableDefaults: [Int] = []
    /// The default values of transient attributes. No store has them, so a row that is read from a store gets them from
    /// here.
    @exclusivity(unchecked) package private(set) var transientDefaults: [(slot: Int, value: SlotValue)] = []
    /// The number of bytes that the default values of transient attributes take behind the slots of a row.
    @exclusivity(unchecked) package private(set) var transientTailBytes = 0
    /// The bytes of the largest row that was built of the entity.
    private let largest = Atomic<Int>(0)
    /// Whether the entity has transformable attributes.
    package let hasTransformables: Bool
    /// Whether rows have slots that are not saved.
    package let hasTransientSlots: Bool

    package var deletionRules: DeletionRules { validationRules.deletion }
    package var hasSubentities: Bool { subtreeEnd > index + 1 }
    package var subtree: Range<Int> { index..<subtreeEnd }
    package var name: String { entity.name ?? "" }

    /// The name of the property to which a key leads, for messages.
    package func name(of access: PropertyAccess) -> String {
        switch access {
        case .attribute(let slot), .toOne(let slot): slots[slot].name
        case .toMany(let index): toManys[index].relationship.name
        case .fetched(let description): description.name
        case .composite(let composite): composite.name
        }
    }

    package init(
        entity: NSEntityDescription, index: Int, rootIndex: Int, superIndex: Int?, subtreeEnd: Int,
        slots: [Slot], toManys: [ToManySlot], access: [String: PropertyAccess], model: ModelLayout, identifier: UInt32
    ) {
        self.entity = entity
        self.index = index
        self.rootIndex = rootIndex
        self.superIndex = superIndex
        self.subtreeEnd = subtreeEnd
        self.slots = slots
        self.toManys = toManys
        destinations = slots.map { slot in
            guard case .toOne(_, let companion) = slot.role else {
                return Destination(layoutIndex: index, companion: -1, inverse: nil)
            }
            return Destination(
                layoutIndex: slot.destinationIndex ?? index, companion: companion ?? -1, inverse: slot.inverse)
        }
        referenceSlots = slots.indices.filter { slots[$0].kind == .reference }
        longSlots = slots.indices.filter { !slots[$0].kind.isInline }
        shortSlots = slots.indices.prefix(64).reduce(0) { slots[$1].kind.isInline ? $0 | 1 << UInt64($1) : $0 }
        pairedSlots = slots.indices.filter { number in
            guard case .toOne = slots[number].role else { return false }
            return slots[number].isPersistent && slots[number].inverse != nil
        }
        oneToOnes = slots.enumerated().compactMap { number, slot in
            guard case .toOne = slot.role, case .toOne(let inverse)? = slot.inverse else { return nil }
            return (number, inverse)
        }
        self.access = access
        self.model = model
        self.identifier = identifier
        hasTransformables = slots.contains { $0.kind == .transformable }
        hasTransientSlots = slots.contains { !$0.isPersistent }
        validationRules = ValidationRules(slots: slots, toManys: toManys, access: access)
        derivations = slots.enumerated().compactMap { number, slot in
            guard case .attribute(let attribute) = slot.role,
                let expression = (attribute as? NSDerivedAttributeDescription)?.derivationExpression
            else { return nil }
            let firsts = expression.keyPaths.map { KeyValuePath($0).keys[0] }
            return (number, expression, Set(firsts.filter { entity.relationshipsByName[$0] != nil }))
        }
        nullWords = max(1, (slots.count + 63) / 64)
    }

    /// The number of bytes that no row of the entity exceeds so far, without the bytes of a row's header.
    package var bytesOfLargestRow: Int { largest.load(ordering: .relaxed) }

    /// Notes the bytes of a row that is being built.
    @inline(__always)
    package func noteRow(ofBytes count: Int) {
        if count > largest.load(ordering: .relaxed) { largest.max(count, ordering: .relaxed) }
    }

    /// The error for a row of another entity, whose slots do not fit an object of this entity.
    @inline(never)
    func strangeRow(_ row: Snapshot) -> NSError {
        .coreData(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            reason: "The row \(row.key & ObjectKey.primaryKeyMask) is of the entity "
                + "“\(model.entities[row.layoutIndex].name)”, and a relationship or a request has named “\(name)”.")
    }

    /// The layout whose keys a slot holds; nil if the slot holds no key.
    func destination(of slot: Int) -> EntityLayout? {
        switch slots[slot].role {
        case .toOne: slots[slot].destinationIndex.map { model.entities[$0] }
        case .owner(let relationship): model.layout(of: relationship.entity)
        case .attribute, .companion, .order: nil
        }
    }

    /// Makes this layout the one of the recorders of key paths. Called once, before any object has this layout.
    package func becomeLayoutOfRecorders() {
        identifier = Self.identifierOfRecorders
    }

    /// Makes the default row. Called once, when every layout of the model is there.
    package func makeDefaultRow() {
        let values = slots.map { slot -> SlotValue in
            guard case .attribute(let attribute) = slot.role, slot.kind != .transformable else { return .null }
            return attribute.defaultValue.flatMap { SlotValue($0, as: slot.kind) } ?? .null
        }
        transformableDefaults = slots.indices.filter { number in
            guard case .attribute(let attribute) = slots[number].role, slots[number].isPersistent else { return false }
            return slots[number].kind == .transformable && attribute.defaultValue != nil
        }
        transientDefaults = slots.indices.filter { !slots[$0].isPersistent && !values[$0].isNull }.map {
            ($0, values[$0])
        }
        transientTailBytes = transientDefaults.reduce(0) { $0 + $1.value.tailBytes }
        let tailBytes = values.reduce(0) { $0 + $1.tailBytes }
        var builder = SnapshotBuilder(layout: self, key: 0, version: 0, tailBytes: tailBytes)
        for (slot, value) in values.enumerated() { builder.set(slot, value: value) }
        defaultRow = builder.finish()
    }
}
