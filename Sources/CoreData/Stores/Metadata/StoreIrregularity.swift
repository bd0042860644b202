/// Something in the tables of a store that no save writes: another program wrote it, or a file was damaged.
///
/// OpenCoreData only. `inspect(_:for:)` of ``NSPersistentStoreCoordinator`` finds irregularities, and `repair(_:in:)`
/// repairs some of them.
public struct StoreIrregularity: Hashable, Sendable {
    /// The kinds of irregularities.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// The counter of an entity's keys is less than the number of a row.
        ///
        /// Apple's framework then gives the number of a row to a new object. OpenCoreData compares the counter with the
        /// rows, and corrects it with the next new object.
        case counter
        /// The entity of a row has no objects in the table of the row.
        ///
        /// No entity has such a number, or it belongs to an abstract entity or to another table. In a table of several
        /// entities no fetch finds the row. In a table of one entity the number is never read.
        case entity
        /// A link of a many-to-many relationship leads to a row that does not exist. No fetch returns the link.
        case link
        /// The bytes of a text are not UTF-8. The text reads with replacement characters (U+FFFD) in their place.
        case encoding
        /// A number is out of the range of its attribute, or a value is of another type.
        case value
    }

    /// The place of a row.
    public struct Row: Hashable, Sendable {
        /// The name of the row's entity. If the row names no entity of its table, it is the entity that has the table.
        public let entityName: String
        /// The number of the row in its store.
        public let number: Int64

        package init(_ entityName: String, _ number: Int64) {
            self.entityName = entityName
            self.number = number
        }
    }

    /// The kind of the irregularity.
    public let kind: Kind
    /// The row. Of a counter it is the row with the greatest number. The row of a link may not exist.
    public let row: Row
    /// The name of the attribute or relationship; nil for a counter and an entity.
    ///
    /// For an element of a composite attribute it is the key path.
    public let propertyName: String?
    /// The row that a link leads to; nil for other kinds.
    public let target: Row?
    /// The content of the table as text: the counter, the number of the entity or of the link's target, or the value.
    ///
    /// Bytes are written in hexadecimal digits, and only the first 64 of them.
    public let found: String

    package init(_ kind: Kind, _ row: Row, _ propertyName: String? = nil, target: Row? = nil, found: String) {
        self.kind = kind
        self.row = row
        self.propertyName = propertyName
        self.target = target
        self.found = found
    }
}
