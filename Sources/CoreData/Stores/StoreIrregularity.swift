/// Something in the tables of a store that no save writes: another program has written it, or a file was damaged.
///
/// An addition to Apple's API. A plain value, made by `inspect(_:for:)` of a coordinator; `mend(_:in:)` mends what can
/// be.
public struct StoreIrregularity: Hashable, Sendable {
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// The number that is noted as the highest of an entity is less than that of a row. Apple's framework gives the
        /// number of a row to a new object then. This one looks at the rows, and notes the right number with the next
        /// object that gets one.
        case counter
        /// The entity of a row has no objects in the row's table: no entity has such a number, or an abstract one, or
        /// one of another table. In a table of several entities nobody sees the row. In a table of one entity nobody
        /// reads the number.
        case entity
        /// A link between many and many leads to a row that is not there. Nobody sees it.
        case link
        /// The bytes of a text are not UTF-8. It reads with a replacement character (U+FFFD) in their place.
        case encoding
        /// A number is out of the range of its attribute, or a value is of another type.
        case value
    }

    /// The place of a row.
    public struct Row: Hashable, Sendable {
        /// The name of the row's entity; of the entity that has the table, where the row names none of it.
        public let entityName: String
        /// The number of the row in its store.
        public let number: Int64

        package init(_ entityName: String, _ number: Int64) {
            self.entityName = entityName
            self.number = number
        }
    }

    public let kind: Kind
    /// The row; of a counter the one with the greatest number. The row of a link may be missing, too.
    public let row: Row
    /// The attribute or relationship, an element of a composite attribute by its key path; nil for a counter and an
    /// entity.
    public let propertyName: String?
    /// The row that a link leads to; nil for everything else.
    public let target: Row?
    /// What lies in the table, as text: the counter, the number of the entity or of the link's target, the value. Bytes
    /// stand in hexadecimal digits, and the first 64 of them are shown.
    public let found: String

    package init(_ kind: Kind, _ row: Row, _ propertyName: String? = nil, target: Row? = nil, found: String) {
        self.kind = kind
        self.row = row
        self.propertyName = propertyName
        self.target = target
        self.found = found
    }
}
