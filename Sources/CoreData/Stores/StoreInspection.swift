import Foundation

/// What a store's database says of itself: sizes, history, damage, and rows that no save has written.
///
/// An addition to Apple's API. A plain value, made by `inspect(_:for:)` of a coordinator.
public struct StoreInspection: Sendable {
    /// What to look at. History takes a few rows, sizes and damage every page of a file, irregularities every row.
    public struct Parts: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let history = Parts(rawValue: 1)
        /// How many bytes entities take.
        public static let sizes = Parts(rawValue: 2)
        /// Whether the database is whole.
        public static let damage = Parts(rawValue: 4)
        /// Counters and rows that no save writes.
        public static let irregularities = Parts(rawValue: 8)
    }

    /// The persistent history of a store.
    public struct History: Sendable, Equatable {
        /// How many transactions there are.
        public let transactionCount: Int
        /// When the oldest one was; nil without any.
        public let first: Date?
        /// When the newest one was; nil without any.
        public let last: Date?

        package init(transactionCount: Int, first: Date?, last: Date?) {
            self.transactionCount = transactionCount
            self.first = first
            self.last = last
        }
    }

    /// The history; nil where the store has none, or nobody asked.
    public package(set) var history: History?
    /// By the names of entities without a superentity: the bytes of their objects and of those of their subentities,
    /// with indexes. Empty where the database does not tell. Values in files of their own do not count.
    public package(set) var entitySizes: [String: Int64] = [:]
    /// The bytes of the history, with its indexes; nil where the store has none, where the database does not tell, or
    /// where nobody asked for sizes.
    public package(set) var historySize: Int64?
    /// What is damaged, in the words of the database, at most a hundred lines; empty where it is whole, and nil where
    /// it has no means to look, or nobody asked.
    public package(set) var damage: [String]?
    /// Counters and rows that no save writes, table by table and in the order of rows; nil where nobody asked, and
    /// where the columns of the database take the values of their types alone.
    public package(set) var irregularities: [StoreIrregularity]?

    package init() {}

    /// Whether the history takes more than a megabyte, and four times as much as the objects. Transactions that
    /// everybody has read can be deleted (`NSPersistentHistoryChangeRequest.deleteHistory(before:)`).
    public var hasLargeHistory: Bool {
        guard let historySize, !entitySizes.isEmpty else { return false }
        return historySize > 1 << 20 && historySize / 4 > entitySizes.values.reduce(0, +)
    }
}
