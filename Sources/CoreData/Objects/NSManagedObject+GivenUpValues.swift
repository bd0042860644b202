// The values that an object drops while a row that has them is written.
extension NSManagedObject {
    /// The slots whose values an object has given up.
    struct GivenUpValues: Equatable {
        let mask: SlotMask
        /// The slots that led to new objects, to which the row refers by other keys.
        let leadingToNew: SlotMask
    }

    /// Gives up the values that a row has, and the overlay if it holds nothing else. The object must not be read until
    /// it has the row or takes the values back.
    ///
    /// - Returns: Nil if there are none.
    final func giveUpValues() -> GivenUpValues? {
        guard let overlay, !overlay.mask.isEmpty else { return nil }
        var leadingToNew = SlotMask()
        for slot in binding.layout.referenceSlots where overlay.mask.contains(slot) {
            if case .int(let key) = overlay.values[slot], key < 0 { leadingToNew.insert(slot) }
        }
        let givenUp = GivenUpValues(mask: overlay.mask, leadingToNew: leadingToNew)
        overlay.values = ChangedValues()
        if overlay.canBeDropped { self.overlay = nil }
        return givenUp
    }

    /// Takes the values back from the row that was built of them.
    ///
    /// - Parameter temporary: the temporary keys of new objects, by their root entities and the keys that the row has.
    final func takeBack(_ givenUp: GivenUpValues, from row: Snapshot, _ temporary: [ObjectKey: Int64]) {
        let overlay = ensureOverlay()
        let layout = binding.layout
        givenUp.mask.forEach { slot in
            var value = row.value(slot, kind: layout.slots[slot].kind)
            if givenUp.leadingToNew.contains(slot), case .int(let key) = value,
                let destination = layout.destination(of: slot),
                let old = temporary[ObjectKey(layoutIndex: destination.rootIndex, key: key)]
            {
                value = .int(old)
            }
            overlay.set(value, at: slot)
        }
    }
}
