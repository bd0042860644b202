import CSQLite
import Foundation

/// What SQLite reported: the extended result code, its text, and the file and statement it was about.
///
/// Internal; `nsError(doing:)` turns it into the `NSError` that callers of Core Data know.
struct SQLiteError: Error, CustomStringConvertible {
    /// The extended result code.
    let code: Int32
    let message: String
    let path: String
    var sql: String?
    /// `errno` of the system call that failed, where one did.
    var systemError: Int32 = 0

    /// The result code without its extension (`SQLITE_BUSY`, `SQLITE_CORRUPT` …).
    var primaryCode: Int32 { code & 0xFF }

    private var isOutOfSpace: Bool {
        primaryCode == SQLITE_FULL
            || (primaryCode == SQLITE_IOERR && (systemError == ENOSPC || systemError == EDQUOT))
    }

    var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }
    var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

    var description: String {
        var text = "SQLite error \(code): \(message)"
        if let sql { text += " in \(sql)" }
        return text
    }

    /// What the operation was, for the choice of the error code.
    enum Operation {
        case opening
        case reading
        case saving
    }

    /// The error in Core Data's terms; the text names the file, the extended code is under `NSSQLiteErrorDomain`.
    func nsError(doing operation: Operation) -> NSError {
        let url = URL(fileURLWithPath: path)
        let name = url.lastPathComponent
        if isOutOfSpace {
            return .coreData(
                CocoaError.Code.fileWriteOutOfSpace.rawValue,
                reason: "The file “\(name)” couldn’t be saved because there isn’t enough space. (\(message))",
                url: url, sqliteCode: code)
        }
        switch primaryCode {
        case SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_FORMAT:
            return .coreData(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                reason: "The file “\(name)” couldn’t be opened because it isn’t in the correct format. (\(message))",
                url: url, sqliteCode: code)
        case SQLITE_BUSY, SQLITE_LOCKED:
            return .coreData(
                NSPersistentStoreTimeoutError,
                reason: "The file “\(name)” is locked by \(LockHolders.names(ofStoreAt: url)). (\(message))",
                url: url, sqliteCode: code)
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
                NSPersistentStoreOpenError, reason: "The file “\(name)” couldn’t be opened. (\(message))", url: url,
                sqliteCode: code)
        case .reading, .saving:
            var info: [String: Any] = [:]
            if let sql { info["NSSQLiteStatement"] = sql }
            return .coreData(
                NSSQLiteError, reason: "SQLite error code:\(code), '\(message)' in the file “\(name)”", url: url,
                sqliteCode: code, userInfo: info)
        }
    }
}
