import Foundation

extension SQLiteStore {
    /// Begins to watch the file for a coordinator, where the options say so.
    func watchRemoteChanges(for coordinator: NSPersistentStoreCoordinator) {
        guard settings.postsRemoteChanges, !isInMemory, let url, type == NSSQLiteStoreType else { return }
        do {
            let connection = try SQLiteConnection(path: url.path, access: .readOnly, busyTimeout: settings.timeout)
            let identifier = identifier ?? ""
            let monitor = try RemoteChangeMonitor(
                store: url, connection: connection,
                hasLog: try connection.text("PRAGMA journal_mode") == "wal", keepsHistory: historyTables != nil
            ) { [weak coordinator] transaction in
                guard let coordinator else { return }
                var info: [AnyHashable: Any] = [NSStoreUUIDKey: identifier, NSPersistentStoreURLKey: url]
                if let transaction {
                    info[NSPersistentHistoryTokenKey] = NSPersistentHistoryToken(numbers: [identifier: transaction])
                }
                NotificationCenter.default.post(
                    name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: info)
            }
            setRemoteChangeMonitor(monitor)
        } catch {
            // The store works without; whoever waits for notifications is told why there are none.
            FileHandle.standardError.write(
                Data("CoreData: error: no remote-change notifications: \(error.localizedDescription)\n".utf8))
        }
    }
}
