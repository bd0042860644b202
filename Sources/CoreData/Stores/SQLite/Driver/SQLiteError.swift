import CSQLite
import Foundation

/// An error of SQLite: the extended result code, its text, and the file and the statement that failed.
///
/// Internal; `nsError(doing:)` turns it into the `NSError` that callers of Core Data expect.
struct SQLiteError: SQLFailure, CustomStringConvertible {
    /// The extended result code.
    let code: Int32
    var codeOfEngine: Int32? { code }
    let message: String
    let path: String
    var sql: String?
    /// The `errno` of the system call that failed; 0 if none failed.
    var systemError: Int32 = 0

    /// The result code without its extension (`SQLITE_BUSY`, `SQLITE_CORRUPT` …).
    var primaryCode: Int32 { code & 0xFF }

    private var isOutOfSpace: Bool {
        primaryCode == SQLITE_FULL
            || (primaryCode == SQLITE_IOERR && (systemError == ENOSPC || systemError == EDQUOT))
            || (code == Self.codeOfShortIndex && systemError != EFBIG)
    }

    /// `SQLITE_IOERR_SHMSIZE`: the -shm could not be enlarged. If another process met the full disk, `errno` is not
    /// known here.
    private static let codeOfShortIndex = SQLITE_IOERR | 19 << 8

    /// Whether a write failed in a process with a limit for the size of files (`SQLITE_IOERR_WRITE`). The file may be
    /// short again by now, because SQLite rolls a transaction back before it reports the error.
    private var isOfWriteBelowLimit: Bool {
        code == SQLITE_IOERR | 3 << 8 && systemError != EIO && WriteFailure.hasSizeLimit
    }

    /// Whether SQLite refused a statement because of its size: too deep, too many values, or too many tables.
    private var isOfSize: Bool {
        primaryCode == SQLITE_ERROR
            && ["parser stack overflow", "Expression tree is too large", "too many SQL variables", "tables in a join"]
                .contains { message.contains($0) }
    }

    /// Whether a sum does not fit into 64 bits. SQLite has no code for it.
    private var isOfOverflow: Bool { primaryCode == SQLITE_ERROR && message == "integer overflow" }

    /// The remedy if a table or a column is missing that every store has; empty for other errors.
    private var remedyOfMissingPart: String {
        let isOfMissingPart =
            primaryCode == SQLITE_ERROR
            && ["no such table: ", "no such column: ", " has no column named "].contains { message.contains($0) }
        return isOfMissingPart
            ? " The store has lost a part that it needs. \(SQLStoreMetadata.remedy)" : ""
    }

    /// Whether the file could not be opened because the process, or the system, has reached its limit of open files.
    private var lacksDescriptors: Bool {
        primaryCode == SQLITE_CANTOPEN && [EMFILE, ENFILE].contains(systemError)
    }

    /// SQLite's codes for a connection whose file has been renamed or removed, or whose log has appeared or
    /// disappeared: `SQLITE_READONLY_DBMOVED`, `SQLITE_READONLY_ROLLBACK`, `SQLITE_IOERR_DELETE_NOENT`,
    /// `SQLITE_IOERR_SHORT_READ`.
    static let codesOfLostFiles = [
        codeOfMovedFile, SQLITE_READONLY | 3 << 8, SQLITE_IOERR | 23 << 8, SQLITE_IOERR | 2 << 8,
    ]

    /// `SQLITE_READONLY_DBMOVED`.
    static let codeOfMovedFile = SQLITE_READONLY | 4 << 8

    /// Whether the file of a connection has another name now or none, see `SQLiteFileGuard`. Another file may be at the
    /// path then.
    var isOfMovedFile: Bool { code == Self.codeOfMovedFile }

