import Foundation

/// The database of an open store: connections that read, and the one that writes. Every method may be called from any
/// thread.
package protocol SQLDatabase: AnyObject, Sendable {
    /// Runs a body with a connection that reads; everything it reads is one state, at least as new as the last commit.
    func read<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result

    /// The same for a body that runs one statement.
    func readOnce<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result

    /// Runs a body with the connection that writes, while nobody else in the process does. If the body throws, a
    /// transaction that it has begun and not committed is undone. Nil, and the body does not run, if the database is
    /// only read, or closed.
    ///
    /// Throws `NestedWriting.error` if the body of another call on this thread has a transaction open: the inner body
    /// would commit, or undo, a part of the outer one's work.
    func write<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result?

    /// Runs a body while nobody in the process writes; a body of `write` may call it.
    func withoutWriting<Result>(_ body: () throws -> Result) rethrows -> Result

    /// Called before a save begins, outside of any transaction.
    func willSave()

    /// Called before a transaction is run once more, for it failed and may succeed then.
    func willRepeat()

    /// Its abilities; always the same.
    var capabilities: SQLCapabilities { get }

    /// Whether all transactions are parts of one that is still held.
    var holdsTransaction: Bool { get }

    /// The database as it is now, for reading alone, as long as somebody holds it; nil where nothing could be written
    /// meanwhile, or past states are not kept.
    func pinned() throws -> (any SQLDatabase)?

    /// Servers that follow this one, for reading alone; nil if there are none. Reads there are as new as the last
    /// commit of this database, and as all commits before `requireNewStandbys()`.
    ///
    /// - Parameter whenOld: Called when former reads may be older than reads from now on.
    func standby(whenOld: @escaping @Sendable () -> Void) -> (any SQLDatabase)?

    /// From now on standbys show all commits until now, by anybody.
    func requireNewStandbys()

    /// The names in this version for the properties whose bits another version of the model has written into history,
    /// and whose programs use the store as well. By the numbers of entities and the marks of their changes.
    func propertiesOfOtherVersions() throws -> [Int: [Int64: [String?]]]

    /// Begins to watch for commits of anybody; nil where the database tells of none.
    func watchCommits(_ notices: CommitNotices) throws -> (any CommitWatch)?

    /// Sets the object that is told when another server goes on in the place of a lost one. The database holds it
    /// weakly.
    func follow(_ follower: any ContinuationFollower)

    /// Passes on the changes of the last transaction of a save, which was committed.
    func didSave(_ changes: ChangeSet)

    /// Says which transactions of history somebody has read.
    func didRead(transactions: [Int64])

    /// Whether the history behind a number was lost with a server, where the present one does not have that
    /// number; nil where it has.
    func lostHistory(after number: Int64) throws -> LostHistory?

    /// Gives back all connections. Reading afterwards throws.
    func close()
}

/// Writing in the middle of writing.
package enum NestedWriting {
    /// The error of a program that saves, or runs a batch, from within a batch's handler.
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
