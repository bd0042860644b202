import Foundation

/// One pass of `NSMigrationManager.migrateStore`. No other migration fills the destination during the pass, and a
/// complete pass is not repeated.
///
/// Several mapping models may fill one destination, one after the other. Two at once, or the same one from the same
/// store a second time, would double rows. So a pass holds the lock of the destination's migrations, a kernel lock that
/// ends with the process. It leaves a note in the destination's metadata together with its rows.
///
/// A SQLite destination that does not exist yet is built in the folder with the lock, and gets its name when it is
/// whole. A killed pass leaves only that folder, which the next opening removes.
struct MigrationPass {
    /// The key for the list of passes in the destination's metadata: source and mapping model of each.
    static let metadataKey = NSPersistentStore.passesKey

    /// The folder with the lock; nil if the destination is no file.
    private let folder: MigrationFolder?
    private let destination: SQLiteStoreFiles
    /// The ends of the migration, with the addresses at which it builds.
    private(set) var ends: MappedMigrationEnds

    /// Begins a pass.
    ///
    /// - Throws: 134160 while another process migrates into the destination, which the text names, and if the
    ///   destination has had this pass.
    init(_ given: MappedMigrationEnds, _ mappings: NSMappingModel) throws {
        ends = given
        destination = SQLiteStoreFiles(given.destinationURL)
        let isFile = given.destinationURL.isFileURL && StorePlace(given.destinationURL) == .file
        guard isFile, StoreEngines.form(of: given.destinationType) != .memory else {
            folder = nil
            return
        }
        try destination.requireOwn()
        folder = try Self.lock(destination)
        do {
            try folder?.clear()
            ends.note = Self.note(of: given, mappings)
            try requireNew()
            ends.workFolder = folder?.url
            if let folder, StoreEngines.form(of: given.destinationType) == .file, isFree {
                ends.buildURL = folder.copy.main
            }
        } catch {
            try? folder?.remove()
            throw error
        }
    }

    /// Takes the lock, and ends an exchange that a killed process has begun.
    private static func lock(_ destination: SQLiteStoreFiles) throws -> MigrationFolder? {
        var attempts = Attempts(RetryPolicy(pauses: 0.005...0.005, limit: 19))
        while true {
            do {
                try StoreExchange.recover(destination, timeout: 0)
                let folder = try MigrationFolder.lock(destination.main, creating: true, timeout: 0)
                guard let folder, FileManager.default.fileExists(atPath: ExchangeJournal.url(in: folder.url).path)
                else {
                    return folder
                }
            } catch let error as NSError where error.code == NSPersistentStoreTimeoutError {
                let folder = MigrationFolder.url(for: destination.main)
                // The process that held the lock may have ended since.
                if LockHolders.processes(of: [folder]).isEmpty, attempts.goOn() { continue }
                let holder = LockHolders.names(of: [folder])
                throw refusal(
                    "“\(destination.main.lastPathComponent)” is the destination of a migration by \(holder). "
                        + "Begin this one when that has ended.", destination, error)
            } catch {
                throw MappingErrors.destinationStore(error, destination.main)
            }
        }
    }

    /// The note that the destination keeps of the pass; nil if the source has no identifier.
    private static func note(of ends: MappedMigrationEnds, _ mappings: NSMappingModel) -> String? {
        let source = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: ends.sourceType, at: ends.sourceURL, options: ends.sourceOptions)
        return (source?[NSStoreUUIDKey] as? String).map { "\($0) \(mappings.digest)" }
    }

    private func requireNew() throws {
        guard let note = ends.note, FileManager.default.fileExists(atPath: destination.main.path),
            let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: ends.destinationType, at: ends.destinationURL, options: ends.destinationOptions),
            (metadata[Self.metadataKey] as? [String])?.contains(note) == true
        else { return }
        throw Self.refusal(
            "“\(destination.main.lastPathComponent)” has everything already that this mapping model makes of the store "
                + "with the UUID of “\(ends.sourceURL.lastPathComponent)” (a copy has the same one): once more, and every "
                + "object would be there twice. "
                + "Destroy the destination to begin anew.", destination)
    }

    private static func refusal(_ reason: String, _ destination: SQLiteStoreFiles, _ error: NSError? = nil) -> NSError {
        .coreData(
            NSMigrationManagerDestinationStoreError, reason: reason, url: destination.main, underlying: error)
    }

    /// Whether the address has no store, or a destroyed one.
    private var isFree: Bool { !destination.exist || destination.isEmptied }

    /// Gives a destination that the pass has built its name, and releases the lock. A failure leaves no trace.
    func end(failed: Bool) throws {
        defer { try? folder?.remove() }
        guard !failed, let folder, ends.buildURL == folder.copy.main else { return }
        guard isFree else {
            throw Self.refusal(
                "“\(destination.main.lastPathComponent)” was made by another process while it was being built.",
                destination)
        }
        // The new store becomes a single file, and reaches the disk, before it gets the name.
        try folder.copy.withoutUsers(timeout: 0, force: false, absorbing: true) {}
        try Disk.synchronize(folder.copy.main)
        try destination.take(folder.copy)
    }

    /// A store's metadata with the note of a complete pass.
    static func noting(_ note: String?, in metadata: [String: Any]) -> [String: Any] {
        guard let note else { return metadata }
        var result = metadata
        result[metadataKey] = (metadata[metadataKey] as? [String] ?? []) + [note]
        return result
    }
}

extension NSMappingModel {
    /// A digest of the content, which differs between different mapping models.
    final var digest: String {
        func text(_ userInfo: [AnyHashable: Any]?) -> String {
            (userInfo ?? [:]).map { "\($0.base)=\($1)" }.sorted().joined(separator: "\n")
        }
        func text(_ properties: [NSPropertyMapping]?) -> String {
            (properties ?? []).map { "\($0.name ?? "")=\($0.valueExpression?.description ?? "") \(text($0.userInfo))" }
                .sorted().joined(separator: "\n")
        }
        let parts = (entityMappings ?? []).map { mapping in
            [
                mapping.name ?? "", "\(mapping.mappingType.rawValue)", mapping.sourceEntityName ?? "",
                mapping.sourceEntityVersionHash?.base64EncodedString() ?? "", mapping.destinationEntityName ?? "",
                mapping.destinationEntityVersionHash?.base64EncodedString() ?? "",
                mapping.entityMigrationPolicyClassName ?? "", mapping.sourceExpression?.description ?? "",
                text(mapping.attributeMappings), text(mapping.relationshipMappings), text(mapping.userInfo),
            ].joined(separator: "\u{1F}")
        }
        return SHA2.sha256(parts.joined(separator: "\u{1E}").utf8).base64EncodedString()
    }
}
