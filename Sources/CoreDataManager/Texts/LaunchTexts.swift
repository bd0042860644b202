import Foundation

/// The texts that a launch shows to a user, in seven languages. You can replace each of them.
///
/// A text comes from the tables that you gave, or else from the built-in ones: first in the user's language, then in
/// English. Replace single texts with ``replace(_:in:)``. Load string files with ``loadStringFiles(in:)``, in the
/// format and the folders of localised applications.
public struct LaunchTexts: Sendable {
    /// The name of a text. The raw value is its name in string files.
    public enum Key: String, Sendable, CaseIterable {
        /// A migration is under way.
        case updating = "MIGRATION_MESSAGE_UPDATE"
        /// The migration is done.
        case updated = "MIGRATION_MESSAGE_RESULT"
        /// `%1$@` of `%2$@` rows are done.
        case rows = "MIGRATION_ROWS"
        /// The migration takes about `%1$@` more, a duration.
        case timeLeft = "MIGRATION_TIME_LEFT"
        /// `%1$@` seconds.
        case seconds = "DURATION_SECONDS"
        /// `%1$@` minutes.
        case minutes = "DURATION_MINUTES"
        /// The button that confirms.
        case ok = "BUTTON_OK"
        /// The button that stops a migration.
        case cancel = "BUTTON_CANCEL"
        /// The button that retries a launch.
        case retry = "BUTTON_RETRY"
        /// The headline of every failure except a cancelled migration.
        case failureTitle = "FAILURE_TITLE"
        /// The headline after the user has stopped a migration.
        case cancelledTitle = "FAILURE_CANCELLED_TITLE"
        /// The last sentence of every failure after which the data is certainly kept.
        case dataKept = "FAILURE_DATA_KEPT"
        /// The message for ``LaunchFailure/Kind/diskFull``.
        case diskFull = "FAILURE_DISK_FULL"
        /// The message for ``LaunchFailure/Kind/noPermission``.
        case noPermission = "FAILURE_NO_PERMISSION"
        /// The message for ``LaunchFailure/Kind/busy``.
        case busy = "FAILURE_BUSY"
        /// The message for ``LaunchFailure/Kind/unreachable``.
        case unreachable = "FAILURE_UNREACHABLE"
        /// The message for ``LaunchFailure/Kind/damaged``.
        case damaged = "FAILURE_DAMAGED"
        /// The message for ``LaunchFailure/Kind/incompatible``.
        case incompatible = "FAILURE_INCOMPATIBLE"
        /// The message for ``LaunchFailure/Kind/serverUnreachable``.
        case serverUnreachable = "FAILURE_SERVER_UNREACHABLE"
        /// The message for ``LaunchFailure/Kind/serverAddressWrong``.
        case serverAddressWrong = "FAILURE_SERVER_ADDRESS_WRONG"
        /// The message for ``LaunchFailure/Kind/passwordRefused``.
        case passwordRefused = "FAILURE_PASSWORD_REFUSED"
        /// The message for ``LaunchFailure/Kind/certificateNotTrusted``.
        case certificateNotTrusted = "FAILURE_CERTIFICATE_NOT_TRUSTED"
        /// The message for ``LaunchFailure/Kind/databaseReadOnly``.
        case databaseReadOnly = "FAILURE_DATABASE_READ_ONLY"
        /// The message for ``LaunchFailure/Kind/databaseNotPermitted``.
        case databaseNotPermitted = "FAILURE_DATABASE_NOT_PERMITTED"
        /// The message for ``LaunchFailure/Kind/migratedByAnother``.
        case migratedByAnother = "FAILURE_MIGRATED_BY_ANOTHER"
        /// The message for ``LaunchFailure/Kind/serverFull``.
        case serverFull = "FAILURE_SERVER_FULL"
        /// The message for ``LaunchFailure/Kind/cancelled``.
        case cancelled = "FAILURE_CANCELLED"
        /// The message for ``LaunchFailure/Kind/incompleteProgram``.
        case incompleteProgram = "FAILURE_INCOMPLETE_PROGRAM"
        /// The message for ``LaunchFailure/Kind/other``.
        case other = "FAILURE_OTHER"
    }

