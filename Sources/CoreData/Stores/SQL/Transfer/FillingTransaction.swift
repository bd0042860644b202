import Foundation

/// The transactions in which a store is filled: few enough for speed, and enough that a kill loses little work.
package final class FillingTransaction {
    private static let timeBetweenCommits = Duration.milliseconds(500)

    private let connection: any SQLConnection
    private let url: URL
    private var lastKept = ContinuousClock.now

    /// Begins the first transaction.
    ///
    /// - Parameter url: The address in errors.
    package init(_ connection: any SQLConnection, _ url: URL) throws {
        self.connection = connection
        self.url = url
        MigrationMoment.reach(.transactionBegun)
        try connection.begin()
    }

    /// Commits if the last commit was some time ago, and continues in another transaction.
    package func keep() throws {
        guard ContinuousClock.now - lastKept >= Self.timeBetweenCommits || MigrationMoment.isObserved else { return }
        try connection.commit()
        MigrationMoment.reach(.batchSaved)
        try connection.begin()
        lastKept = .now
    }

    /// Completes the store, so that it can be opened, with a program's metadata, and commits.
    package func finish(_ metadata: [String: Any]) throws {
        var own = try SQLStoreMetadata.read(from: connection, url: url)
        own[SQLStoreMetadata.unfinishedKey] = nil
        try SQLStoreMetadata.write(own.merging(metadata) { own, _ in own }, to: connection, url: url)
        MigrationMoment.reach(.stepsDone)
        try connection.commit()
        MigrationMoment.reach(.committed)
    }
}
