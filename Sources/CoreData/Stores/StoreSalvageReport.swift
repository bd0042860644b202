/// What came out of a damaged store, and what did not.
///
/// An addition to Apple's API. A plain value, made by `salvage(storeAt:into:model:options:)` of coordinators.
public struct StoreSalvageReport: Sendable {
    /// How an entity fared. Subentities count for themselves.
    public struct Entity: Sendable, Equatable {
        public let name: String
        /// How many rows are in the new store.
        public package(set) var rowCount = 0
        /// How many rows were found and could not be brought out. Nobody knows of rows whose pages are lost.
        public package(set) var lostRowCount = 0
        /// How many values of rows that were brought out are lost or changed.
        public package(set) var lostValueCount = 0

        package init(_ name: String) { self.name = name }
    }

    /// Something that could not be read, or was not brought out as it lay there.
    public struct Finding: Sendable, Equatable {
        public enum Kind: String, Sendable, CaseIterable {
            /// The header of the file, or the description of its tables.
            case file
            /// The log beside the file.
            case log
            /// The store's metadata, its model, or its counters.
            case bookkeeping
            /// A page that rows may have been on.
            case page
            /// A row that was not brought out.
            case row
            /// A value that is nil now, or a text with a replacement character in it.
            case value
            /// A value of an attribute that needs one.
            case missingValue
            /// A link to a row that was not found.
            case link
            /// Values that are to be unique, and are not.
            case uniqueness
            /// What salvaging leaves out.
            case leftOut
        }

        public let kind: Kind
        /// The entity; nil where the finding is about none.
        public let entityName: String?
        /// The number of the row; nil where the finding is about more than one.
        public let number: Int64?
        /// The attribute or relationship, an element of a composite attribute by its key path.
        public let propertyName: String?
        public let text: String

        package init(
            _ kind: Kind, of entityName: String? = nil, row number: Int64? = nil, property propertyName: String? = nil,
            _ text: String
        ) {
            self.kind = kind
            self.entityName = entityName
            self.number = number
            self.propertyName = propertyName
            self.text = text
        }
    }

    /// How many findings are kept. `findingCount` counts all.
    public static let mostFindings = 100_000

    /// The entities of the model that have rows, by name.
    public package(set) var entities: [Entity] = []
    /// How many links between many and many are in the new store, and how many were found and are not.
    public package(set) var pairCount = 0
    public package(set) var lostPairCount = 0
    /// How many pages the database should have, and the numbers of those that should have rows and could not be read.
    public package(set) var pageCount = 0
    public package(set) var unreadPages: [Int] = []
    /// How many pages were found that the trees of the tables had lost.
    public package(set) var foundPageCount = 0
    public package(set) var findings: [Finding] = []
    public package(set) var findingCount = 0

    package init() {}

    /// How many rows are in the new store.
    public var rowCount: Int { entities.reduce(0) { $0 + $1.rowCount } }
    /// Whether everything was there, as far as that can be known.
    public var isWhole: Bool { findingCount == 0 }

    package mutating func note(_ finding: Finding) {
        findingCount += 1
        if findings.count < Self.mostFindings { findings.append(finding) }
    }
}
