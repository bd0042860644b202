extension NSEntityDescription: RowOrdered {
    /// The place of the entity in the order in which a new store numbers its entities.
    var placeInOrder: (isNew: Bool, number: Int64) {
        (false, Int64(managedObjectModel.layout.layout(of: self)?.index ?? 0))
    }
}
