extension Snapshot {
    /// Whether a slot has the same value in two rows of one entity.
    static func isSame(_ one: Snapshot, _ other: Snapshot, at slot: Int, kind: SlotKind) -> Bool {
        if one === other { return true }
        if one.isNull(slot) || other.isNull(slot) { return one.isNull(slot) && other.isNull(slot) }
        if kind.isInline { return one.int(slot) == other.int(slot) }
        return withExtendedLifetime((one, other)) { one.bytes(slot).elementsEqual(other.bytes(slot)) }
    }

    /// Whether the transient slots of a row have the values that every row from a store has.
    @inline(__always)
    func hasTransientDefaults(_ layout: EntityLayout) -> Bool {
        if !layout.hasTransientSlots { return true }
        return layout.slots.indices.allSatisfy { slot in
            layout.slots[slot].isPersistent
                || Self.isSame(self, layout.defaultRow, at: slot, kind: layout.slots[slot].kind)
        }
    }
}
