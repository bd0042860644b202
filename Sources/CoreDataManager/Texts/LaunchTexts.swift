import Foundation

/// The words that a launch needs to talk to a user, in seven languages, each of them replaceable.
///
/// A text is looked for in the tables that the application gave, then in the built-in ones: first in the user's
/// language, then in English. An application replaces single texts by `replace(_:in:)` or brings string files by
/// `loadStringFiles(in:)`, in the format and the folders that localised applications have anyway.
public struct LaunchTexts: Sendable {
    /// A text, under the name it has in string files.
    public enum Key: String, Sendable, CaseIterable {
        /// A migration is under way.
        case updating = "MIGRATION_MESSAGE_UPDATE"
        /// It is done.
        case updated = "MIGRATION_MESSAGE_RESULT"
        /// `%1$@` of `%2$@` rows are done.
        case rows = "MIGRATION_ROWS"
        /// It goes on for about `%1$@`, a duration.
        case timeLeft = "MIGRATION_TIME_LEFT"
        /// `%1$@` seconds.
        case seconds = "DURATION_SECONDS"
        /// `%1$@` minutes.
        case minutes = "DURATION_MINUTES"
        case ok = "BUTTON_OK"
        case cancel = "BUTTON_CANCEL"
        case retry = "BUTTON_RETRY"
        /// The headline of every failure but a cancelled one.
        case failureTitle = "FAILURE_TITLE"
        case cancelledTitle = "FAILURE_CANCELLED_TITLE"
        /// The sentence at the end of every failure that is known to have touched nothing.
        case dataKept = "FAILURE_DATA_KEPT"
        case diskFull = "FAILURE_DISK_FULL"
        case noPermission = "FAILURE_NO_PERMISSION"
        case busy = "FAILURE_BUSY"
        case unreachable = "FAILURE_UNREACHABLE"
        case damaged = "FAILURE_DAMAGED"
        case incompatible = "FAILURE_INCOMPATIBLE"
        case serverUnreachable = "FAILURE_SERVER_UNREACHABLE"
        case serverAddressWrong = "FAILURE_SERVER_ADDRESS_WRONG"
        case passwordRefused = "FAILURE_PASSWORD_REFUSED"
        case certificateNotTrusted = "FAILURE_CERTIFICATE_NOT_TRUSTED"
        case databaseReadOnly = "FAILURE_DATABASE_READ_ONLY"
        case databaseNotPermitted = "FAILURE_DATABASE_NOT_PERMITTED"
        case migratedByAnother = "FAILURE_MIGRATED_BY_ANOTHER"
        case serverFull = "FAILURE_SERVER_FULL"
        case cancelled = "FAILURE_CANCELLED"
        case incompleteProgram = "FAILURE_INCOMPLETE_PROGRAM"
        case other = "FAILURE_OTHER"
    }

    /// A string file that cannot be read.
    public struct UnreadableTable: Error, Sendable, CustomStringConvertible, LocalizedError {
        /// The file.
        public let url: URL
        /// The error in one sentence.
        public var description: String { "\(url.path) is no string file" }
        /// The same sentence.
        public var errorDescription: String? { description }
    }

    /// The language that texts are looked for in first, as a code (`de`).
    public var language: String
    private var replaced: [String: [String: String]] = [:]

    /// Texts in a language; by default in the user's.
    ///
    /// - Parameter language: a code with or without a region (`de`, `de-AT`, `de_AT.UTF-8`).
    public init(language: String? = nil) {
        self.language = Self.code(of: language ?? Self.usersLanguage())
    }

    /// The languages that are built in.
    public static var builtInLanguages: [String] { builtIn.keys.sorted() }

    /// A text in the language, or in English when it is not there.
    public subscript(key: Key) -> String {
        for language in [language, "en"] {
            if let text = replaced[language]?[key.rawValue] ?? Self.builtIn[language]?[key] {
                return text
            }
        }
        return key.rawValue
    }

    /// A text with its placeholders filled in.
    public func text(_ key: Key, _ arguments: String...) -> String {
        var text = self[key]
        for (number, argument) in arguments.enumerated() {
            text = text.replacingOccurrences(of: "%\(number + 1)$@", with: argument)
        }
        return text
    }

    /// Rows and time of a progress in one line; empty when neither is known.
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
    public mutating func replace(_ table: [Key: String], in language: String) {
        let table = table.map { ($0.key.rawValue, $0.value) }
        replaced[Self.code(of: language), default: [:]].merge(table) { $1 }
    }

    /// Replaces texts by string files: `<language>.lproj/CoreDataManager.strings` in a folder, as in an application's
    /// resources. Languages and keys that are not there keep their texts.
    ///
    /// - Throws: `UnreadableTable`, or why the folder cannot be listed.
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

    /// What the user set: the environment where there is one (terminals), else the system's list.
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
