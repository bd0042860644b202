/// The watches of a store whose connections are closed and opened with its own.
final class RemoteChangeMonitors: Sendable {
    private struct WeakMonitor {
        weak var monitor: RemoteChangeMonitor?
    }

    private let members = Locked<[WeakMonitor]>([])

    /// Adds a watch, and begins it unless the connections of the database are closed.
    func add(_ monitor: RemoteChangeMonitor, of database: SQLiteDatabase) throws {
        members.withLock { members in
            members.removeAll { $0.monitor == nil }
            members.append(WeakMonitor(monitor: monitor))
        }
        // Not under the writer's lock: a caller may hold the lock of the coordinator, for which a save may wait.
        while true {
            let isClosed = database.isClosedForMigration
            do {
                if isClosed { monitor.suspend() } else { try monitor.resume() }
                if database.isClosedForMigration == isClosed { return }
            } catch {
                // A migration has the file. The watch begins after it.
                if !database.isClosedForMigration { throw error }
            }
        }
    }

    /// Closes the connections of the watches, or opens them again.
    func setSuspended(_ isSuspended: Bool) {
        for member in members.withLock({ $0 }) {
            do {
                if isSuspended { member.monitor?.suspend() } else { try member.monitor?.resume() }
            } catch {
                SQLStore.reportMissingNotifications(error)
            }
        }
    }
}
