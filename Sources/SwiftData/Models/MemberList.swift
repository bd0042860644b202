import CoreData
import Foundation

/// The models of a to-many relationship that a program changes, until the context lets its models go.
///
/// `author.books.append(book)` reads the whole array, and sets it. So the list gives its array away when it is read,
/// and the array grows in place. When an array is set, the list compares it with its own members, and adds the models
/// behind them. Without the list each append would take as long as the relationship has members.
final class MemberList<Model: PersistentModel> {
    private var members: [Model]
    /// An array of the members to which nothing else refers; nil after it was given away.
    private var spare: [Model]?
    private var stamp: MemberStamp
    /// The to-one relationship that leads back.
    private let inverse: ManagedSlot

    init(_ members: [Model], _ stamp: MemberStamp, inverse: ManagedSlot) {
        self.members = members
        self.stamp = stamp
        self.inverse = inverse
    }

    /// The members; nil if the relationship has changed in another way.
    func array(in core: _ModelCore, _ slot: ManagedSlot) -> [Model]? {
        guard core.memberStamp(slot) == stamp else { return nil }
        defer { spare = nil }
        return spare ?? members
    }

    /// Adds the models that an array has behind the members; false if the array is another one, or has no more models.
    func extend(to array: [Model], of core: _ModelCore, _ slot: ManagedSlot) -> Bool {
        guard array.count > members.count, core.memberStamp(slot) == stamp, isBeginning(of: array) else { return false }
        var isEachNew = true
        for model in array[members.count...] {
            let member = core.joined(model)
            if member.toOne(inverse) === core {
                isEachNew = false
            } else {
                member.set(inverse, toOne: core)
            }
        }
        // A member that was appended again is a member once.
        guard isEachNew, let now = core.memberStamp(slot) else { return true }
        members += array[members.count...]
        spare = array
        stamp = now
        return true
    }

    private func isBeginning(of array: [Model]) -> Bool {
        members.withUnsafeBytes { own in
            array.withUnsafeBytes { other in
                guard let first = own.baseAddress, let second = other.baseAddress else { return own.isEmpty }
                return memcmp(first, second, own.count) == 0
            }
        }
    }
}

/// The place of a list in its context.
struct MemberListKey: Hashable {
    let core: ObjectIdentifier
    let slot: ObjectIdentifier

    init(_ core: _ModelCore, _ slot: ManagedSlot) {
        self.core = ObjectIdentifier(core)
        self.slot = ObjectIdentifier(slot)
    }
}

extension _ModelCore {
    /// The least number of members for which a list pays.
    private static let listedMembers = 32

    private func memberList<Model: PersistentModel>(_ slot: ManagedSlot, of type: Model.Type) -> MemberList<Model>? {
        guard hasMemberLists, let list = modelContext?.memberLists[MemberListKey(self, slot)] else { return nil }
        // A slot belongs to one property.
        return unsafeDowncast(list, to: MemberList<Model>.self)
    }

    /// The models of a relationship, from the list.
    func listedModels<Model: PersistentModel>(_ slot: ManagedSlot) -> [Model]? {
        memberList(slot, of: Model.self)?.array(in: self, slot)
    }

    /// Adds models to a relationship that has a list; false if that is not all that has to be done.
    func extend<Model: PersistentModel>(_ slot: ManagedSlot, to models: [Model]) -> Bool {
        memberList(slot, of: Model.self)?.extend(to: models, of: self, slot) ?? false
    }

    /// Makes a list of models that a relationship has got.
    func list<Model: PersistentModel>(_ models: [Model], of slot: ManagedSlot) {
        guard models.count >= Self.listedMembers, isHeld, let context = modelContext,
            let inverse = entity.relationshipsByName[slot.name]?.inverseRelationship, !inverse.isToMany
        else { return }
        let members = toMany(slot)
        guard members.count == models.count, let stamp = memberStamp(slot),
            zip(members, models).allSatisfy({ $0 === $1.presentCore })
        else { return }
        noteMemberList()
        context.memberLists[MemberListKey(self, slot)] = MemberList(
            models, stamp, inverse: ManagedSlot(inverse.name))
    }
}
