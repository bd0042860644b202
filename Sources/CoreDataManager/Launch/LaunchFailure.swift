import CoreData

/// A failed launch in words for the user: what happened, what helps, and whether trying again makes sense.
///
/// The store is as it was before the step that failed; of a migration in stages the finished ones stay.
public struct LaunchFailure: Sendable {
    /// What a user can do something about, one case each.
    public enum Kind: String, Sendable, CaseIterable {
        /// The volume is full.
        case diskFull
        /// The file may not be read or written.
        case noPermission
        /// Another program holds the store.
        case busy
        /// The file or its folder is not there, or too many files are open.
        case unreachable
        /// The file is damaged or no store at all.
        case damaged
        /// The store is of a version that the program does not know: most often from a newer program.
        case incompatible
        /// The server of the store's database does not answer, or the connection to it was lost.
        case serverUnreachable
        /// The address of the server has an unknown option, or an option with an invalid value.
        case serverAddressWrong
        /// The server refuses the user or the password.
        case passwordRefused
        /// The server does not let the user read or change the data.
        case databaseNotPermitted
        /// The server's certificate is not one that is trusted.
        case certificateNotTrusted
        /// The database can only be read.
        case databaseReadOnly
        /// Another program brings the store to another version.
        case migratedByAnother
        /// The server has no room left: on its disk, or for one more connection.
        case serverFull
        /// The user stopped the migration.
        case cancelled
        /// The program itself is incomplete: its model cannot be read, or nothing in it leads from the store's version,
        /// which it knows, to its own.
        case incompleteProgram
        /// Anything else.
        case other
    }

    /// What it is about.
    public let kind: Kind
    /// The headline.
    public let title: String
    /// What happened, what to do, and that the data was kept, where that is known: not for a damaged file, and not for
    /// what is not understood.
    public let message: String
    /// The label of the button that calls `CoreDataManager.retry`; nil when trying again cannot help.
    public let retryLabel: String?
    /// The error itself, for a log.
    public let error: any Error

    /// Finds the words for an error.
    public init(_ error: any Error, texts: LaunchTexts = LaunchTexts()) {
        self.error = error
        kind = Self.kind(of: error)
        title = texts[kind == .cancelled ? .cancelledTitle : .failureTitle]
        let isKept = kind != .damaged && kind != .other
        message = texts[Self.key(of: kind)] + (isKept ? " \(texts[.dataKept])" : "")
        let isForGood = [.incompatible, .incompleteProgram, .serverAddressWrong].contains(kind)
        retryLabel = isForGood ? nil : texts[.retry]
    }

    private static func key(of kind: Kind) -> LaunchTexts.Key {
        switch kind {
        case .diskFull: .diskFull
        case .noPermission: .noPermission
        case .busy: .busy
        case .unreachable: .unreachable
        case .damaged: .damaged
        case .incompatible: .incompatible
        case .serverUnreachable: .serverUnreachable
        case .serverAddressWrong: .serverAddressWrong
        case .passwordRefused: .passwordRefused
        case .certificateNotTrusted: .certificateNotTrusted
        case .databaseReadOnly: .databaseReadOnly
        case .databaseNotPermitted: .databaseNotPermitted
        case .migratedByAnother: .migratedByAnother
        case .serverFull: .serverFull
        case .cancelled: .cancelled
        case .incompleteProgram: .incompleteProgram
        case .other: .other
        }
    }

    private static func kind(of error: any Error) -> Kind {
        if error is CancellationError { return .cancelled }
        if case CoreDataManagerError.unreadableModel? = error as? CoreDataManagerError { return .incompleteProgram }
        var next: NSError? = error as NSError
        var found = Kind.other
        // The innermost error knows best why, if it is one of those that say so.
        while let error = next {
            found = kind(ofOne: error) ?? found
            next = error.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        return found
    }

    private static func kind(ofOne error: NSError) -> Kind? {
        if let kind = kind(ofServer: error) { return kind }
        if let result = sqliteCode(of: error), let kind = kind(ofSQLiteCode: result) { return kind }
        switch (error.domain, error.code) {
        case (NSPOSIXErrorDomain, Int(ENOSPC)), (NSPOSIXErrorDomain, Int(EDQUOT)): return .diskFull
        case (NSPOSIXErrorDomain, Int(EACCES)), (NSPOSIXErrorDomain, Int(EPERM)), (NSPOSIXErrorDomain, Int(EROFS)):
            return .noPermission
        case (NSPOSIXErrorDomain, let code) where [ENOENT, ENOTDIR, EMFILE, ENFILE].contains(Int32(code)):
            return .unreachable
        case (NSCocoaErrorDomain, let code): return kind(ofCocoaCode: code)
        default: return nil
        }
    }

    private static func kind(ofCocoaCode code: Int) -> Kind? {
        switch code {
        case CocoaError.Code.fileWriteOutOfSpace.rawValue: .diskFull
        case CocoaError.Code.fileReadNoPermission.rawValue, CocoaError.Code.fileWriteNoPermission.rawValue,
            CocoaError.Code.fileWriteVolumeReadOnly.rawValue:
            .noPermission
        case NSPersistentStoreTimeoutError: .busy
        case CocoaError.Code.fileNoSuchFile.rawValue, CocoaError.Code.fileReadNoSuchFile.rawValue: .unreachable
        case CocoaError.Code.fileReadCorruptFile.rawValue, NSPersistentStoreTypeMismatchError: .damaged
        case NSPersistentStoreIncompatibleVersionHashError, NSPersistentStoreIncompatibleSchemaError,
            NSMigrationMissingSourceModelError:
            .incompatible
        case NSMigrationMissingMappingModelError, NSInferredMappingModelError: .incompleteProgram
        case NSMigrationCancelledError, CocoaError.Code.userCancelled.rawValue: .cancelled
        default: nil
        }
    }

    /// What a store in a PostgreSQL database says besides (`PostgreSQLFailure` of CoreDataPostgreSQL).
    private static func kind(ofServer error: NSError) -> Kind? {
        switch error.userInfo["PostgreSQLFailure"] as? String {
        case "unreachable", "connectionLost": .serverUnreachable
        case "optionRefused": .serverAddressWrong
        case "passwordRefused": .passwordRefused
        case "certificateNotTrusted": .certificateNotTrusted
        case "readOnly": .databaseReadOnly
        case "notPermitted": .databaseNotPermitted
        case "migratedByAnother": .migratedByAnother
        case "diskFull", "noConnectionLeft": .serverFull
        case "locked": .busy
        default: nil
        }
    }

    /// SQLite's result code: the error's own, or the one that Core Data puts into its user info.
    private static func sqliteCode(of error: NSError) -> Int? {
        if error.domain == NSSQLiteErrorDomain { return error.code }
        return (error.userInfo[NSSQLiteErrorDomain] as? NSNumber)?.intValue ?? error.userInfo[NSSQLiteErrorDomain]
            as? Int
    }

    /// The lower eight bits are the primary code: full, busy and locked, cannot open, corrupt and not a database,
    /// permissions.
    private static func kind(ofSQLiteCode code: Int) -> Kind? {
        switch code & 0xFF {
        case 13: .diskFull
        case 5, 6: .busy
        case 14: .unreachable
        case 11, 26: .damaged
        case 3, 8, 23: .noPermission
        default: nil
        }
    }
}
