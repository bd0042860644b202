import Foundation

extension SQLiteStore {
    /// Begins to watch the file.
    func watchFile(_ post: @escaping @Sendable (_ transaction: Int64?) -> Void) throws -> (any CommitWatch)? {
        guard !isInMemory, let url, type == NSSQLiteStoreType else { return nil }
        let connection = try SQLiteConnection(path: url.path, access: .readOnly, busyTimeout: settings.timeout)
        return try RemoteChangeMonitor(
            store: url, connection: connection, hasLog: try connection.hasLog(),
            keepsHistory: historyTables != nil, post: post)
    }
}
