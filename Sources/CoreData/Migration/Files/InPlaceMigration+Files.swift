import Foundation

// The migration of a database by code of the program: mapping models, and stages with handlers.
//
// The rows are written to a file of this machine, on which the copy stages run as on a store's copy. Then they are read
// back into tables that take the place of the older ones. All of that is one transaction: until it is committed the
// older tables are whole, even if this process or the server is killed.
extension InPlaceMigration {
    private static let reading = 0.1
    private static let writing = 0.2

    /// Migrates a store by copy stages in its open transaction. The transaction keeps other programs from writing to
    /// it.
    func carryOutInFiles(
        _ copyStages: [CopyingMigration.CopyStage], from source: NSManagedObjectModel, _ metadata: [String: Any],
        on connection: any SQLConnection, _ progress: Progress
    ) throws {
        let folder = try workFolder(progress)
        defer { try? folder.remove() }
        try folder.clear()
        let weight = copyStages.reduce(0) { $0 + $1.weight }
        let parts = MigrationParts(
            progress, weights: [Self.reading * weight] + copyStages.map(\.weight) + [Self.writing * weight])
        var files = SQLiteStoreFiles(try folder.make("step-0"))
        try parts.run(0) { try read(source, metadata, on: connection, into: files, $0) }
        MigrationMoment.reach(.copied)
        var rows: [String: Int] = [:]
        for (number, copyStage) in copyStages.enumerated() {
            let next = SQLiteStoreFiles(try folder.make("step-\(number + 1)"))
            rows = try parts.run(number + 1) { try copyStage.make(files, next, $0) }
            try withExtendedLifetime(SoleUse(of: next, timeout: 0)) {}
            MigrationMoment.reach(.copyStageDone)
            try folder.remove("step-\(number)")
            files = next
        }
        try parts.run(copyStages.count + 1) { part in
            MigrationFeed.of(part)?.begin(.verifying)
            try StoreVerifier(request.model, request.configuration).verify(
                files.main, rows: rows, following: FollowedWork(progress: part))
            MigrationMoment.reach(.verified)
            try write(files, metadata, on: connection, part)
        }
    }

    /// The folder of this database's migrations on this machine. The running migration holds its lock. Files that a
    /// killed process has left in it are removed.
    private func workFolder(_ progress: Progress) throws -> MigrationFolder {
        let name =
            "opencoredata-\(geteuid())-"
            + SHA2.sha256(Data(url.absoluteString.utf8)).prefix(8)
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let place = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        guard let folder = try MigrationFolder.lock(place, creating: true, timeout: timeout, progress) else {
            throw WriteFailure.error("The folder for the migration could not be made", place)
        }
        var status = stat()
        guard lstat(folder.url.path, &status) == 0, status.st_uid == geteuid() else {
            throw NSError.coreData(
                NSMigrationError, reason: "The folder “\(folder.url.path)” for the migration is another user's.",
                url: url)
        }
        return folder
    }

    // MARK: Out of the database

    private func read(
        _ source: NSManagedObjectModel, _ metadata: [String: Any], on connection: any SQLConnection,
        into files: SQLiteStoreFiles, _ progress: Progress?
    ) throws {
        let schema = try MigrationTransaction(request).state(of: source, metadata, on: connection).schema
        let layout = source.layout
        connection.nameEntities(schema.layoutOfNumber.mapValues { layout.entities[$0].name })
        let names = Set(schema.layoutOfNumber.values.map { layout.entities[$0].name })
        let from = TransferEnd(connection, layout, schema, name: url.absoluteString)
        let own = SQLSchemaBuilder.schema(of: layout, entities: names)
        do {
            let file = try SQLiteConnection(path: files.main.path, access: .create)
            let made = try SQLiteStoreCreation(layout: layout, schema: own, entities: names).create(
                on: file, settings: SQLiteStoreOptions(nil, url: files.main), url: files.main)
            try file.leaveOutSyncing()
            let end = TransferEnd(
                file, layout, own,
                externalData: ExternalData(
                    folder: files.externalDataFolder, storeName: files.main.lastPathComponent),
                name: files.main.lastPathComponent)
            try file.transaction {
                try RowTransfer(from: from, to: end, follower: TransferFollower(progress, rows: from.count())).copy {}
                var whole = made
                for (key, value) in metadata where whole[key] == nil || key == NSStoreUUIDKey { whole[key] = value }
                whole[NSStoreModelVersionHashesKey] = metadata[NSStoreModelVersionHashesKey]
                try SQLStoreMetadata.write(whole, to: file, url: files.main)
            }
        }
        try withExtendedLifetime(SoleUse(of: files, timeout: 0)) {}
    }

    // MARK: Into the database

    private func write(
        _ files: SQLiteStoreFiles, _ metadata: [String: Any], on connection: any SQLConnection, _ progress: Progress?
    ) throws {
        let file = try SQLiteConnection(path: files.main.path, access: .immutable)
        let made = try SQLStoreMetadata.read(from: file, url: url)
        let names = Set((made[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]).keys)
        let layout = request.model.layout
        let from = TransferEnd(
            file, layout, try IntrospectedSchema(file).fit(layout, entities: names, url: url),
            externalData: ExternalData(folder: files.externalDataFolder, storeName: files.main.lastPathComponent),
            name: files.main.lastPathComponent)
        let rows = try from.count()
        let identifier = metadata[NSStoreUUIDKey] as? String ?? ""
        var check = TransferCheck(
            from, engine.limits(of: from.schema, layout), identifier: identifier,
            follower: TransferFollower(nil, rows: rows))
        try check.run(storeAt: url)
        var whole = made
        whole[NSStoreUUIDKey] = identifier
        whole[NSStoreTypeKey] = metadata[NSStoreTypeKey]
        whole[DeferredStatements.metadataKey] = nil
        try engine.rebuild(
            on: connection, for: layout, entities: names, metadata: whole, timeout: timeout, progress: progress
        ) { end in
            try RowTransfer(from: from, to: end, follower: TransferFollower(progress, rows: 2 * rows)).copy {}
            let comparison = TransferComparison(from, end, follower: TransferFollower(nil, rows: rows))
            guard let difference = try comparison.difference() else { return }
            throw NSError.coreData(
                NSMigrationError, reason: "The migrated store did not pass its verification: \(difference).", url: url)
        }
    }
}
