extension NSManagedObject {
    struct Flags: OptionSet {
        let rawValue: UInt32
        static let inserted = Flags(rawValue: 1 << 0)
        static let updated = Flags(rawValue: 1 << 1)
        static let deleted = Flags(rawValue: 1 << 2)
        /// The object has its row but has not been read yet: `isFault` is still true.
        static let unfired = Flags(rawValue: 1 << 3)
        /// In the context's list of inserted, updated or deleted objects.
        static let listedInserted = Flags(rawValue: 1 << 4)
        static let listedUpdated = Flags(rawValue: 1 << 5)
        static let listedDeleted = Flags(rawValue: 1 << 6)
        /// Changed since the last `processPendingChanges`.
        static let pendingEvent = Flags(rawValue: 1 << 7)
        /// The deletion has not been propagated to related objects yet.
        static let deletionPending = Flags(rawValue: 1 << 8)
        /// In the context's identity map.
        static let registered = Flags(rawValue: 1 << 9)
        /// The row is gone from the store; the object is treated as deleted with nil values.
        static let inaccessible = Flags(rawValue: 1 << 10)
        /// The object lost its values by `reset` or the end of its context.
        static let detached = Flags(rawValue: 1 << 11)
        /// Deleted and saved.
        static let gone = Flags(rawValue: 1 << 12)
        /// Inserted since the last `processPendingChanges` (one did-change notification has the object as inserted).
        static let pendingInsert = Flags(rawValue: 1 << 13)
        static let pendingDelete = Flags(rawValue: 1 << 14)
        static let hasTransientChanges = Flags(rawValue: 1 << 15)
        /// Deleted by another context or program; detached after the next did-change notification.
        static let mergedAway = Flags(rawValue: 1 << 16)
        /// A fault of a fetch with a batch size: its row is read with those of its batch.
        static let batched = Flags(rawValue: 1 << 17)
        /// The did-change notification that is being posted has the object.
        static let toldEvent = Flags(rawValue: 1 << 18)
        /// The context's `unsavedIndex` has read the object's values, so it has to be notified of changes.
        static let indexed = Flags(rawValue: 1 << 19)
        /// Reads register with a tracking of Observation, and may show former values (`ObservedObjects`).
        static let tracksReads = Flags(rawValue: 1 << 20)
        /// The object has a record of its observers (`ObservedObject`).
        static let watched = Flags(rawValue: 1 << 21)
        /// The object is deleted, and a relationship that was read after the deletion has it as a member.
        static let relatedSinceDeletion = Flags(rawValue: 1 << 22)
        /// The object gets an event base at the end of the did-change notification that is being posted, unless it gets
        /// another row before.
        static let awaitsEventBase = Flags(rawValue: 1 << 23)
    }
}

/// The functions of `SetAlgebra` are generic, and in a build without the optimiser calls of them take long: 3 % of the
/// processor time of all tests. These are not.
extension NSManagedObject.Flags {
    init(arrayLiteral elements: Self...) {
        var (bits, index): (UInt32, Int) = (0, 0)
        while index < elements.count {
            bits |= elements[index].rawValue
            index &+= 1
        }
        self.init(rawValue: bits)
    }

    var isEmpty: Bool { rawValue == 0 }
    func contains(_ member: Self) -> Bool { rawValue & member.rawValue == member.rawValue }
    func isSuperset(of other: Self) -> Bool { contains(other) }
    func isSubset(of other: Self) -> Bool { other.contains(self) }
    func isDisjoint(with other: Self) -> Bool { rawValue & other.rawValue == 0 }
    func union(_ other: Self) -> Self { Self(rawValue: rawValue | other.rawValue) }
    func intersection(_ other: Self) -> Self { Self(rawValue: rawValue & other.rawValue) }
    func subtracting(_ other: Self) -> Self { Self(rawValue: rawValue & ~other.rawValue) }
    mutating func formUnion(_ other: Self) { self = union(other) }
    mutating func formIntersection(_ other: Self) { self = intersection(other) }
    mutating func subtract(_ other: Self) { self = subtracting(other) }

    @discardableResult
    mutating func insert(_ member: Self) -> (inserted: Bool, memberAfterInsert: Self) {
        let isNew = !contains(member)
        self = union(member)
        return (isNew, member)
    }

    @discardableResult
    mutating func remove(_ member: Self) -> Self? {
        let present = intersection(member)
        self = subtracting(member)
        return present.isEmpty ? nil : present
    }
}
