/// The members of a to-many relationship at a moment. As long as the relationship has an equal stamp, it has these
/// members in this order.
package struct MemberStamp: Equatable {
    // Held, so that another relationship's state does not get its address.
    private let state: ToManyState
    private let changeCount: Int

    fileprivate init(_ state: ToManyState) {
        self.state = state
        changeCount = state.changeCount
    }

    package static func == (lhs: MemberStamp, rhs: MemberStamp) -> Bool {
        lhs.state === rhs.state && lhs.changeCount == rhs.changeCount
    }
}

extension NSManagedObject {
    /// The stamp of a to-many relationship whose members are in memory; nil for a fault, and while a tracking of
    /// Observation has to hear of reads.
    package final func memberStamp(_ property: ManagedSlot) -> MemberStamp? {
        let index = property.slot(in: self, as: .toMany)
        guard !flags.contains(.tracksReads), let overlay, overlay.toManys.indices.contains(index),
            let state = overlay.toManys[index], !state.isFault
        else { return nil }
        return MemberStamp(state)
    }
}
