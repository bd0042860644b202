import Foundation

/// The check of every migration whether it shall end.
package enum MigrationCancellation {
    /// Throws 134120 when somebody has cancelled.
    package static func check(_ progress: Progress?) throws {
        guard let progress, progress.isCancelled else { return }
        throw NSError.coreData(
            NSMigrationCancelledError, reason: "The migration was cancelled. The store is unchanged.")
    }
}
