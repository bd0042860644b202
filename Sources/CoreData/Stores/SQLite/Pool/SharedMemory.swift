import Foundation

/// The stores in memory that the coordinators of a process share: SQLite databases by the names below `/dev/null`.
///
/// SQLite keeps such a database as long as a connection to it is open.
enum SharedMemory {
    /// The number of times that a name was given to a new database while other connections had the old one open.
    private static let generations = Locked<[String: Int]>([:])

    /// A connection to the database of a name. The database is empty if no other connection has it open.
    static func connection(to name: String, timeout: TimeInterval) throws -> SQLiteConnection {
        let generation = generations.withLock { $0[name] ?? 0 }
        return try SQLiteConnection(
            path: "/opencoredata/\(generation)/\(name)", access: .sharedMemory, busyTimeout: timeout)
    }

    /// A read-only connection to the store of a name; nil if no connection has such a store open.
    static func reader(of name: String, timeout: TimeInterval) throws -> SQLiteConnection? {
        do {
            let connection = try connection(to: name, timeout: timeout)
            try connection.refuseWriting()
            return try connection.isEmpty() ? nil : connection
        } catch let error as SQLiteError {
            throw error.nsError(doing: .opening)
        }
    }

    /// Assigns the name to a new store. Coordinators that have the old one open keep it until they close it.
    ///
    /// - Parameters:
    ///   - url: the store's URL, for the error.
    ///   - force: whether to do so although another coordinator has the store open; otherwise this is the error
    ///     `NSPersistentStoreTimeoutError`.
    static func destroy(_ name: String, url: URL, force: Bool) throws {
        guard try reader(of: name, timeout: 0) != nil else { return }
        guard force else {
            throw NSError.coreData(
                NSPersistentStoreTimeoutError,
                reason: "The store in memory at “\(url.path)” is open in another coordinator.", url: url)
        }
        generations.withLock { $0[name, default: 0] += 1 }
    }
}