    /// Whether the file is no database, or damaged as far as it was read.
    var looksDamaged: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(primaryCode) }

    /// Whether SQLite cannot lock the file, at least not at this moment.
    var cannotBeLocked: Bool {
        [SQLITE_READONLY, SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_IOERR, SQLITE_CANTOPEN].contains(primaryCode)
    }

    /// Whether the file is one that no connection can lock: it can only be read, or it is no database. A disk that
    /// fails, and files that cannot be opened at the moment, do not count.
    var needsNoLock: Bool {
        [SQLITE_READONLY, SQLITE_NOTADB, SQLITE_CORRUPT].contains(primaryCode) && !isOfMovedFile
    }

    /// SQLite's message names the columns: `UNIQUE constraint failed: ZBOOK.ZISBN, ZBOOK.ZEDITION`.
    var kind: SQLFailureKind {
        switch code {
        case SQLITE_CONSTRAINT | 8 << 8:
            let list = message.split(separator: ":", maxSplits: 1).last ?? ""
            return .notUnique(
                columns: list.split(separator: ",").compactMap {
                    $0.split(separator: ".").last.map { $0.trimmingCharacters(in: .whitespaces) }
                })
        case _ where primaryCode == SQLITE_INTERRUPT: return .stopped
        case _ where message.hasPrefix(MigrationFunctions.missingFile):
            return .missingExternalData(row: Int64(message.dropFirst(MigrationFunctions.missingFile.count)))
        default: return .other
        }
    }

    var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

    var description: String {
        var text = "SQLite error \(code): \(message)"
        if let sql { text += " in \(sql)" }
        return text
    }

    /// The error as a Core Data error. The text names the file; the extended code is under `NSSQLiteErrorDomain`.
    func nsError(doing operation: SQLOperation) -> NSError {
        let url = URL(fileURLWithPath: path)
        let name = url.lastPathComponent
        if isOutOfSpace {
            return .coreData(
                CocoaError.Code.fileWriteOutOfSpace.rawValue,
                reason: "The file “\(name)” couldn’t be saved because there isn’t enough space. (\(message))",
                url: url, sqliteCode: code)
        }
        // `systemError` is the `errno` of the thread's last call, which may not be the call that failed.
        let files = SQLiteStoreFiles(url)
        if primaryCode == SQLITE_IOERR,
            systemError == EFBIG || WriteFailure.isAtSizeLimit([files.main, files.wal, files.journal])
                || isOfWriteBelowLimit
        {
            return .coreData(
                WriteFailure.code(EFBIG).rawValue,
                reason: "The file “\(name)” couldn’t be saved: \(WriteFailure.reason(EFBIG, url)) (\(message))",
                url: url, sqliteCode: code, underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(EFBIG)))
        }
        switch primaryCode {
        case SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_FORMAT:
            return .coreData(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                reason: "The file “\(name)” couldn’t be opened because it isn’t in the correct format. "
                    + (SQLiteFault.sentence(of: files).map { "\($0) " } ?? "") + "(\(message))",
                url: url, sqliteCode: code)
        case SQLITE_BUSY, SQLITE_LOCKED:
            return .timeout(
                of: LockTimeout(
                    "The file “\(name)” is locked by \(LockHolders.names(ofStoreAt: url)) (\(message)).",
                    remedy: "Try again when it is closed or saved there"),
                url: url, sqliteCode: code)
        case _ where isOfMovedFile:
            return .coreData(
                operation == .opening ? NSPersistentStoreOpenError : NSSQLiteError,
                reason: "The file “\(name)” was destroyed, replaced or migrated while it was in use.",
                remedy: "Open it again.", url: url, sqliteCode: code)
        case SQLITE_READONLY where operation == .saving:
            return .coreData(
                CocoaError.Code.fileWriteNoPermission.rawValue,
                reason: "The file “\(name)” couldn’t be saved because it can only be read. (\(message))",
                url: url, sqliteCode: code)
        case SQLITE_PERM, SQLITE_AUTH:
            return .coreData(
                CocoaError.Code.fileReadNoPermission.rawValue,
                reason:
                    "The file “\(name)” couldn’t be opened because you don’t have permission to view it. (\(message))",
                url: url, sqliteCode: code)
        case _ where lacksDescriptors:
            return .coreData(
                operation == .opening ? NSPersistentStoreOpenError : NSSQLiteError,
                reason: "The file “\(name)” couldn’t be opened because this process has as many files open as it may "
                    + "(RLIMIT_NOFILE). Close some, or raise the limit: “ulimit -n” and the service’s settings say how "
                    + "high it is. (\(message))",
                url: url, sqliteCode: code, underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(systemError)))
        case SQLITE_INTERRUPT:
            return .coreData(
                CocoaError.Code.userCancelled.rawValue, reason: "The operation on the file “\(name)” was interrupted.",
                url: url, sqliteCode: code)
        default:
            break
        }
        switch operation {
        case .opening:
            return .coreData(
                NSPersistentStoreOpenError,
                reason: "The file “\(name)” couldn’t be opened. (\(message))\(remedyOfMissingPart)", url: url,
                sqliteCode: code)
        case .reading where isOfSize:
            return .coreData(
                NSCoreDataError,
                reason:
                    "A request is more than one statement of SQLite can be: its predicate has too many levels within "
                    + "each other, too many values or too many relationships. Several requests help, or a predicate "
                    + "whose conditions are joined by AND alone or by OR alone. (\(message), in the file “\(name)”)",
                url: url, sqliteCode: code)
        case .reading, .saving:
            var info: [String: Any] = [:]
            if let sql { info["NSSQLiteStatement"] = sql }
            return .coreData(
                NSSQLiteError,
                reason: "SQLite error code:\(code), '\(message)' in the file “\(name)”"
                    + (remedyOfMissingPart.isEmpty ? "" : ".\(remedyOfMissingPart)"),
                url: url, sqliteCode: code,
                underlying: isOfOverflow ? NSError(domain: NSPOSIXErrorDomain, code: Int(EOVERFLOW)) : nil,
                userInfo: info)
        }
    }
}
