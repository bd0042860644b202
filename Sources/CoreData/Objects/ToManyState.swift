import Foundation

/// The members of one to-many relationship of one object.
///
/// While `base` is nil the relationship is a fault: additions and removals are noted without loading it.
final class ToManyState {
    /// The members as the store (or the parent context) has them; nil until loaded.
    @exclusivity(unchecked) private(set) var base: [ObjectKey]? {
        didSet {
            changeCount &+= 1
            baseSet = nil
            searches = 0
        }
    }
    /// The members in `base`, once they have been searched often.
    @exclusivity(unchecked) private var baseSet: Set<ObjectKey>?
    /// How often `base` was searched since it was set.
    @exclusivity(unchecked) private var searches = 0
    /// Members that are not in `base`, in the order of addition.
    @exclusivity(unchecked) private(set) var added = ObjectKeyList() { didSet { changeCount &+= 1 } }
    /// Members of `base` that are no longer in; in an ordered relationship also those that have come back at its end
    /// while it was a fault, and so are in `added`, too.
    @exclusivity(unchecked) private(set) var removed: Set<ObjectKey> = [] { didSet { changeCount &+= 1 } }
    /// The whole order, once the order of an ordered relationship was touched.
    @exclusivity(unchecked) private(set) var order: [ObjectKey]? { didSet { changeCount &+= 1 } }
    /// How often any of it was set: as long as it stays, the members do.
    @exclusivity(unchecked) private(set) var changeCount = 0

    var isFault: Bool { base == nil }
    /// Whether any key of the state is temporary.
    var hasTemporaries: Bool {
        if let base, base.contains(where: \.isTemporary) { return true }
        if !added.isEmpty, added.keys.contains(where: \.isTemporary) { return true }
        if let order, order.contains(where: \.isTemporary) { return true }
        return !removed.isEmpty && removed.contains(where: \.isTemporary)
    }
    /// The temporary keys of the state.
    var temporaries: [Int64] {
        [base ?? [], added.keys, order ?? [], Array(removed)].joined().filter(\.isTemporary).map(\.key)
    }
    var hasChanges: Bool { !added.isEmpty || !removed.isEmpty || order != nil }

    private let isOrdered: Bool

    init(base: [ObjectKey]?, isOrdered: Bool) {
        self.base = base
        self.isOrdered = isOrdered
    }

    /// The members now, in order. The relationship must have been loaded.
    var members: [ObjectKey] {
        if let order { return order }
        guard let base else { return added.keys }
        if removed.isEmpty { return added.isEmpty ? base : base + added.keys }
        return base.filter { !removed.contains($0) } + added.keys
    }

    /// Whether an object is a member. The relationship must have been loaded. Programs delete the members of an object
    /// one after the other, so it makes no list of the members.
    func contains(_ member: ObjectKey) -> Bool {
        if let order { return order.contains(member) }
        if added.contains(member) { return true }
        guard let base, !removed.contains(member) else { return false }
        if let baseSet { return baseSet.contains(member) }
        searches += 1
        // A set takes as long as some searches, and memory.
        guard searches > 16, base.count > 64 else { return base.contains(member) }
        let set = Set(base)
        baseSet = set
        return set.contains(member)
    }

    /// Gives a fault its members; pending additions that are already there are dropped.
    func load(_ members: [ObjectKey]) {
        base = members
        guard !added.isEmpty || !removed.isEmpty else { return }
        let known = Set(members)
        added.removeAll { known.contains($0) && !removed.contains($0) }
        removed.formIntersection(known)
        // Members that came back are members. Their return has changed the order.
        let back = removed.intersection(added.keys)
        if back.isEmpty { return }
        order = self.members
        removed.subtract(back)
        added.removeAll { back.contains($0) }
    }

    /// Adds an object that is certainly no member yet, because the other side of the relationship has just changed.
    func noteAddition(of member: ObjectKey) {
        if removed.contains(member) {
            // The member comes back at the end, not at its former place.
            if isOrdered, base == nil { return added.append(member) }
            if isOrdered { order = members + [member] }
            removed.remove(member)
            return
        }
        if order != nil { order?.append(member) }
        added.append(member)
    }

    /// Removes an object that is certainly a member.
    func noteRemoval(of member: ObjectKey) {
        order?.removeAll { $0 == member }
        if added.remove(member) { return }
        removed.insert(member)
    }

