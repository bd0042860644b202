import CoreData
import Foundation

/// The exit status of the program.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case done = 0
    /// The command found what it searches for. Each command defines what counts as found.
    case found = 1
    case usage = 2
    case unreadable = 3
    case busy = 4
    case failed = 5
    case closed = 6
    /// The status by which shells report a program that ^C ended.
    case cancelled = 130

    /// The meaning, for the help.
    package var meaning: String {
        switch self {
        case .done: "done, and nothing to report"
        case .found:
            "something was found: damage, differences, obstacles, work that is left; or nothing that was asked for"
        case .usage: "wrong use: an unknown command, option, entity or key, a predicate with a mistake"
        case .unreadable: "it cannot be read: no such file, no permission, no store, damage, no model"
        case .busy: "another process holds the store"
        case .failed: "it cannot be done: a full disk, a value that does not fit, a migration that is not possible"
        case .closed: "the output was closed before everything was written"
        case .cancelled: "cancelled by ^C, or by a request to end; nothing that was there has changed"
        }
    }
}

/// The reason why a command failed: a line of text, and the exit status.
package struct ToolError: Error, CustomStringConvertible {
    package let status: ExitStatus
    package let message: String
    /// Lines below the message: the place of a mistake, or a remedy.
    package let details: [String]
    /// The place of the mistake in a given text; the first details show it.
    package let place: TextPlace?
    /// The details without those that show the place.
    package let notes: [String]

    package init(_ status: ExitStatus, _ message: String, details: [String] = []) {
        self.status = status
        self.message = message
        self.details = details
        notes = details
        place = nil
    }

    /// The error that no model for a store was found.
    ///
    /// - Parameter damage: the damage of the store's own copy of the model; nil if it has none.
    static func ofMissingModel(_ shown: String, damage: String? = nil) -> ToolError {
        let own =
            damage == nil ? "keeps no copy of its model, and none" : "has a damaged copy of its model, and no model"
        var error = ToolError(
            .unreadable, "\(shown): the store \(own) beside it fits",
            details: (damage.map { [$0] } ?? [])
                + ["Name the model: --model PATH (.xcdatamodeld, .xcdatamodel, .momd, .mom)."])
        error.isOfMissingModel = true
        return error
    }

    /// Whether a store was found, but no model that fits it.
    private(set) var isOfMissingModel = false

    /// Whether an error of Foundation's means that a file cannot be written, for which it has a range of codes.
    static func isOfWriting(_ error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == NSCocoaErrorDomain && (512..<768).contains(error.code)
    }

    /// A mistake in a text, which the first details show with a mark below the place.
    package init(_ message: String, at place: TextPlace, of text: String, details: [String] = []) {
        status = .usage
        self.message = message
        self.details = Caret.lines(text, below: place.start) + details
        notes = details
        self.place = place
    }

    /// The error of a wrong use of a command, with a hint to its help.
    package static func usage(_ message: String, command: String? = nil) -> ToolError {
        ToolError(.usage, message, details: ["Try 'coredata \(command.map { "\($0) " } ?? "")--help'."])
    }

    package var description: String { ([message] + details).joined(separator: "\n") }

    /// Makes the error of one of the library's, or of Foundation's.
    package init(_ error: any Error, at place: String? = nil) {
        if let error = error as? ToolError {
            self = error
            return
        }
        let error = error as NSError
        let lock = error.lockTimeout
        let reason = lock.map(\.problem) ?? error.localizedFailureReason ?? error.localizedDescription
        let line = reason.replacingOccurrences(of: "\n", with: " ")
        let named = place.map { line.contains($0) ? line : "\($0): \(line)" } ?? line
        self.init(Self.status(of: error), named + (lock.map { " " + $0.suggestion(option: nil) } ?? ""))
        lockTimeout = lock.map { LockTimeout(named, remedy: $0.remedy) }
    }

    /// The lock for which the command did not wait any longer; nil for other errors.
    private var lockTimeout: LockTimeout?

    /// The error with the option by which the command waits longer for a lock.
    func naming(waitingOption option: String) -> ToolError {
        guard let lockTimeout else { return self }
        return ToolError(
            status, "\(lockTimeout.problem) \(lockTimeout.suggestion(option: option))", details: details)
    }

    private static func status(of error: NSError) -> ExitStatus {
        if let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError {
            let inner = status(of: underlying)
            if inner != .failed { return inner }
        }
        // SQLITE_BUSY and SQLITE_LOCKED, with or without an extended code.
        if let code = error.userInfo[NSSQLiteErrorDomain] as? Int {
            if [5, 6].contains(code & 0xFF) { return .busy }
            if [11, 14, 23, 26].contains(code & 0xFF) { return .unreadable }
        }
        guard error.domain == NSCocoaErrorDomain else { return .failed }
        switch error.code {
        case CocoaError.fileNoSuchFile.rawValue, CocoaError.fileReadNoSuchFile.rawValue,
            CocoaError.fileReadNoPermission.rawValue, CocoaError.fileReadUnknown.rawValue,
            CocoaError.fileReadCorruptFile.rawValue, NSPersistentStoreInvalidTypeError,
            NSPersistentStoreTypeMismatchError, NSPersistentStoreIncompatibleSchemaError, NSPersistentStoreOpenError,
            NSPersistentStoreIncompatibleVersionHashError, NSMigrationMissingSourceModelError:
            return .unreadable
        case NSPersistentStoreTimeoutError: return .busy
        case CocoaError.userCancelled.rawValue, NSMigrationCancelledError: return .cancelled
        default: return .failed
        }
    }
}
