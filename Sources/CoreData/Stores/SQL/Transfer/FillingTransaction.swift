import Foundation

/// The transactions in which a store is filled: few enough for speed, enough for a killed process to lose little.
package final class FillingTransaction {
    private static let timeBetweenCommits = Duration.milliseconds(500)

    private let connection: any SQLConnection
    private let url: URL
    private var lastKept = ContinuousClock.now

    /// Begins the first one.
    ///
    /// - Parameter url: The address in errors.
    package init(_ connection: any SQLConnection, _ url: URL) throws {
        self.connection = connection
        self.url = url
        MigrationMoment.reach(.transactionBegun)
        try connection.begin()
    }

    /// Commits when the last commit lies some time back, and continues in another transaction.
    package func keep() throws {
        guard ContinuousClock.now - lastKept >= Self.timeBetweenCommits || MigrationMoment.isObserved else { return }
        try connection.commit()
        MigrationMoment.reach(.batchSaved)
        try connection.begin()
        lastKept = .now
    }

    /// Makes the store one that can be opened, with a program's metadata, and commits.
    package func finish(_ metadata: [String: Any]) throws {
        var own = try SQLStoreMetadata.read(from: connection, url: url)
        own[SQLStoreMetadata.unfinishedKey] = nil
        try SQLStoreMetadata.write(own.merging(metadata) { own, _ in own }, to: connection, url: url)
        MigrationMoment.reach(.stepsDone)
        try connection.commit()
        MigrationMoment.reach(.committed)
    }
}