    /// Replaces the whole content; the relationship must have been loaded. Returns the members that were added and
    /// removed.
    func replaceMembers(_ members: [ObjectKey], isOrdered: Bool) -> (added: [ObjectKey], removed: [ObjectKey]) {
        let old = self.members
        let oldSet = Set(old)
        let newSet = Set(members)
        let came = members.filter { !oldSet.contains($0) }
        let went = old.filter { !newSet.contains($0) }
        for member in went { noteRemoval(of: member) }
        for member in came { noteAddition(of: member) }
        if isOrdered, self.members != members { order = members }
        return (came, went)
    }

    /// Takes over the changes of a child context. Changes that are made already are left out.
    func merge(added newMembers: [ObjectKey], removed formerMembers: Set<ObjectKey>) {
        for member in formerMembers where base == nil || contains(member) { noteRemoval(of: member) }
        if newMembers.isEmpty { return }
        let present = Set(members)
        for member in newMembers where !present.contains(member) { noteAddition(of: member) }
    }

    /// Takes over the order that a child context gave the members that it had. Members that have left since stay away,
    /// and members that have joined since come last. The relationship must have been loaded.
    func merge(order: [ObjectKey], present: [ObjectKey], added: Set<ObjectKey>, removed: Set<ObjectKey>) {
        let isPresent = Set(present)
        let known = Set(order)
        let newcomers = present.filter { !known.contains($0) && !removed.contains($0) }
        _ = replaceMembers(
            order.filter { isPresent.contains($0) || added.contains($0) } + newcomers, isOrdered: true)
    }

    /// Takes over the members that another context has saved. Members that were added and removed here stay so.
    func rebase(on members: [ObjectKey]) {
        guard let former = base else { return }
        let known = Set(members)
        added.removeAll { known.contains($0) && !removed.contains($0) }
        removed.formIntersection(known)
        base = members
        guard let order else { return }
        let lost = Set(former).subtracting(known)
        let placed = Set(order)
        self.order =
            order.filter { !lost.contains($0) } + members.filter { !placed.contains($0) && !removed.contains($0) }
    }

    /// Forgets the base, because the members in the store differ from it, so that they are loaded again on demand. An
    /// order that was set stays.
    func forgetBase() {
        if order == nil { base = nil }
    }

    /// Removes members whose rows are gone, also from the base.
    func forget(_ gone: Set<ObjectKey>) {
        func without(_ keys: [ObjectKey]) -> [ObjectKey] {
            keys.contains(where: gone.contains) ? keys.filter { !gone.contains($0) } : keys
        }
        base = base.map(without)
        order = order.map(without)
        if !added.isEmpty { added.removeAll { gone.contains($0) } }
        if !removed.isEmpty { removed.subtract(gone) }
    }

    /// Adds or removes one member, in the base and in memory, after the member's own row has changed.
    func setMembership(of member: ObjectKey, inStore: Bool, inMemory: Bool, isOrdered: Bool) {
        if let base, base.contains(member) != inStore {
            // Only the store has the member's position in an ordered relationship.
            if inStore, isOrdered, order == nil {
                self.base = nil
            } else {
                self.base = inStore ? base + [member] : base.filter { $0 != member }
            }
        }
        _ = added.remove(member)
        removed.remove(member)
        if inMemory, !inStore { added.append(member) }
        if inStore, !inMemory { removed.insert(member) }
        if let order, order.contains(member) != inMemory {
            self.order = inMemory ? order + [member] : order.filter { $0 != member }
        }
    }

    /// Makes the present members the base, because the changes are saved. Temporary keys have been replaced by then.
    func acceptChanges(renaming permanent: PermanentKeys) {
        if base != nil {
            base = members.map { $0.renamed(permanent) }
        }
        added = ObjectKeyList()
        removed = []
        order = nil
    }

    /// Replaces temporary keys by permanent ones.
    func rename(_ permanent: PermanentKeys) {
        base = base?.map { $0.renamed(permanent) }
        order = order?.map { $0.renamed(permanent) }
        added.rename(permanent)
        removed = Set(removed.map { $0.renamed(permanent) })
    }
}

extension ToManyState {
    /// The members at one moment, to go back to.
    struct Memento {
        let base: [ObjectKey]?
        let added: [ObjectKey]
        let removed: Set<ObjectKey>
        let order: [ObjectKey]?

        /// The members; nil if they were not loaded.
        var members: [ObjectKey]? {
            if let order { return order }
            return base.map { base in base.filter { !removed.contains($0) } + added }
        }

        /// The memento with the permanent keys that members have got since.
        func renamed(_ permanent: PermanentKeys) -> Memento {
            if permanent.isEmpty { return self }
            return Memento(
                base: base?.map { $0.renamed(permanent) }, added: added.map { $0.renamed(permanent) },
                removed: Set(removed.map { $0.renamed(permanent) }), order: order?.map { $0.renamed(permanent) })
        }

