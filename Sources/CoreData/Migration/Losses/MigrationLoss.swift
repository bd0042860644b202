/// A part of a store's content that its next version has no place for.
///
/// OpenCoreData only. A loss is the objects of an entity, the values of an attribute, or the links of a relationship.
/// ``MigrationForecast/losses`` lists the losses before a migration. The error of a refused migration has them under
/// ``NSMigrationLossesErrorKey``.
public struct MigrationLoss: Sendable, Equatable {
    /// The name of the entity in the store's version. For a property it is the entity that declares the property.
    public var entity: String
    /// The name of the property; nil if objects are lost. For an element of a composite attribute it is the key path.
    public var property: String?
    /// The number of objects that are lost, or that lose a value or links.
    ///
    /// A value counts if it is neither nil nor the default of its attribute.
    public var count: Int
    /// Whether ``count`` is the whole number.
    ///
    /// A forecast reads rows for some milliseconds only. A refused migration counts all rows.
    public var isExact: Bool
    /// Whether the migration runs in spite of the loss: the options allow it, or the loss needs no permission.
    public var isAllowed: Bool

    /// Creates a loss.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - property: The name of the property; nil if objects are lost.
    ///   - count: The number of objects.
    ///   - isExact: Whether `count` is the whole number.
    ///   - isAllowed: Whether the migration runs in spite of the loss.
    public init(entity: String, property: String? = nil, count: Int, isExact: Bool = true, isAllowed: Bool = false) {
        self.entity = entity
        self.property = property
        self.count = count
        self.isExact = isExact
        self.isAllowed = isAllowed
    }

    /// The name of the loss for ``NSMigrationAllowedLossesOption``: `"Entity"` or `"Entity.property"`.
    public var name: String { property.map { "\(entity).\($0)" } ?? entity }
}

extension MigrationLoss: CustomStringConvertible {
    /// The name with the number of objects.
    public var description: String {
        let number = isExact ? "\(count)" : count > 0 ? "at least \(count)" : "an unknown number of"
        let objects = "\(number) object\(count == 1 && isExact ? "" : "s")"
        return property == nil ? "\(objects) of “\(name)”" : "“\(name)” of \(objects)"
    }
}
