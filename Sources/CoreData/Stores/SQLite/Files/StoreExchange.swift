import CExchange
import Foundation

/// Puts the newer version of a store in the place of the older one, so that a kill at any moment loses nothing.
///
/// At the beginning both versions are single files without -wal and -shm, and no other connection has the older one
/// open. The steps are:
///
/// - The journal is written.
/// - The main files exchange their names in one system call, or in two renames if the kernel has no such call.
/// - The folders of external data exchange theirs.
/// - The older version is removed, and the journal with it.
///
/// A process that finds a journal continues where its writer stopped: every step inspects the files and does nothing if
/// it is already done.
struct StoreExchange {
    /// The moments between which a process can be killed, for tests.
    enum Moment: String, CaseIterable {
        case synchronized, journalWritten, mainsExchanged, supportExchanged, folderSynchronized, olderRemoved
    }

    let folder: MigrationFolder
    /// Cancelling this progress ends the exchange, as long as its journal is not written.
    var progress: Progress?
    /// Called after every step. An error that it throws stops the exchange there, as a kill does.
    var reached: (Moment) throws -> Void = { _ in }
    /// Whether the kernel is asked to exchange two names. Tests set it to false to use the two renames.
    var exchangesNames = true

    private func reach(_ moment: Moment) throws {
        if let known = MigrationMoment(rawValue: moment.rawValue) { MigrationMoment.reach(known) }
        try reached(moment)
    }

    var store: SQLiteStoreFiles { SQLiteStoreFiles(folder.store) }
    var copy: SQLiteStoreFiles { folder.copy }

    // MARK: Exchanging

    /// Exchanges the store with the copy in the folder, and removes the older version and the folder.
    ///
    /// The caller holds the folder's lock and the exclusive lock of the store. Until the journal is written a failure
    /// leaves the older version. After that the newer version is in place at the latest after the next opening.
    func run(with use: SoleUse) throws {
        try store.requireOwn()
        let own = try SharedSupport(store: store).olderFiles()
        try SharedSupport.carry(from: store.supportFolder, to: copy.supportFolder, except: own, isMoved: false)
        var mark: String?
        if FileManager.default.fileExists(atPath: copy.supportFolder.path) {
            try removeFormerMarks()
            let name = Self.markPrefix + UUID().uuidString
            try Data().write(to: copy.supportFolder.appendingPathComponent(name))
            mark = name
        }
        try FollowedWork(progress: progress).synchronize(folder.url)
        try reach(.synchronized)
        let journal = ExchangeJournal(
            older: try Self.digest(of: store.main), newer: try Self.digest(of: copy.main),
            olderChanges: try use.changeCounter(), olderFile: FileState(store.main), supportMark: mark,
            own: own.sorted())
        try journal.write(in: folder.url)
        try reach(.journalWritten)
        try finish(journal)
    }

    /// Removes the mark of a process that was killed before its journal named the mark.
    private func removeFormerMarks() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: copy.supportFolder.path)
        where name.hasPrefix(Self.markPrefix) {
            try FileManager.default.removeItem(at: copy.supportFolder.appendingPathComponent(name))
        }
    }

    /// Completes an exchange that was begun: runs every step that is not done yet.
    func finish(_ journal: ExchangeJournal) throws {
        try store.requireOwn()
        try exchangeMains(journal)
        try reach(.mainsExchanged)
        try exchangeSupport(journal)
        try keepOthers(journal)
        try reach(.supportExchanged)
        Disk.synchronizeFolder(store.main.deletingLastPathComponent())
        Disk.synchronizeFolder(folder.url)
        try reach(.folderSynchronized)
        try copy.removeRemains()
        let isMarkGone = removeMark(of: journal)
        try reach(.olderRemoved)
        // The exchange is done. A file that cannot be removed only takes up space, and the next opening removes it. The
        // journal names the mark, so the journal stays as long as the mark.
        if isMarkGone { try? folder.remove() }
        MigrationMoment.reach(.exchanged)
    }

    /// Removes the file that marks the newer folder of external data. Returns whether the file is gone.
    func removeMark(of journal: ExchangeJournal) -> Bool {
        guard let mark = journal.supportMark else { return true }
        return unlink(store.supportFolder.appendingPathComponent(mark).path) == 0 || errno == ENOENT
    }

    private func exchangeMains(_ journal: ExchangeJournal) throws {
        let fileManager = FileManager.default
        guard fileManager.fileExists(atPath: copy.main.path), try Self.digest(of: copy.main) == journal.newer else {
            // The older version already lies there, or has been removed.
            return
        }
        if fileManager.fileExists(atPath: store.main.path) {
            if exchangesNames, opencoredata_exchange(copy.main.path, store.main.path) == 0 { return }
            if exchangesNames, ![ENOSYS, EINVAL, ENOTSUP].contains(errno) {
                throw WriteFailure.error("The migrated store could not be put in its place", store.main)
            }
            try Self.rename(store.main, to: aside(store.main))
        }
        try Self.rename(copy.main, to: store.main)
    }

    private func exchangeSupport(_ journal: ExchangeJournal) throws {
        let fileManager = FileManager.default
        let (old, new) = (store.supportFolder, copy.supportFolder)
        let hasOld = fileManager.fileExists(atPath: old.path)
        guard let mark = journal.supportMark else {
            // If no file in the folder was the older version's, another store has created the folder since.
            if hasOld, !journal.own.isEmpty, !fileManager.fileExists(atPath: aside(old).path) {
                try Self.rename(old, to: aside(old))
            }
            return
        }
        guard fileManager.fileExists(atPath: new.appendingPathComponent(mark).path) else { return }
        if hasOld {
            if exchangesNames, opencoredata_exchange(new.path, old.path) == 0 { return }
            if exchangesNames, ![ENOSYS, EINVAL, ENOTSUP].contains(errno) {
                throw WriteFailure.error("The external data could not be put in its place", old)
            }
            if fileManager.fileExists(atPath: aside(old).path) {
                // A process was killed between the two renames. The files that are there have been added since.
                try SharedSupport.carry(from: old, to: new, except: Set(journal.own), isMoved: true)
                try fileManager.removeItem(at: old)
            } else {
                try Self.rename(old, to: aside(old))
            }
        }
        try Self.rename(new, to: old)
    }

    /// Keeps files that another store with the same folder has put into the older folder since the exchange began.
    private func keepOthers(_ journal: ExchangeJournal) throws {
        let own = Set(journal.own)
        for older in [copy.supportFolder, aside(store.supportFolder)] {
            try SharedSupport.carry(from: older, to: store.supportFolder, except: own, isMoved: true)
        }
    }

    /// The prefix of the name of the file that marks the newer folder of external data.
    static let markPrefix = ".exchange-"

    /// The address of a file of the older version when names cannot be exchanged.
    func aside(_ url: URL) -> URL { folder.url.appendingPathComponent("older-\(url.lastPathComponent)") }

    private static func rename(_ source: URL, to target: URL) throws {
        guard Foundation.rename(source.path, target.path) == 0 else {
            throw WriteFailure.error("“\(source.lastPathComponent)” could not be renamed", source)
        }
    }

    /// The checksum of the version hashes of a single file's store.
    static func digest(of url: URL) throws -> String {
        let connection = try SQLiteConnection(path: url.path, access: .immutable)
        let metadata = try SQLStoreMetadata.read(from: connection, url: url)
        return VersionHash.storeDigest(of: metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:])
    }
}
