extension NSEntityDescription: RowOrdered {
    /// The key by which a new store orders its entities when it numbers them.
    var placeInOrder: (isNew: Bool, number: Int64) {
        (false, Int64(managedObjectModel.layout.layout(of: self)?.index ?? 0))
    }
}
