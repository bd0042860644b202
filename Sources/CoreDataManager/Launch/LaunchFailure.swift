import CoreData

/// A failed launch in words for the user: the cause, the remedy, and whether a retry makes sense.
///
/// The store is as it was before the step that failed: checking, migrating or opening.
public struct LaunchFailure: Sendable {
    /// The kind of a failure, by the remedy.
    public enum Kind: String, Sendable, CaseIterable {
        /// The volume is full.
        case diskFull
        /// The program may not read or write the file.
        case noPermission
        /// Another program holds the store.
        case busy
        /// The file or its folder is missing, or too many files are open.
        case unreachable
        /// The file is damaged, or it is not a store.
        case damaged
        /// The program does not have the version of the store. Most often a newer program wrote it.
        case incompatible
        /// The server of the store's database does not answer, or the connection to it was lost.
        case serverUnreachable
        /// The address of the server has an unknown option, or an option with an invalid value.
        case serverAddressWrong
        /// The server refuses the user or the password.
        case passwordRefused
        /// The server does not let the user read or change the data.
        case databaseNotPermitted
        /// The server's certificate is not trusted.
        case certificateNotTrusted
        /// The database is read-only.
        case databaseReadOnly
        /// Another program is migrating the store to another version.
        case migratedByAnother
        /// The disk of the server is full, or no connection is left.
        case serverFull
        /// The user stopped the migration.
        case cancelled
        /// The program is incomplete: its model cannot be read, or it has the store's version but cannot migrate from
        /// there to its own.
        case incompleteProgram
        /// A failure of any other kind.
        case other
    }

    /// The kind of the failure.
    public let kind: Kind
    /// The headline.
    public let title: String
    /// The text below the headline: the cause, and the remedy.
    ///
    /// The message also states that the data was kept, unless the file is damaged or the error is unknown.
    public let message: String
    /// The label of a button that retries the launch; nil if a retry cannot help.
    public let retryLabel: String?
    /// The error itself, for a log.
    public let error: any Error

    /// Finds the texts for an error.
    ///
    /// - Parameters:
    ///   - error: The error that ended a launch.
    ///   - texts: The texts to choose from.
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
        // The innermost error of a kind in this table gives the exact reason.
        while let error = next {
            found = kind(ofOne: error) ?? found
            next = error.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        return found
    }

    private static func kind(ofOne error: NSError) -> Kind? {
        if let kind = error.serverFailure.flatMap(kind(of:)) { return kind }
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

    private static func kind(of failure: ServerFailure) -> Kind? {
        switch failure {
        case .unreachable, .connectionLost: .serverUnreachable
        case .optionRefused: .serverAddressWrong
        case .passwordRefused: .passwordRefused
        case .certificateNotTrusted: .certificateNotTrusted
        case .readOnly: .databaseReadOnly
        case .notPermitted: .databaseNotPermitted
        case .migratedByAnother: .migratedByAnother
        case .diskFull, .noConnectionLeft: .serverFull
        case .locked: .busy
        case .noDatabase, .cancelled, .commitUnknown, .historyLost, .generationEnded, .versionEnded: nil
        }
    }

    /// The result code of SQLite: the error's own, or the one that Core Data puts into its user info.
    private static func sqliteCode(of error: NSError) -> Int? {
        if error.domain == NSSQLiteErrorDomain { return error.code }
        return (error.userInfo[NSSQLiteErrorDomain] as? NSNumber)?.intValue ?? error.userInfo[NSSQLiteErrorDomain]
            as? Int
    }

    /// The kind by the lower eight bits, which are the primary code: full, busy and locked, cannot open, corrupt and
    /// not a database, permissions.
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
