/// The relationships of an entity that the deletion of an object concerns; computed once per layout.
///
/// A class, so that code that reads the rules of many objects retains one reference, and not every list.
package final class DeletionRules {
    /// A to-one relationship.
    package struct ToOne {
        package let slot: Int
        package let relationship: NSRelationshipDescription
        /// Whether the destination is deleted with the object.
        package let cascades: Bool
        /// Whether the object leaves the other side.
        package let leavesInverse: Bool
    }

    package let toOnes: [ToOne]
    /// The to-many relationships whose rule is another one than No Action.
    package let toManys: [ToManySlot]
    /// The relationships whose rule is Deny.
    package let denied: [(name: String, access: PropertyAccess)]
    /// Whether members hold the object's key, and may not keep it.
    package let hasLeftMembers: Bool
    /// The many-to-many relationships whose pairs are written from this side.
    package let namingJoins: [ToManySlot]

    package init(slots: [Slot], toManys: [ToManySlot], access: [String: PropertyAccess]) {
        toOnes = slots.enumerated().compactMap { number, slot in
            guard case .toOne(let relationship, _) = slot.role else { return nil }
            let rule = relationship.deleteRule
            return ToOne(
                slot: number, relationship: relationship, cascades: rule == .cascadeDeleteRule,
                leavesInverse: rule == .nullifyDeleteRule || rule == .cascadeDeleteRule)
        }
        self.toManys = toManys.filter { $0.relationship.deleteRule != .noActionDeleteRule }
        denied = access.compactMap { name, access in
            switch access {
            case .toOne(let slot):
                guard case .toOne(let relationship, _) = slots[slot].role, relationship.deleteRule == .denyDeleteRule
                else { return nil }
            case .toMany(let index):
                if toManys[index].relationship.deleteRule != .denyDeleteRule { return nil }
            case .attribute, .composite, .fetched: return nil
            }
            return (name, access)
        }
        hasLeftMembers = toManys.contains(where: \.isLeftByOwners)
        namingJoins = toManys.filter {
            guard case .join(_, isNaming: true) = $0.kind else { return false }
            return true
        }
    }
}
