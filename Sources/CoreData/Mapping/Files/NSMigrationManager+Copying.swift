import Foundation

extension NSMigrationManager {
    /// Carries out an inferred mapping of a SQLite store onto itself: migrates the store in place, in one transaction.
    final func migrateInPlace(_ ends: MappedMigrationEnds, _ mappings: NSMappingModel) throws -> Bool {
        guard usesStoreSpecificMigrationManager, ends.sourceURL == ends.destinationURL,
            [ends.sourceType, ends.destinationType].allSatisfy({ StoreEngines.form(of: $0) == .file }),
            StorePlace(ends.sourceURL) == .file, mappings.isInferred(from: sourceModel, to: destinationModel)
        else { return false }
        try checkCancellation()
        let files = SQLiteStoreFiles(ends.sourceURL)
        let stores = MappedMigrationStores(ends: ends)
        try stores.requireTriggers(for: destinationModel)
        let request = MigrationRequest(
            at: files.main, to: destinationModel, configuration: ends.destinationConfiguration,
            options: ends.destinationOptions)
        do {
            try files.requireOwn()
            try StoreExchange.recover(files, timeout: request.timeout)
            try LightweightMigrator(request).apply(from: sourceModel, follower ?? ownProgress)
            try stores.makeTriggers(destinationModel)
        } catch {
            throw cancellationError ?? error
        }
        if follower != nil || ownProgress.totalUnitCount < 1 { ownProgress.totalUnitCount = 1 }
        ownProgress.completedUnitCount = ownProgress.totalUnitCount
        return true
    }

    /// Carries out an inferred mapping between SQLite stores: copies the store, and migrates the copy in place.
    final func migrateInCopy(_ ends: MappedMigrationEnds, _ mappings: NSMappingModel) throws -> Bool {
        guard [ends.sourceType, ends.destinationType].allSatisfy({ StoreEngines.form(of: $0) == .file }),
            StorePlace(ends.sourceURL) == .file, StorePlace(ends.destinationURL) == .file,
            !SQLiteStoreFiles(ends.buildURL).exist, mappings.isInferred(from: sourceModel, to: destinationModel)
        else { return false }
        try checkCancellation()
        let copy = SQLiteStoreFiles(ends.buildURL)
        do {
            let parts = MigrationParts(follower ?? ownProgress, weights: [1, 2])
            try parts.run(0) { part in
                MigrationFeed.of(part)?.begin(.copying)
                try SQLiteStoreFiles(ends.sourceURL).copy(to: copy, following: FollowedWork(progress: part))
            }
            noteProgress()
            try checkCancellation()
            try parts.run(1) { part in
                let request = MigrationRequest(
                    at: copy.main, to: destinationModel, configuration: ends.destinationConfiguration,
                    options: ends.destinationOptions)
                try LightweightMigrator(request).apply(from: sourceModel, part)
            }
            let stores = MappedMigrationStores(ends: ends)
            try stores.makeTriggers(destinationModel)
            try stores.leaveNote()
            if follower != nil {
                ownProgress.totalUnitCount = 1
                ownProgress.completedUnitCount = 1
            }
            noteProgress()
        } catch {
            try? copy.removeRemains()
            throw cancellationError ?? error
        }
        return true
    }
}
