/// The kind of change that history records for a row.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychangetype)
public enum NSPersistentHistoryChangeType: Int, Sendable {
    /// The row was inserted.
    case insert = 0
    /// The row was updated.
    case update = 1
    /// The row was deleted.
    case delete = 2
}
