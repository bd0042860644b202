import Foundation

/// The sizes, the history and the damage of a store, and rows that no save has written.
///
/// OpenCoreData only. `inspect(_:for:)` of ``NSPersistentStoreCoordinator`` makes it.
public struct StoreInspection: Sendable {
    /// The parts of an inspection.
    ///
    /// History reads a few rows, sizes and damage read every page of a file, irregularities read every row, and the
    /// mirror reads a row for each record.
    public struct Parts: OptionSet, Sendable {
        /// The bits of the parts.
        public let rawValue: Int
        /// Creates a set of parts from its bits.
        ///
        /// - Parameter rawValue: The bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The persistent history.
        public static let history = Parts(rawValue: 1)
        /// The numbers of bytes that entities take.
        public static let sizes = Parts(rawValue: 2)
        /// Whether the database is whole.
        public static let damage = Parts(rawValue: 4)
        /// Counters and rows that no save writes.
        public static let irregularities = Parts(rawValue: 8)
        /// The bookkeeping of CloudKit's mirroring.
        public static let mirror = Parts(rawValue: 16)
    }

    /// The persistent history of a store.
    public struct History: Sendable, Equatable {
        /// The number of transactions.
        public let transactionCount: Int
        /// The time of the oldest transaction; nil without any.
        public let first: Date?
        /// The time of the newest transaction; nil without any.
        public let last: Date?

        package init(transactionCount: Int, first: Date?, last: Date?) {
            self.transactionCount = transactionCount
            self.first = first
            self.last = last
        }
    }

    /// The history; nil if the store has none, or the inspection did not include it.
    public package(set) var history: History?
    /// The bytes of the objects of each entity without a superentity, by name.
    ///
    /// Objects of subentities and indexes are included; values in files of their own are not. Empty if the database
    /// does not report sizes.
    public package(set) var entitySizes: [String: Int64] = [:]
    /// The bytes of the history, with its indexes.
    ///
    /// Nil if the store has no history, if the database does not report sizes, or if the inspection did not include
    /// sizes.
    public package(set) var historySize: Int64?
    /// The damage by the report of the database, at most a hundred lines; empty if the database is whole.
    ///
    /// Nil if the database cannot check itself for damage, or if the inspection did not include it.
    public package(set) var damage: [String]?
    /// Counters and rows that no save writes, table by table, in the order of rows.
    ///
    /// Nil if the inspection did not include them, or if the columns of the database take values of their types only.
    public package(set) var irregularities: [StoreIrregularity]?

    /// The bookkeeping of CloudKit's mirroring; nil if the store is not mirrored, or the inspection did not include it.
    public package(set) var mirror: CloudMirror?

    package init() {}

    /// Whether the history takes more than a megabyte, and more than four times as much as the objects.
    ///
    /// Transactions that all readers of the history have read can be deleted by
    /// `deleteHistory(before:)` of ``NSPersistentHistoryChangeRequest``.
    public var hasLargeHistory: Bool {
        guard let historySize, !entitySizes.isEmpty else { return false }
        return historySize > 1 << 20 && historySize / 4 > entitySizes.values.reduce(0, +)
    }
}
