/// What of an entity has to be checked at a save; computed once per layout.
package struct ValidationRules {
    package var requiredSlots: [Int] = []
    package var predicateSlots: [Int] = []
    package var countedToManys: [Int] = []
    /// Integers of 16 and 32 bits, with what they hold.
    package var rangedSlots: [(slot: Int, range: ClosedRange<Int64>)] = []
    /// Doubles, floats and dates that are saved: what NaN would be lost from.
    package var floatingSlots: [Int] = []

    package var isEmpty: Bool {
        requiredSlots.isEmpty && predicateSlots.isEmpty && countedToManys.isEmpty && rangedSlots.isEmpty
            && floatingSlots.isEmpty
    }

    package init(slots: [Slot], toManys: [ToManySlot]) {
        for (number, slot) in slots.enumerated() {
            guard let property = slot.property else { continue }
            if case .attribute(let attribute) = slot.role {
                if attribute is NSDerivedAttributeDescription { continue }
                if !attribute.validationPredicates.isEmpty { predicateSlots.append(number) }
                switch attribute.attributeType {
                case .integer16AttributeType: rangedSlots.append((number, Int64(Int16.min)...Int64(Int16.max)))
                case .integer32AttributeType: rangedSlots.append((number, Int64(Int32.min)...Int64(Int32.max)))
                case .doubleAttributeType, .floatAttributeType, .dateAttributeType:
                    if slot.isPersistent { floatingSlots.append(number) }
                default: break
                }
            }
            if !property.isOptional { requiredSlots.append(number) }
        }
        for toMany in toManys {
            let relationship = toMany.relationship
            // That a to-many relationship is not optional says nothing by itself: its minimum count does.
            if relationship.minCount > 0 || relationship.maxCount > 1 {
                countedToManys.append(toMany.index)
            }
        }
    }
}
