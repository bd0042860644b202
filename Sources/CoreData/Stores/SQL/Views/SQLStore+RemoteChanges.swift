import Foundation

extension SQLStore {
    /// Begins to watch for commits on behalf of a coordinator, if the options request it.
    func watchRemoteChanges(for coordinator: any StoreHost) {
        // A store that a migration reads or writes belongs to a coordinator without observers.
        guard use == .work, StoreOptions.isOn(options, NSPersistentStoreRemoteChangeNotificationPostOptionKey), let url
        else { return }
        let identifier = identifier ?? ""
        do {
            setCommitWatch(
                try watchCommits { [weak coordinator] transaction in
                    guard let coordinator else { return }
                    var info: [AnyHashable: Any] = [NSStoreUUIDKey: identifier, NSPersistentStoreURLKey: url]
                    if let transaction {
                        info[NSPersistentHistoryTokenKey] = NSPersistentHistoryToken(numbers: [identifier: transaction])
                    }
                    NotificationCenter.default.post(
                        name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: info)
                })
        } catch {
            Self.reportMissingNotifications(error)
        }
    }

    /// Reports why there are no notifications. The store works without them.
    package static func reportMissingNotifications(_ error: any Error) {
        FileHandle.standardError.write(
            Data("CoreData: error: no remote-change notifications: \(error.localizedDescription)\n".utf8))
    }
}
