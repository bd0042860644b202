/// What became of a row.
public enum NSPersistentHistoryChangeType: Int, Sendable {
    /// It was inserted.
    case insert = 0
    /// It was updated.
    case update = 1
    /// It was deleted.
    case delete = 2
}
