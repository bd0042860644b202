/// Something that a store holds and that its next version has no place for: objects of an entity, values of an
/// attribute, links of a relationship.
///
/// An addition to Apple's API. A plain value; `MigrationForecast.losses` lists them before a migration, and the error
/// of one that is refused has them under `NSMigrationLossesErrorKey`.
public struct MigrationLoss: Sendable, Equatable {
    /// The entity, as the store's version calls it; of a property the one that declares it.
    public var entity: String
    /// The property; of an element of a composite attribute the key path to it. Nil where objects are lost.
    public var property: String?
    /// How many objects are lost, or have a value that is: other than nil and the attribute's default. Of a
    /// relationship, how many objects have links that are lost.
    public var count: Int
    /// Whether `count` is all there is. A forecast looks at some milliseconds' worth of rows; a refused migration
    /// counts all.
    public var isExact: Bool
    /// Whether the migration goes on all the same: `NSMigrationAllowedLossesOption` names it, or nothing has to.
    public var isAllowed: Bool

    /// A loss of `count` objects of an entity, or of the values that as many objects have for a property.
    public init(entity: String, property: String? = nil, count: Int, isExact: Bool = true, isAllowed: Bool = false) {
        self.entity = entity
        self.property = property
        self.count = count
        self.isExact = isExact
        self.isAllowed = isAllowed
    }

    /// What `NSMigrationAllowedLossesOption` calls it: `"Entity"`, `"Entity.property"`.
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
