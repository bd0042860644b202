import CoreData
import Foundation

extension PlannedMigration {
    /// The error of opening a store as one of SwiftData, in the words of its interface.
    func translated(_ error: any Error, _ store: StoreVersion?) -> SwiftDataError {
        if let error = error as? SwiftDataError { return error }
        if let fault = error as? SchemaFault { return .loadIssueModelContainer.because(nil, fault) }
        let known = error as NSError
        if known.code == NSStagedMigrationBackwardMigrationError { return .backwardMigration.because(nil, error) }
        guard let losses = known.userInfo[NSMigrationLossesErrorKey] as? [MigrationLoss] else {
            return .loadIssueModelContainer.because(nil, error)
        }
        let isNewer = store?.isNewer(than: managed.schema.version) == true
        let names = configuration.allowedLosses.union(losses.map(\.name)).sorted().map { "\"\($0)\"" }
        let reason =
            "The store “\(configuration.url.lastPathComponent)” is of \(isNewer ? "a newer" : "another") version of the "
            + "schema, and this one has no place for what it holds: \(losses.map(\.description).joined(separator: ", ")). "
            + "Nothing was changed. Open it with the version of the program that wrote it, or with a newer one. To allow "
            + "the loss of the values: configuration.allowedLosses = [\(names.joined(separator: ", "))]"
        return (isNewer ? SwiftDataError.backwardMigration : .loadIssueModelContainer).because(reason, error)
    }
}
