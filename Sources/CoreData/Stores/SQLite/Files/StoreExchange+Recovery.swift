import Foundation

// The end of an exchange that a killed process began.
extension StoreExchange {
    /// Completes the work of a killed process before a store is opened. Costs one access to the folder if there is
    /// none.
    ///
    /// Waits for a process that is migrating the store now. A copy of which some stages are done stays where it is, and
    /// the next migration resumes it. A finished copy is removed if its original has been written to since, by a
    /// program that does not respect the journal, or if another file has taken the original's place. The file at the
    /// store's address is the store then.
    static func recover(_ store: SQLiteStoreFiles, timeout: TimeInterval = 240) throws {
        guard MigrationFolder.exists(for: store.main), !MigrationFolder.isHeldHere(for: store.main) else { return }
        do {
            guard let folder = try MigrationFolder.lock(store.main, creating: false, timeout: timeout) else { return }
            guard let journal = try ExchangeJournal.read(in: folder.url) else {
                // Without a checkpoint nothing can be resumed.
                if MigrationCheckpoint.read(in: folder.url) == nil { try? folder.remove() }
                return
            }
            try StoreExchange(folder: folder).recover(journal, timeout: timeout)
        } catch let error as SQLiteError {
            throw error.nsError(doing: .opening)
        }
    }

    private func recover(_ journal: ExchangeJournal, timeout: TimeInterval) throws {
        try store.requireOwnFolders(.fileWriteUnknown)
        guard FileManager.default.fileExists(atPath: store.main.path) else { return try finish(journal) }
        let hasCopy =
            try FileManager.default.fileExists(atPath: copy.main.path)
            && Self.digest(of: copy.main) == journal.newer
        guard hasCopy else {
            if try Self.digest(of: store.main) == journal.newer { return try finish(journal) }
            return try giveUp(journal)
        }
        let use = try SoleUse(of: store, timeout: timeout)
        let isUntouched =
            try Self.digest(of: store.main) == journal.older && !use.hadLog
            && use.changeCounter() == journal.olderChanges && FileState(store.main) == journal.olderFile
        if isUntouched { try finish(journal) } else { try giveUp(journal) }
    }

    /// Removes the folder with the copy, because another file has come into the store's place, or the older version has
    /// been written to. External values of the older version stay, because a backup of it may name them.
    private func giveUp(_ journal: ExchangeJournal) throws {
        let isNewer = journal.supportMark.map {
            FileManager.default.fileExists(atPath: copy.supportFolder.appendingPathComponent($0).path)
        }
        for older in [isNewer ?? false ? nil : copy.supportFolder, aside(store.supportFolder)].compactMap(\.self) {
            try SharedSupport.carry(from: older, to: store.supportFolder, except: [], isMoved: true)
        }
        if removeMark(of: journal) { try folder.remove() }
    }
}
