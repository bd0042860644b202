/// The place of an object's row: the entity and the number behind the `p` of the object's URI.
///
/// Use it where millions of objects need names: creating an id and its URI takes a hundred times as long.
///
/// OpenCoreData only.
public struct RowReference: Hashable, Sendable {
    /// The name of the object's entity.
    public let entityName: String
    /// The number of the row in its store.
    public let number: Int64
}

extension NSManagedObject {
    /// The place of the object's row.
    ///
    /// Nil for a new object, and in a coordinator with a store that names its records itself (an XML or binary store,
    /// or one that a program wrote).
    ///
    /// OpenCoreData only.
    public final var rowReference: RowReference? {
        checkConfinement()
        return rowReference(to: objectKey)
    }

    /// Returns the place of the row that a to-one relationship leads to, without creating the object.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameter property: The relationship.
    /// - Returns: The place; nil if the relationship leads nowhere, or if the other object has no ``rowReference``.
    public final func rowReference(of property: ManagedSlot) -> RowReference? {
        checkConfinement("reading", property.name)
        let slot = property.slot(in: self, as: .toOne)
        if flags.contains(.tracksReads) { noteRead(at: slot) }
        return reference(at: slot).flatMap { rowReference(to: $0) }
    }

    private func rowReference(to key: ObjectKey) -> RowReference? {
        guard !key.isTemporary, binding.context?.persistentStoreCoordinator?.hasObjectStores == false else {
            return nil
        }
        return RowReference(
            entityName: binding.modelLayout.entities[key.layoutIndex].name, number: key.primaryKey)
    }
}
