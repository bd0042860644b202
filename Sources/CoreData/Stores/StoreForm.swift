/// The form of the stores of a type, for code that opens them, brings them to other versions, or moves them.
package enum StoreForm: Sendable {
    /// A file with tables, and the files beside it. It is migrated as a copy, which then takes its place.
    case file
    /// Tables in a database that others have open, too. They are migrated where they lie.
    case database
    /// Tables in memory. They have the model that they were made with.
    case memory
    /// One file that is read and written as a whole. It is migrated when the store's class refuses it.
    case wholeFile
    /// A store of a program's class over `NSIncrementalStore`.
    case incremental
}
