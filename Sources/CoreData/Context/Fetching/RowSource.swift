/// The source of a context's rows and the target of its saves: its parent context, or the stores of a coordinator.
///
/// Rows, keys, members and saves pass through the source. For ids, query generations, merging and authors a context
/// still uses its parent directly.
protocol RowSource {
    /// The row behind an object; nil where there is none.
    func row(for key: ObjectKey, in context: NSManagedObjectContext) throws -> Snapshot?
    /// The row as it is now. Neither the context's memory nor its pinned state counts.
    func newestRow(for key: ObjectKey, in context: NSManagedObjectContext) throws -> Snapshot?
    /// The rows behind many objects, by the keys they have under their root entities; without those that have no row.
    func rows(for keys: [ObjectKey], in context: NSManagedObjectContext) throws -> [ObjectKey: Snapshot]

    /// The members of a to-many relationship of one object; a second method returns those of several objects by the
    /// keys of their owners.
    func members(of toMany: ToManySlot, owner: ObjectKey, in context: NSManagedObjectContext) throws -> [ObjectKey]
    func members(
        of toMany: ToManySlot, owners: [ObjectKey], in context: NSManagedObjectContext
    ) throws -> [Int64: [ObjectKey]]

    /// The rows of a fetch. A second method returns them some hundred at a time, if the source returns them so.
    func rows(_ plan: FetchPlan, in context: NSManagedObjectContext) throws -> [Snapshot]
    func eachBatchOfRows(
        _ plan: FetchPlan, in context: NSManagedObjectContext, _ body: ([Snapshot]) throws -> Void
    ) throws
    /// The keys of a fetch's results; further methods return their number, and the dictionaries of a fetch.
    func keys(_ plan: FetchPlan, in context: NSManagedObjectContext) throws -> FetchedKeys
    func count(_ plan: FetchPlan, in context: NSManagedObjectContext) throws -> Int
    func dictionaries(_ plan: FetchPlan, in context: NSManagedObjectContext) throws -> FetchedDictionaries
    /// Calls a body with the columns of each row of a fetch of dictionaries. False, without a call, if the source can
    /// only make dictionaries.
    func streamColumns(
        _ plan: FetchPlan, in context: NSManagedObjectContext, _ body: (FetchedRow) throws -> Void
    ) throws -> Bool

    /// Whether the source has rows of objects that are in no store yet, under their temporary keys.
    var hasUnsavedRows: Bool { get }
    /// The permanent key for a context's temporary one; nil if the source has none.
    func permanentKey(for key: ObjectKey) -> ObjectKey?
    /// The past state, or the standbys, that the context's own settings select for its reads; nil if it reads the
    /// present state or that of its source.
    func generation(of context: NSManagedObjectContext) throws -> QueryGeneration?

    /// Passes the changes that a context saves to the source. True if the source takes them over later:
    /// `takeOverSoon()` makes it begin.
    func save(_ work: inout NSManagedObjectContext.SaveWork, of context: NSManagedObjectContext) throws -> Bool
    func takeOverSoon()
}
