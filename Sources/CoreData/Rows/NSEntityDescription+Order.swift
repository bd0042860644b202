extension NSEntityDescription: RowOrdered {
    /// A new store numbers its entities in this order.
    var placeInOrder: (isNew: Bool, number: Int64) {
        (false, Int64(managedObjectModel.layout.layout(of: self)?.index ?? 0))
    }
}
