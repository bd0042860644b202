import Foundation

/// The database of an open store: connections that read, and the connection that writes. Every method may be called
/// from any thread.
package protocol SQLDatabase: AnyObject, Sendable {
    /// Runs a body with a connection that reads. The body reads one state, which is at least as new as the last commit.
    func read<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result

    /// Runs a body of one statement with a connection that reads.
    func readOnce<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result

    /// Runs a body with the connection that writes, while no other thread of the process writes. If the body throws, a
    /// transaction that it has begun and not committed is rolled back. Nil, and the body does not run, if the database
    /// is read-only or closed.
    ///
    /// Throws `NestedWriting.error` if the body of another call on this thread has a transaction open: the inner body
    /// would commit, or roll back, a part of the outer one's work.
    func write<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result?

    /// Runs a body while no thread of the process writes. A body of `write` may call it.
    func withoutWriting<Result>(_ body: () throws -> Result) rethrows -> Result

    /// Called before a save begins, outside of any transaction.
    func willSave()

    /// Called before a save begins that writes a number of rows, in place of `willSave()`.
    func willSave(rows count: Int)

    /// Called before a transaction that has failed is run once more, because it may succeed then.
    func willRepeat()

    /// The abilities of the database, which never change.
    var capabilities: SQLCapabilities { get }

    /// Whether all transactions are parts of one that is still held.
    var holdsTransaction: Bool { get }

    /// The present state of the database, for reading only, as long as the result exists. Nil if the state cannot
    /// change, or if past states are not kept.
    func pinned() throws -> (any SQLDatabase)?

    /// Servers that replicate this one, for reading only; nil if there are none. Reads there are as new as the last
    /// commit of this database, and as all commits before `requireNewStandbys()`.
    ///
    /// - Parameter whenOld: Called when former reads may be older than reads from this call on.
    func standby(whenOld: @escaping @Sendable () -> Void) -> (any SQLDatabase)?

    /// Requires that reads of standbys show all commits until this call, whichever process made them.
    func requireNewStandbys()

    /// The names in this version for the properties whose bits another version of the model has written into history,
    /// while programs of that version use the store, too. By the numbers of entities and the marks of their changes.
    func propertiesOfOtherVersions() throws -> [Int: [Int64: [String?]]]

    /// Begins to watch for commits of all processes; nil if the database does not report commits.
    func watchCommits(_ notices: CommitNotices) throws -> (any CommitWatch)?

    /// Sets the object that is called after a failover to another server. The database holds it weakly.
    func follow(_ follower: any ContinuationFollower)

    /// Passes on the changes of the last transaction of a save, which was committed.
    func didSave(_ changes: ChangeSet)

    /// Reports the transactions of history that a caller has read.
    func didRead(transactions: [Int64])

    /// Whether the history after a number was lost with a server, because the present server does not have that number;
    /// nil if it has the number.
    func lostHistory(after number: Int64) throws -> LostHistory?

    /// Closes all connections. Reading afterwards throws.
    func close()
}

extension SQLDatabase {
    package func willSave(rows count: Int) { willSave() }
}

/// A write within the body of another write.
package enum NestedWriting {
    /// The error for a program that saves, or runs a batch, within a batch's handler.
    package static var error: NSError {
        .coreData(
            NSPersistentStoreSaveError,
            reason: "A batch or a save of this store is under way on the same thread, as where a batch's handler "
                + "saves. Nothing was written. Save when that is done.")
    }
}

extension SQLDatabase {
    package func readOnce<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result { try read(body) }

    package func willRepeat() {}

    package func pinned() throws -> (any SQLDatabase)? { nil }

    package func standby(whenOld: @escaping @Sendable () -> Void) -> (any SQLDatabase)? { nil }

    package func requireNewStandbys() {}

    package func propertiesOfOtherVersions() throws -> [Int: [Int64: [String?]]] { [:] }

    package func watchCommits(_ notices: CommitNotices) throws -> (any CommitWatch)? { nil }
}