        /// Whether the members are exactly those of the store.
        var isClean: Bool { added.isEmpty && removed.isEmpty && (order == nil || order == base) }

        /// Whether two moments have the members in common. The notes of a list can differ where its members do not:
        /// an order that leads back to the first one is noted, too.
        func isSame(as other: Memento, isOrdered: Bool) -> Bool {
            if added == other.added, removed == other.removed, order == other.order { return true }
            guard let base, base == other.base, let members, let others = other.members else { return false }
            return isOrdered ? members == others : Set(members) == Set(others)
        }
    }

    var memento: Memento { Memento(base: base, added: added.keys, removed: removed, order: order) }

    /// Takes back the changes between two moments; other changes stay. Both mementos have the members' present keys.
    func revert(from after: Memento, to before: Memento) {
        if base == after.base, added.keys == after.added, removed == after.removed, order == after.order,
            base != nil || before.base == nil
        {
            if before.base == nil, base != nil {
                adopt(before, knownIn: Set(base ?? []))
            } else {
                base = before.base
                adopt(before, knownIn: nil)
            }
            return
        }
        // Loading drops changes that the store has already. Such a drop is no change.
        let loaded = before.base == nil ? after.base.map { Set($0) } : nil
        let addedBefore = Set(before.added).subtracting((loaded ?? []).subtracting(before.removed))
        let removedBefore = loaded.map { before.removed.intersection($0) } ?? before.removed
        let addedAfter = Set(after.added)
        var came = addedAfter.subtracting(addedBefore).union(removedBefore.subtracting(after.removed))
        var went = addedBefore.subtracting(addedAfter).union(after.removed.subtracting(removedBefore))
        // A member that left and came back, or the other way round, has only another place.
        let moved = came.intersection(went)
        came.subtract(moved)
        went.subtract(moved)
        if isFault {
            for key in moved {
                let stays = before.removed.contains(key)
                _ = added.remove(key)
                removed.remove(key)
                if stays {
                    noteRemoval(of: key)
                    noteAddition(of: key)
                }
            }
        }
        let present = isFault ? nil : Set(members)
        for key in came where present?.contains(key) ?? true { noteRemoval(of: key) }
        let returning = before.added + (after.base ?? before.base ?? []) + Array(went)
        var left = went
        for key in returning where left.remove(key) != nil && present?.contains(key) != true {
            noteAddition(of: key)
        }
        guard isOrdered, let base else { return }
        // For a list that was loaded after the change: the members from before the change.
        func former(of base: [ObjectKey]) -> [ObjectKey] {
            let joined = before.added.filter(addedBefore.contains)
            return base.filter { !before.removed.contains($0) && !addedBefore.contains($0) } + joined
        }
        let known = before.members ?? after.base.map(former)
        let wanted = known ?? former(of: base)
        if wanted != members, wanted.count == members.count, Set(wanted) == Set(members) {
            order = wanted
        }
        // Members that left and came back to where they stood are no change.
        if added.isEmpty, removed.isEmpty, order == base { order = nil }
    }

    private func adopt(_ before: Memento, knownIn base: Set<ObjectKey>?) {
        added = ObjectKeyList()
        removed = before.removed
        for key in before.added where base?.contains(key) != true || removed.contains(key) {
            added.append(key)
        }
        if let base { removed.formIntersection(base) }
        order = before.order
        // Members that left and came back to where they stood are no change.
        if added.isEmpty, removed.isEmpty, order == self.base { order = nil }
    }
}

extension ObjectKey {
    /// The permanent key, or the key itself if it has none.
    func renamed(_ permanent: PermanentKeys) -> ObjectKey {
        guard key < 0, let new = permanent[key] else { return self }
        return ObjectKey(layoutIndex: layoutIndex, key: new)
    }
}

/// A list of distinct keys in order of addition.
struct ObjectKeyList {
    private(set) var keys: [ObjectKey] = []

    var isEmpty: Bool { keys.isEmpty }

    func contains(_ key: ObjectKey) -> Bool { keys.contains(key) }

    mutating func append(_ key: ObjectKey) { keys.append(key) }

    /// Removes a key; removing the last one takes no search. Returns whether the list had the key.
    mutating func remove(_ key: ObjectKey) -> Bool {
        if keys.last == key {
            keys.removeLast()
            return true
        }
        guard let index = keys.firstIndex(of: key) else { return false }
        keys.remove(at: index)
        return true
    }

    mutating func removeAll(where shouldRemove: (ObjectKey) -> Bool) {
        keys.removeAll(where: shouldRemove)
    }

    mutating func rename(_ permanent: PermanentKeys) {
        keys = keys.map { $0.renamed(permanent) }
    }
}