    /// The error of a string file that cannot be read.
    public struct UnreadableTable: Error, Sendable, CustomStringConvertible, LocalizedError {
        /// The file.
        public let url: URL
        /// A description of the error in one sentence.
        public var description: String { "\(url.path) is no string file" }
        /// A description of the error in one sentence, for callers that show errors.
        public var errorDescription: String? { description }
    }

    /// The code of the language that has precedence, such as `de`.
    public var language: String
    private var replaced: [String: [String: String]] = [:]

    /// Makes the texts of a language.
    ///
    /// - Parameter language: A code with or without a region, such as `de`, `de-AT` or `de_AT.UTF-8`. The default is
    ///   the user's language.
    public init(language: String? = nil) {
        self.language = Self.code(of: language ?? Self.usersLanguage())
    }

    /// The codes of the built-in languages.
    public static var builtInLanguages: [String] { builtIn.keys.sorted() }

    /// The text in the language, or in English if the language has none.
    public subscript(key: Key) -> String {
        for language in [language, "en"] {
            if let text = replaced[language]?[key.rawValue] ?? Self.builtIn[language]?[key] {
                return text
            }
        }
        return key.rawValue
    }

    /// Fills in the placeholders of a text.
    ///
    /// - Parameters:
    ///   - key: The name of the text.
    ///   - arguments: The values of `%1$@`, `%2$@` and so on.
    /// - Returns: The text.
    public func text(_ key: Key, _ arguments: String...) -> String {
        var text = self[key]
        for (number, argument) in arguments.enumerated() {
            text = text.replacingOccurrences(of: "%\(number + 1)$@", with: argument)
        }
        return text
    }

    /// Puts the rows and the time left of a progress into one line.
    ///
    /// - Parameter status: The progress.
    /// - Returns: The line. It is empty if neither is available.
    public func text(for status: MigrationStatus) -> String {
        var parts: [String] = []
        if let rows = status.rows {
            parts.append(text(.rows, String(rows.completed), String(rows.total)))
        }
        if let seconds = status.secondsLeft {
            let time =
                seconds < 90 ? text(.seconds, String(seconds)) : text(.minutes, String((seconds + 30) / 60))
            parts.append(text(.timeLeft, time))
        }
        return parts.joined(separator: ", ")
    }

    /// Replaces texts of a language, or adds a language.
    ///
    /// - Parameters:
    ///   - table: The new texts. Other texts of the language remain.
    ///   - language: The code of the language, with or without a region.
    public mutating func replace(_ table: [Key: String], in language: String) {
        let table = table.map { ($0.key.rawValue, $0.value) }
        replaced[Self.code(of: language), default: [:]].merge(table) { $1 }
    }

    /// Replaces texts by string files: `<language>.lproj/CoreDataManager.strings`, as among an application's resources.
    ///
    /// Languages and keys that are missing keep their texts.
    ///
    /// - Parameter folder: The folder that contains the `.lproj` folders.
    /// - Throws: ``UnreadableTable``, or the error of listing the folder.
    public mutating func loadStringFiles(in folder: URL) throws {
        for entry in try FileManager.default.contentsOfDirectory(atPath: folder.path) where entry.hasSuffix(".lproj") {
            let url = folder.appendingPathComponent(entry).appendingPathComponent("CoreDataManager.strings")
            guard FileManager.default.fileExists(atPath: url.path) else { continue }
            guard let list = try? PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil),
                let table = list as? [String: String]
            else { throw UnreadableTable(url: url) }
            replaced[Self.code(of: String(entry.dropLast(6))), default: [:]].merge(table) { $1 }
        }
    }

    /// The user's language: from the environment if there is one (terminals), otherwise from the system's list.
    private static func usersLanguage() -> String {
        let environment = ProcessInfo.processInfo.environment
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }.filter { !$0.isEmpty }
        if let name = names.first {
            return name
        }
        return Locale.preferredLanguages.first ?? "en"
    }

    private static func code(of language: String) -> String {
        let code = language.prefix { $0.isLetter }.lowercased()
        return code == "c" || code == "posix" || code.isEmpty ? "en" : code
    }
}
