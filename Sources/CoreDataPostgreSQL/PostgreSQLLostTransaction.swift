#if PostgreSQL
import CoreData
import Foundation

extension Notification.Name {
    /// The framework posts this after a fail-over to a server that lacks transactions. OpenCoreData only.
    ///
    /// This process had committed the missing transactions, or it had read them as history. Synchronous replication
    /// loses no committed transaction.
    ///
    /// The object is the coordinator. The notification comes from a queue of the framework, as soon as a connection
    /// leads to the other server. The user info has these keys:
    ///
    /// - `NSStoreUUIDKey`: The identifier of the store.
    /// - `NSPersistentStoreURLKey`: The URL of the store.
    /// - ``NSPostgreSQLLostTransactionsKey``: The missing transactions of this process.
    /// - ``NSPostgreSQLLostTransactionsAreCutKey``: True if older transactions may be missing, too.
    /// - `NSPersistentHistoryTokenKey`: If the store keeps history, a token of the newest history that both servers
    ///   have.
    public static let NSPostgreSQLTransactionsLost = Notification.Name("NSPostgreSQLTransactionsLost")
}

/// Key of the user info of `NSPostgreSQLTransactionsLost`: the missing transactions of this process, oldest first.
/// OpenCoreData only.
///
/// The value is an array of ``PostgreSQLLostTransaction``.
public let NSPostgreSQLLostTransactionsKey = "NSPostgreSQLLostTransactions"

/// Key of the user info of `NSPostgreSQLTransactionsLost`: `true` if older transactions may be missing, too.
/// OpenCoreData only.
///
/// A process remembers its last 100,000 transactions. The key is there if the oldest of them is missing and there
/// were older ones.
public let NSPostgreSQLLostTransactionsAreCutKey = "NSPostgreSQLLostTransactionsAreCut"

/// A committed transaction that is missing on the server that has taken over.
public struct PostgreSQLLostTransaction: Sendable {
    /// The number in the history of the lost server; nil if that server recorded no history.
    public let transactionNumber: Int64?
    /// The time at which this process learned that the transaction was committed.
    public let date: Date
    /// The `transactionAuthor` of the context that saved.
    public let author: String?
    /// The name of the context that saved.
    public let contextName: String?
    /// The objects that the transaction inserted.
    ///
    /// The array is empty for a batch request, and if this process has saved 50,000 other transactions since.
    public let insertedObjectIDs: [NSManagedObjectID]
    /// The objects that the transaction updated. The array may be empty, as ``insertedObjectIDs``.
    public let updatedObjectIDs: [NSManagedObjectID]
    /// The objects that the transaction deleted. The array may be empty, as ``insertedObjectIDs``.
    public let deletedObjectIDs: [NSManagedObjectID]
}
#endif
