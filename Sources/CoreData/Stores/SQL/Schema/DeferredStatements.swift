import Foundation

/// The work that a migration has left for later: statements in the store's metadata, which disappear from there as they
/// run.
package enum DeferredStatements {
    /// Under it the metadata of a store list the statements that are still to be run.
    package static let metadataKey = "OpenCoreDataDeferredMigration"

    package static func pending(_ metadata: [String: Any]) -> [String] { metadata[metadataKey] as? [String] ?? [] }

    /// Runs everything that is pending, in the transaction that is open.
    package static func finish(_ metadata: [String: Any], on connection: some SQLConnection) throws {
        for statement in pending(metadata) { try connection.run(.define(.asFound(statement))) }
    }
}

extension SQLStore {
    /// Does the first piece of the work that a deferred migration left, in one transaction. False if there is none
    /// left.
    package final func finishDeferredPiece() throws -> Bool {
        guard let url, isShared, !DeferredStatements.pending(metadata ?? [:]).isEmpty else { return false }
        let rest = try writing { connection in
            try connection.transaction { () -> [String] in
                try requireSameModel(connection)
                var present = try SQLStoreMetadata.read(from: connection, url: url)
                var pending = DeferredStatements.pending(present)
                if pending.isEmpty { return [] }
                try connection.run(.define(.asFound(pending.removeFirst())))
                present[DeferredStatements.metadataKey] = pending.isEmpty ? nil : pending
                try SQLStoreMetadata.write(present, to: connection, url: url)
                return pending
            }
        }
        metadataEntryWasSaved(rest.isEmpty ? nil : rest, forKey: DeferredStatements.metadataKey)
        return true
    }
}
