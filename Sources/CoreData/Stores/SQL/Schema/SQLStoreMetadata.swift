import Foundation

/// The metadata of a store, which are a row in a table of its bookkeeping.
package enum SQLStoreMetadata {
    /// The framework number that new stores claim: that of the systems of 2023, which every later system opens.
    ///
    /// Stores of this number have just the entries of `description(of:entities:type:)`. Stores since 2025 also
    /// have `NSPersistenceMaximumFrameworkVersion`, the highest number that has written to them. New stores here have
    /// none, as those of the claimed framework, and a Mac adds its own. A store that has the entry keeps it.
    package static let frameworkVersion = 1344
    package static let maximumFrameworkVersionKey = "NSPersistenceMaximumFrameworkVersion"

    /// Keys that describe the store itself. A program may read their values, but not change them.
    package static let reservedKeys: Set<String> = reportedKeys.union([
        NSStoreTypeKey, NSStoreModelVersionHashesKey, "NSStoreModelVersionHashesVersion",
        "NSStoreModelVersionHashesDigest", NSPersistentStoreModelVersionChecksumKey, "NSPersistenceFrameworkVersion",
        maximumFrameworkVersionKey,
        // The way in which a file frees pages. A program's other value for it is no change.
        "_NSAutoVacuumLevel", DeferredStatements.metadataKey, StoredVersion.notesKey, unfinishedKey,
    ])

    /// Keys of entries that a database reports at each reading. They are not saved with the store.
    package static let reportedKeys: Set<String> = ["NSPostgreSQLSynchronousReplication"]

    /// The key under which a store that is being filled records its source. While the entry is there, the store cannot
    /// be opened.
    package static let unfinishedKey = "OpenCoreDataUnfinishedMove"

    /// Throws if a store is being filled, or if the process that filled it was killed.
    package static func requireFinished(_ metadata: [String: Any], _ url: URL) throws {
        guard metadata[unfinishedKey] != nil else { return }
        throw NSError.coreData(
            NSPersistentStoreOpenError,
            reason:
                "The store at “\(url.absoluteString)” is not whole: another one is being moved there, or the process that "
                + "moved it was ended.",
            remedy: "Move it once more, which resumes that move, or destroy this store.", url: url)
    }

    /// The entries that a program has set in a store's metadata, for another store with the same content.
    package static func ownKeys(of metadata: [String: Any]) -> [String: Any] {
        let others = [NSStoreUUIDKey, previousIdentifiersKey, NSStoreModelVersionIdentifiersKey]
        return metadata.filter {
            // Keys with this prefix belong to the framework that wrote them.
            !others.contains($0.key) && !reservedKeys.contains($0.key) && !$0.key.hasPrefix("_NS")
        }
    }

    /// The UUIDs that a store had before a program set another one. They show that a -wal that still holds the change
    /// belongs to the store.
    package static let previousIdentifiersKey = "OpenCoreDataPreviousUUIDs"

    /// Whether metadata belong to the store that has, or had, an identifier, and not to a store that was created in its
    /// place.
    package static func isSameStore(_ metadata: [String: Any], as identifier: String?) -> Bool {
        guard let identifier else { return true }
        return metadata[NSStoreUUIDKey] as? String == identifier
            || (metadata[previousIdentifiersKey] as? [String])?.contains(identifier) == true
    }

    /// The error for a program that has a store open which is of another version by now.
    package static func migrated(_ url: URL, to metadata: [String: Any]) -> NSError {
        .coreData(
            NSPersistentStoreIncompatibleVersionHashError,
            reason: "The store was migrated to another version of the model since it was opened.",
            remedy: "Remove it from the coordinator and open it with the new model.", url: url,
            userInfo: ["metadata": metadata])
    }

    /// The error for a program that has a store open which does not exist any more.
    package static func replaced(_ url: URL) -> NSError {
        .coreData(
            NSPersistentStoreOperationError,
            reason: "The store was destroyed since it was opened, and another one was made in its place.",
            remedy: "Remove it from the coordinator and add it anew.", url: url)
    }

    /// The program's new metadata, with the store's own entries.
    package static func merging(_ metadata: [String: Any], over present: [String: Any]) -> [String: Any] {
        var result = metadata.filter { !reservedKeys.contains($0.key) }
        for key in reservedKeys { result[key] = present[key] }
        let kept = [NSStoreUUIDKey, NSStoreModelVersionIdentifiersKey] + NSPersistentStore.lastingKeys
        for key in kept where result[key] == nil { result[key] = present[key] }
        return result
    }

    /// The entries of metadata that a program has changed since it read the `known` ones, and the present values of the
    /// remaining entries.
    package static func changes(
        to metadata: [String: Any], since known: [String: Any], over present: [String: Any]
    ) -> [String: Any] {
        func entry(_ key: String, _ all: [String: Any]) -> NSDictionary {
            (all[key].map { [key: $0] } ?? [:]) as NSDictionary
        }
        var result = metadata
        for key in Set(metadata.keys).union(known.keys).union(present.keys)
        where entry(key, metadata).isEqual(entry(key, known)) {
            result[key] = present[key]
        }
        return result
    }

    /// Whether a database holds a store. Throws if it holds one that has lost its metadata.
    package static func isThere(on connection: some SQLConnection, url: URL) throws -> Bool {
        let tables = try connection.tableNames()
        if tables.contains(SQLBookkeeping.Metadata.table) { return true }
        if tables.contains(SQLBookkeeping.Keys.table) { throw damaged(url) }
        return false
    }

    package static func read(from connection: some SQLConnection, url: URL) throws -> [String: Any] {
        guard try isThere(on: connection, url: url) else {
            throw try url.isFileURL && connection.tableNames().isEmpty ? withoutTables(url) : notAStore(url)
        }
        let row: (identifier: String, list: Data?)?
        do {
            row = try connection.prepare(SQLBookkeeping.Metadata.select).first { row in
                (identifier: row.string(0), list: row.isNull(1) ? nil : row.data(1))
            }
        } catch let failure as any SQLFailure where failure.isOfMissingPart {
            throw damaged(url, because: failure.message)
        }
        guard let row else { throw damaged(url) }
        var metadata: [String: Any] = [:]
        if let data = row.list {
            guard let dictionary = MetadataList.dictionary(from: data) else { throw damaged(url) }
            metadata = dictionary
        } else if connection.assumedStoreType == nil {
            throw damaged(url)
        }
        metadata[NSStoreTypeKey] = metadata[NSStoreTypeKey] ?? connection.assumedStoreType
        metadata[NSStoreUUIDKey] = row.identifier
        return metadata
    }

    /// Reads the metadata as `read(from:url:)` does, for code that removes the store. Nil if there is no store, or if
    /// its metadata are damaged.
    package static func readIfWhole(from connection: some SQLConnection, url: URL) throws -> [String: Any]? {
        do {
            return try read(from: connection, url: url)
        } catch let error as NSError where error.isOfMissingOrDamagedStore {
            return nil
        }
    }

    /// Writes the row of metadata. The UUID has a column of its own and is not part of the property list.
    package static func write(_ metadata: [String: Any], to connection: some SQLConnection, url: URL?) throws {
        var list = metadata.filter { !reportedKeys.contains($0.key) }
        let identifier = list.removeValue(forKey: NSStoreUUIDKey) as? String ?? UUID().uuidString
        // The row is missing while a store is created. Any other failure may have ended the transaction.
        let present = try readIfWhole(from: connection, url: url ?? URL(fileURLWithPath: "/dev/null"))
        var previous = present?[previousIdentifiersKey] as? [String] ?? []
        if let old = present?[NSStoreUUIDKey] as? String, old != identifier { previous.append(old) }
        if !previous.isEmpty { list[previousIdentifiersKey] = Array(previous.suffix(8)) }
        let data = try MetadataList.data(of: list, .binary, url: url)
        try connection.prepare(SQLBookkeeping.Metadata.write).run { parameters in
            parameters.bind(1, identifier)
            parameters.bind(2, data)
        }
    }

    /// The metadata of a new store: its type, its model and its identifier.
    package static func ofNewStore(
        of model: NSManagedObjectModel, entities: Set<String>?, type: String
    ) -> [String: Any] {
        var metadata = description(of: model, entities: entities, type: type)
        metadata[NSStoreUUIDKey] = UUID().uuidString
        return metadata
    }

    /// The part of a new store's metadata that describes the model.
    package static func description(
        of model: NSManagedObjectModel, entities: Set<String>?, type: String?
    ) -> [String: Any] {
        var hashes = model.entityVersionHashesByName
        if let entities { hashes = hashes.filter { entities.contains($0.key) } }
        var description: [String: Any] = [
            "NSPersistenceFrameworkVersion": frameworkVersion,
            NSStoreModelVersionHashesKey: hashes,
            "NSStoreModelVersionHashesVersion": 3,
            NSStoreModelVersionIdentifiersKey: model.versionIdentifiers.map { "\($0.base)" }.sorted(),
            "NSStoreModelVersionHashesDigest": VersionHash.storeDigest(of: hashes),
            NSPersistentStoreModelVersionChecksumKey: VersionHash.checksum(of: hashes),
        ]
        description[NSStoreTypeKey] = type
        let notes = StoredVersion.notes(of: model, with: hashes)
        if !notes.isEmpty { description[StoredVersion.notesKey] = notes }
        return description
    }

    /// The user-info key of the error for a database without a store. A damaged store has the same error code.
    private static let absenceKey = "OpenCoreDataHoldsNoStore"

    /// Whether an error means that a database has no store, not even a damaged one.
    package static func isNotAStore(_ error: NSError) -> Bool { error.userInfo[absenceKey] != nil }

    package static func notAStore(_ url: URL) -> NSError {
        .coreData(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            reason: url.isFileURL
                ? "The file “\(url.lastPathComponent)” couldn’t be opened because it isn’t in the correct format: "
                    + "it is a database, but not a Core Data store."
                : "The database “\(url.lastPathComponent)” holds no Core Data store.", url: url,
            userInfo: [absenceKey: true])
    }

    /// The error for a database without tables: it is new, or its tables are missing.
    package static func withoutTables(_ url: URL) -> NSError {
        .coreData(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            reason:
                "The file “\(url.lastPathComponent)” couldn’t be opened because it isn’t in the correct format: it is "
                + "a database without tables, and not a Core Data store. A store that was copied without its -wal "
                + "looks so when it was new: copy the -wal, too.", url: url, userInfo: [absenceKey: true])
    }

    /// The remedy for a file that has lost a part without which it cannot be opened.
    package static let remedy = "'coredata salvage' brings what can be read of it into a new store."

    /// The error for a store that has lost its metadata, completely or in part, with the message of the database.
    package static func damaged(_ url: URL, because reason: String? = nil) -> NSError {
        .coreData(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            reason:
                "The store “\(url.lastPathComponent)” is damaged: "
                + (reason ?? "its metadata are missing or cannot be read.") + (url.isFileURL ? " \(remedy)" : ""),
            url: url)
    }
}
