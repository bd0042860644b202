extension Snapshot {
    /// The object to which a to-one relationship of the row leads.
    func reference(at slot: Int, _ layout: EntityLayout) -> ObjectKey? {
        if isNull(slot) { return nil }
        let destination = layout.destinations[slot]
        if destination.companion >= 0, !isNull(destination.companion) {
            return ObjectKey(layoutIndex: Int(int(destination.companion)), key: int(slot))
        }
        return ObjectKey(layoutIndex: destination.layoutIndex, key: int(slot))
    }
}
