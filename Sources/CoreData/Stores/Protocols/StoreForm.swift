/// The form of the stores of a type, for code that opens, migrates or moves them.
package enum StoreForm: Sendable {
    /// A file with tables, and the files beside it. It is migrated as a copy, which then takes its place.
    case file
    /// Tables in a database that other programs have open, too. They are migrated in place.
    case database
    /// Tables in memory. They have the model with which they were created.
    case memory
    /// One file that is read and written completely. It is migrated when the store's class refuses it.
    case wholeFile
    /// A store whose class is a program's subclass of `NSIncrementalStore`.
    case incremental
}
