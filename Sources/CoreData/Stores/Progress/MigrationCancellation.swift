import Foundation

/// The check for a cancelled progress, which all migrations use.
package enum MigrationCancellation {
    /// Throws 134120 if the progress was cancelled.
    package static func check(_ progress: Progress?) throws {
        guard let progress, progress.isCancelled else { return }
        throw NSError.coreData(
            NSMigrationCancelledError, reason: "The migration was cancelled. The store is unchanged.")
    }
}
