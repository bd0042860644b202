/// The properties of an entity that a save has to check; computed once per layout.
///
/// A class, so that code that reads the rules of many objects retains one reference, and not every list.
package final class ValidationRules {
    package let requiredSlots: [Int]
    package let predicateSlots: [Int]
    package let countedToManys: [Int]
    /// Integers of 16 and 32 bits, with their ranges.
    package let rangedSlots: [(slot: Int, range: ClosedRange<Int64>)]
    /// Doubles, floats and dates that are saved. They would lose NaN.
    package let floatingSlots: [Int]
    package let isEmpty: Bool
    /// The required slots among the first 64, as bits, for which a row shows whether they have a value.
    package let firstRequired: UInt64
    /// The required slots that `firstRequired` does not have.
    package let otherRequired: [Int]
    /// The slots among the first 64, as bits, whose values are checked only when they were changed: ranged and floating
    /// ones.
    package let firstChecked: UInt64
    /// The ranged slots among the first 64, as bits.
    package let firstRanged: UInt64
    /// Whether a ranged or floating slot has a number above 63.
    package let checksOthers: Bool
    /// Whether a row and its changed values show that an object keeps all rules: there is no predicate, no count and no
    /// slot beyond the first 64.
    package let areShownByRow: Bool

    /// The relationships that a save of a deleted object, and the deletion itself, have to look at.
    package let deletion: DeletionRules

    package init(slots: [Slot], toManys: [ToManySlot], access: [String: PropertyAccess]) {
        var requiredSlots: [Int] = []
        var predicateSlots: [Int] = []
        var rangedSlots: [(slot: Int, range: ClosedRange<Int64>)] = []
        var floatingSlots: [Int] = []
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
        countedToManys = toManys.compactMap { toMany in
            let relationship = toMany.relationship
            // Only the counts of a to-many relationship are checked. That it is not optional has no effect of its own.
            return relationship.minCount > 0 || relationship.maxCount > 1 ? toMany.index : nil
        }
        self.requiredSlots = requiredSlots
        self.predicateSlots = predicateSlots
        self.rangedSlots = rangedSlots
        self.floatingSlots = floatingSlots
        func bits(_ numbers: [Int]) -> UInt64 { numbers.reduce(0) { $1 < 64 ? $0 | 1 << UInt64($1) : $0 } }
        // A transformable value may be an object that is not encoded yet.
        let isPlain = { slots[$0].kind != .transformable && $0 < 64 }
        firstRequired = bits(requiredSlots.filter(isPlain))
        otherRequired = requiredSlots.filter { !isPlain($0) }
        let checked = rangedSlots.map(\.slot) + floatingSlots
        firstChecked = bits(checked)
        firstRanged = bits(rangedSlots.map(\.slot))
        checksOthers = checked.contains { $0 >= 64 }
        areShownByRow =
            otherRequired.isEmpty && predicateSlots.isEmpty && countedToManys.isEmpty && !checksOthers
        deletion = DeletionRules(slots: slots, toManys: toManys, access: access)
        isEmpty =
            requiredSlots.isEmpty && predicateSlots.isEmpty && countedToManys.isEmpty && checked.isEmpty
    }
}
