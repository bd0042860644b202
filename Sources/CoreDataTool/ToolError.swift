import CoreData
import Foundation

/// How the program ended.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case done = 0
    /// Something was found. Each command defines for itself what counts as found.
    case found = 1
    case usage = 2
    case unreadable = 3
    case busy = 4
    case failed = 5
    case closed = 6
    /// As a shell tells of a program that ^C ended.
    case cancelled = 130

    /// What the help says of it.
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

/// Why a command cannot do what it was told: one line for a person, and how the program ends.
package struct ToolError: Error, CustomStringConvertible {
    package let status: ExitStatus
    package let message: String
    /// Lines below the message: the place of a mistake, or what would help.
    package let details: [String]
    /// Where in a text that was given the mistake is; the first details show it.
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

    /// Nobody knows the model of a store.
    ///
    /// - Parameter damage: what is wrong with the store's own copy of it; nil where there is none.
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

    /// Whether a store was found, and no model that fits it.
    private(set) var isOfMissingModel = false

    /// Whether an error of Foundation's says that a file cannot be written: it keeps a range of codes for that.
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

    /// A wrong use of a command, with the way to its help.
    package static func usage(_ message: String, command: String? = nil) -> ToolError {
        ToolError(.usage, message, details: ["Try 'coredata \(command.map { "\($0) " } ?? "")--help'."])
    }

    package var description: String { ([message] + details).joined(separator: "\n") }

    /// An error of the library's, or of Foundation's.
    package init(_ error: any Error, at place: String? = nil) {
        if let error = error as? ToolError {
            self = error
            return
        }
        let error = error as NSError
        let reason = error.localizedFailureReason ?? error.localizedDescription
        let line = reason.replacingOccurrences(of: "\n", with: " ")
        let named = place.map { line.contains($0) ? line : "\($0): \(line)" } ?? line
        self.init(Self.status(of: error), named)
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
