import Foundation

extension FollowedWork {
    /// Runs statements of a connection. Cancelling the progress stops the statement that is running.
    func run<Result>(on connection: any SQLConnection, _ body: () throws -> Result) throws -> Result {
        guard let progress else { return try body() }
        do {
            return try connection.interruptible(every: 20_000, by: { progress.isCancelled }, body)
        } catch let error as any SQLFailure where error.isOfStopping {
            try MigrationCancellation.check(progress)
            throw error
        }
    }
}
