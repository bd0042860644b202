#if PostgreSQL
    import CoreData
    import Foundation

    extension Notification.Name {
        /// Posted when another server goes on in the place of one that was lost, and does not have what that one had
        /// told: transactions that this process has committed, or history that it has read.
        ///
        /// The object is the coordinator. The user info has the store's identifier (`NSStoreUUIDKey`) and URL
        /// (`NSPersistentStoreURLKey`), the transactions (`NSPostgreSQLLostTransactionsKey`), and, where the store
        /// keeps history, a token of the newest history that both servers have (`NSPersistentHistoryTokenKey`). It is
        /// posted on a queue of the framework's, as soon as a connection leads to the other server.
        ///
        /// Replication that is synchronous loses nothing that was committed.
        public static let NSPostgreSQLTransactionsLost = Notification.Name("NSPostgreSQLTransactionsLost")
    }

    /// The key, in the user info of `NSPostgreSQLTransactionsLost`, of the transactions of this process that are gone:
    /// an array of `PostgreSQLLostTransaction`, oldest first.
    public let NSPostgreSQLLostTransactionsKey = "NSPostgreSQLLostTransactions"

    /// The key, in the same user info, of `true` where the oldest transaction that the process remembers is gone. A
    /// process remembers its last 100,000 transactions: older ones may be gone, too.
    public let NSPostgreSQLLostTransactionsAreCutKey = "NSPostgreSQLLostTransactionsAreCut"

    /// A transaction that was committed, and that the server which goes on does not have.
    public struct PostgreSQLLostTransaction: Sendable {
        /// Its number in the history of the server that was lost; nil where it was not recorded there.
        public let transactionNumber: Int64?
        /// When this process was told that it was committed.
        public let date: Date
        /// What the saving context had for `transactionAuthor`.
        public let author: String?
        /// The saving context's name.
        public let contextName: String?
        /// The objects that it inserted, updated and deleted. They are not known of a batch request, nor of a save
        /// behind which 50,000 others were saved by this process.
        public let insertedObjectIDs: [NSManagedObjectID]
        public let updatedObjectIDs: [NSManagedObjectID]
        public let deletedObjectIDs: [NSManagedObjectID]
    }
#endif
