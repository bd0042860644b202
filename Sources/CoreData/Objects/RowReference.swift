/// Where an object's row is: the entity, and the number that the object's URI has behind its `p`.
///
/// An addition to Apple's API, for those who name millions of objects: making an id and its URI takes a hundred times
/// as long.
public struct RowReference: Hashable, Sendable {
    /// The name of the object's entity.
    public let entityName: String
    /// The number of the row in its store.
    public let number: Int64
}

extension NSManagedObject {
    /// Where the object's row is; nil for a new object, and in a store that names its records itself (XML, binary, a
    /// program's own).
    public final var rowReference: RowReference? {
        checkConfinement()
        return rowReference(to: objectKey)
    }

    /// Where a to-one relationship leads, without making an object of it; nil where it leads nowhere, and where the
    /// other object has no such place.
    public final func rowReference(of property: ManagedSlot) -> RowReference? {
        checkConfinement("reading", property.name)
        return reference(at: property.slot(in: self, as: .toOne)).flatMap { rowReference(to: $0) }
    }

    private func rowReference(to key: ObjectKey) -> RowReference? {
        guard !key.isTemporary, home.context?.persistentStoreCoordinator?.hasObjectStores == false else { return nil }
        return RowReference(
            entityName: home.modelLayout.entities[key.layoutIndex].name, number: key.primaryKey)
    }
}
