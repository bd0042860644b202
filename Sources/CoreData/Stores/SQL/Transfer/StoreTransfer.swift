import Foundation

/// Moves the content of an open store in tables into another store, row by row: checks that the other store can hold
/// it, copies, and compares.
struct StoreTransfer {
    let source: SQLStore
    /// The UUID of the store that has the content.
    let identifier: String
    let progress: Progress?

    /// A text that identifies the source and its version.
    var note: String {
        let checksum = source.layout.model.versionChecksum
        return "\(identifier) \(source.configurationName) \(checksum)"
    }

    /// Fills a store.
    ///
    /// - Parameters:
    ///   - url: The address in errors.
    ///   - limits: The limits of the other store.
    ///   - fill: Makes the other store, and calls its body with it.
    func run(
        to url: URL, _ limits: TransferLimits, _ fill: (_ body: (any UnfinishedStore) throws -> Void) throws -> Void
    ) throws {
        try source.reading { connection in
            let from = TransferEnd(
                connection, source.layout, source.schema, externalData: source.externalData,
                name: source.url?.lastPathComponent ?? "the store in memory")
            let metadata = SQLStoreMetadata.ownKeys(of: try metadata(on: connection))
            let rows = try from.count()
            let parts = MigrationParts(progress, weights: [1, 5, 2])
            try parts.run(0) { part in
                var check = TransferCheck(
                    from, limits, identifier: identifier, follower: TransferFollower(part, rows: rows))
                try check.run(storeAt: url)
            }
            try fill { target in
                try copy(from: from, to: target, parts: parts, rows: rows, url: url)
                try target.finish(metadata)
            }
        }
    }

    private func metadata(on connection: any SQLConnection) throws -> [String: Any] {
        try SQLStoreMetadata.read(from: connection, url: source.url ?? URL(fileURLWithPath: "/dev/null"))
    }

    /// Copies the missing rows. If rows of an earlier attempt are of an older state of the source, everything is copied
    /// again.
    private func copy(
        from: TransferEnd, to target: any UnfinishedStore, parts: MigrationParts, rows: Int64, url: URL
    ) throws {
        for attempt in 1... {
            var failure: (any Error)?
            var difference: String?
            do {
                try parts.run(1) { part in
                    try RowTransfer(from: from, to: target.end, follower: TransferFollower(part, rows: rows))
                        .copy { try target.keep() }
                }
                MigrationMoment.reach(.copied)
                difference = try parts.run(2) { part in
                    try TransferComparison(from, target.end, follower: TransferFollower(part, rows: rows)).difference()
                }
                MigrationMoment.reach(.verified)
                if difference == nil { return }
            } catch let error as any SQLFailure where error.isUniqueness {
                failure = error
            }
            guard target.isResumed, attempt == 1 else {
                throw failure
                    ?? NSError.coreData(
                        NSMigrationError,
                        reason: "The store that was moved to “\(url.absoluteString)” did not pass its verification: "
                            + "\(difference ?? ""). The store that was to move is as it was.", url: url)
            }
            target.end.connection.rollback()
            try target.end.connection.begin()
            try RowTransfer(from: from, to: target.end, follower: TransferFollower(nil, rows: 0)).clear()
        }
    }
}
