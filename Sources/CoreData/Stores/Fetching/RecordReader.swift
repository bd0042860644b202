import Foundation

/// Builds the row of a record whose values are read by name, from a cache node or from an incremental store's node.
struct RecordReader {
    let layout: EntityLayout
    let key: Int64
    let version: Int32

    /// Reads every persistent attribute and to-one relationship of the record. Throws 134060 if the type of a value
    /// does not fit its attribute.
    func row(
        attribute: (NSAttributeDescription) throws -> Any?, reference: (NSRelationshipDescription) throws -> ObjectKey?
    ) throws -> Snapshot {
        var values = [SlotValue](repeating: .null, count: layout.slots.count)
        for (number, slot) in layout.slots.enumerated() where slot.isPersistent {
            switch slot.role {
            case .attribute(let description):
                // The record has one value for a composite attribute: a dictionary.
                var given = try attribute(slot.composite ?? description)
                for name in slot.elementPath { given = (given as? [String: Any])?[name] }
                values[number] = try value(given, of: description, slot)
            case .toOne(let relationship, let companion):
                guard let target = try reference(relationship) else { continue }
                values[number] = .int(target.key)
                if let companion { values[companion] = .int(Int64(target.layoutIndex)) }
            case .companion, .order, .owner:
                break
            }
        }
        for (number, value) in layout.transientDefaults { values[number] = value }
        let tailBytes = values.reduce(0) { $0 + $1.tailBytes }
        var builder = SnapshotBuilder(layout: layout, key: key, version: version, tailBytes: tailBytes)
        for (number, value) in values.enumerated() { builder.set(number, value: value) }
        return builder.finish()
    }

    private func value(_ given: Any?, of attribute: NSAttributeDescription, _ slot: Slot) throws -> SlotValue {
        guard let given, !(given is NSNull) else { return .null }
        if slot.kind == .transformable { return .data(try TransformableCoding.data(from: given, of: attribute)) }
        if let value = SlotValue(given, as: slot.kind) { return value }
        throw NSError.coreData(
            NSCoreDataError,
            reason: """
                Unacceptable type of value for attribute: property = "\(slot.name)"; desired type = \(slot.kind); \
                given type = \(type(of: given)); entity = \(layout.name).
                """)
    }
}

extension Int32 {
    /// Makes the version of a row from a store's own version number. Only the equality of two versions counts.
    init(foldingVersion version: UInt64) {
        let folded = version <= 0x3FFF_FFFF ? version : (version ^ (version >> 30) ^ (version >> 60)) & 0x3FFF_FFFF
        self.init(truncatingIfNeeded: folded)
    }
}

extension Snapshot {
    /// Whether two rows of one entity have equal attributes and lead to the same objects.
    func hasSameValues(as other: Snapshot, _ layout: EntityLayout) -> Bool {
        layout.slots.indices.allSatisfy { slot in
            switch layout.slots[slot].role {
            case .attribute, .toOne:
                let kind = layout.slots[slot].kind
                return !layout.slots[slot].isPersistent || value(slot, kind: kind) == other.value(slot, kind: kind)
            case .companion, .order, .owner: return true
            }
        }
    }
}
