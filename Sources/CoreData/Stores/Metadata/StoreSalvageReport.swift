/// A report of which content of a damaged store was salvaged, and which was not.
///
/// OpenCoreData only. `salvage(storeAt:into:model:options:)` of ``NSPersistentStoreCoordinator`` makes it.
public struct StoreSalvageReport: Sendable {
    /// The numbers of an entity. Subentities have numbers of their own.
    public struct Entity: Sendable, Equatable {
        /// The name of the entity.
        public let name: String
        /// The number of rows in the new store.
        public package(set) var rowCount = 0
        /// The number of rows that were found, and could not be salvaged. Rows of lost pages are not counted.
        public package(set) var lostRowCount = 0
        /// The number of values of salvaged rows that are lost or changed.
        public package(set) var lostValueCount = 0

        package init(_ name: String) { self.name = name }
    }

    /// Content that could not be read, or was changed by salvaging.
    public struct Finding: Sendable, Equatable {
        /// The kinds of findings.
        public enum Kind: String, Sendable, CaseIterable {
            /// The header of the file, or the description of its tables.
            case file
            /// The -wal beside the file.
            case log
            /// The store's metadata, its model, or its counters.
            case bookkeeping
            /// A page that may have had rows.
            case page
            /// A row that was not salvaged.
            case row
            /// A value that is nil now, or a text with a replacement character in it.
            case value
            /// A missing value of an attribute that needs one.
            case missingValue
            /// A link to a row that was not found.
            case link
            /// Values that break a uniqueness constraint.
            case uniqueness
            /// Content that salvaging leaves out on purpose.
            case leftOut
        }

        /// The kind of the finding.
        public let kind: Kind
        /// The name of the entity; nil if the finding is about none.
        public let entityName: String?
        /// The number of the row; nil if the finding is about several rows, or none.
        public let number: Int64?
        /// The name of the attribute or relationship; nil if the finding is about none.
        ///
        /// For an element of a composite attribute it is the key path.
        public let propertyName: String?
        /// A description of the finding.
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

    /// The greatest number of findings that are kept. ``findingCount`` counts all findings.
    public static let mostFindings = 100_000

    /// The entities of the model that have rows, by name.
    public package(set) var entities: [Entity] = []
    /// The number of many-to-many links in the new store.
    public package(set) var pairCount = 0
    /// The number of many-to-many links that were found, and are not in the new store.
    public package(set) var lostPairCount = 0
    /// The number of pages that the database should have.
    public package(set) var pageCount = 0
    /// The numbers of pages that should have rows, and could not be read.
    public package(set) var unreadPages: [Int] = []
    /// The number of pages that were found although the trees of the tables had lost them.
    public package(set) var foundPageCount = 0
    /// The findings; at most ``mostFindings``.
    public package(set) var findings: [Finding] = []
    /// The number of all findings.
    public package(set) var findingCount = 0

    package init() {}

    /// The number of rows in the new store.
    public var rowCount: Int { entities.reduce(0) { $0 + $1.rowCount } }
    /// Whether all content was there, as far as the file shows it.
    public var isWhole: Bool { findingCount == 0 }

    package mutating func note(_ finding: Finding) {
        findingCount += 1
        if findings.count < Self.mostFindings { findings.append(finding) }
    }
}
