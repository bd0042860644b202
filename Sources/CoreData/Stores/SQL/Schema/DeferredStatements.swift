import Foundation

/// The work that a migration has deferred: statements in the store's metadata. Each is removed from the metadata when
/// it has run.
package enum DeferredStatements {
    /// The metadata key for the list of statements that must still be run.
    package static let metadataKey = "OpenCoreDataDeferredMigration"

    package static func pending(_ metadata: [String: Any]) -> [String] { metadata[metadataKey] as? [String] ?? [] }

    /// Runs all pending statements, in the transaction that is open.
    package static func finish(_ metadata: [String: Any], on connection: some SQLConnection) throws {
        for statement in pending(metadata) { try connection.run(.define(.asFound(statement))) }
    }
}

extension SQLStore {
    /// Does the first piece of the work that a migration has deferred, in one transaction. False if there is none left.
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
