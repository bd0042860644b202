import Foundation

// The end of an exchange that a killed process began.
extension StoreExchange {
    /// Ends the work of a killed process before a store is opened. Costs one look at the folder if there is nothing.
    ///
    /// Waits for a process that is migrating the store now. A copy of which a part was finished stays where it is: the
    /// next migration resumes with it. A finished copy is given up if its original has been written to since, by a
    /// program that knows nothing of the journal, or if it has another file in its place. The file there is the store.
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

    /// Removes both versions: somebody has put another file in the store's place, or has written to the older one.
    /// External values of the older version stay, because a backup of it may name them.
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
