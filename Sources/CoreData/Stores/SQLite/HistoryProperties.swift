import Foundation

/// How history tells the properties of an entity: one bit each, the most significant bit of the first byte first.
///
/// The order is that of Core Data's own stores: persistent attributes, transient attributes, to-one relationships, to-many
/// relationships; within each by the depth of the entity that declares them, then by name.
struct HistoryProperties: Sendable {
    let properties: [NSPropertyDescription]
    /// By slot, -1 for slots that are no property.
    private let bitOfSlot: [Int]
    private let bitOfToMany: [Int]
    let byteCount: Int

    init(_ layout: EntityLayout) {
        func depth(_ property: NSPropertyDescription) -> Int {
            var depth = 0
            var entity = property.entity.superentity
            while let current = entity {
                depth += 1
                entity = current.superentity
            }
            return depth
        }
        func group(_ property: NSPropertyDescription) -> Int {
            if let relationship = property as? NSRelationshipDescription { return relationship.isToMany ? 3 : 2 }
            return property.isTransient ? 1 : 0
        }
        let ranked = layout.entity.propertiesByName.values
            .filter { !($0 is NSFetchedPropertyDescription) }
            .map { (group: group($0), depth: depth($0), property: $0) }
            .sorted { ($0.group, $0.depth, $0.property.name) < ($1.group, $1.depth, $1.property.name) }
        properties = ranked.map(\.property)
        var bits: [String: Int] = [:]
        for (bit, property) in properties.enumerated() {
            bits[property.name] = bit
        }
        bitOfSlot = layout.slots.map { slot in
            switch slot.role {
            // The elements of a composite attribute count as the attribute itself.
            case .attribute, .toOne, .companion: bits[slot.composite?.name ?? slot.name] ?? -1
            case .order, .owner: -1
            }
        }
        bitOfToMany = layout.toManys.map { bits[$0.relationship.name] ?? -1 }
        byteCount = (properties.count + 7) / 8
    }

    /// The bits of slots and to-many relationships.
    func columns(slots: some Sequence<Int>, toManys: some Sequence<Int>) -> Data {
        var bytes = Data(count: byteCount)
        func set(_ bit: Int) {
            if bit >= 0 { bytes[bit / 8] |= 0x80 >> UInt8(bit % 8) }
        }
        for slot in slots { set(bitOfSlot[slot]) }
        for toMany in toManys { set(bitOfToMany[toMany]) }
        return bytes
    }

    /// The properties whose bits are set.
    func properties(in columns: Data) -> Set<NSPropertyDescription> {
        var found: Set<NSPropertyDescription> = []
        for (place, byte) in columns.enumerated() {
            for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 && place * 8 + bit < properties.count {
                found.insert(properties[place * 8 + bit])
            }
        }
        return found
    }

    /// The slots whose values stay in history when a row is deleted, in the order of their columns: by name.
    static func preserved(of layout: EntityLayout) -> [Int] {
        layout.slots.indices.filter { index in
            guard case .attribute(let attribute) = layout.slots[index].role else { return false }
            return layout.slots[index].isPersistent && attribute.preservesValueInHistoryOnDeletion
        }.sorted { layout.slots[$0].name < layout.slots[$1].name }
    }
}
