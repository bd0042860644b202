/// The moments of migrations, and of the destruction of a store, at which tests end the process. Then the tests examine
/// the remaining files.
///
/// Only tests use them; see the product MigrationTestKit.
@_spi(MigrationTesting)
public enum MigrationMoment: String, CaseIterable, Sendable {
    // In place.
    case transactionBegun, stepDone, stepsDone, committed
    // Into a copy.
    case folderLocked, storeLocked, copied, copyStageDone, checkpointWritten, settled, verified
    // By a mapping model.
    case batchSaved, associationsKept, positionKept
    // In stages.
    case willHandled, didHandled
    // The exchange of copy and store.
    case synchronized, journalWritten, mainsExchanged, supportExchanged, folderSynchronized, olderRemoved,
        journalRemoved,
        exchanged
    // The end of a store.
    case logAbsorbed, logEmptied, mainEmptied, valuesRemoved
    // A store that is one file.
    case pieceWritten

    private static let observer = Locked<(@Sendable (MigrationMoment) -> Void)?>(nil)

    /// Sets the closure that is called at every moment, on the migrating thread. The process has one such closure.
    ///
    /// - Parameter body: The closure; nil removes it.
    public static func observe(_ body: (@Sendable (MigrationMoment) -> Void)?) {
        observer.withLock { $0 = body }
    }

    /// Whether there is an observer.
    package static var isObserved: Bool { observer.withLock { $0 != nil } }

    package static func reach(_ moment: MigrationMoment) {
        observer.withLock { $0 }?(moment)
    }
}
