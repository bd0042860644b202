import Foundation

extension NSError {
    /// The number by which the engine of a store calls the failure, see `SQLFailure.codeOfEngine`; nil where it is not
    /// the engine's.
    package var codeOfEngine: Int32? { (userInfo[NSSQLiteErrorDomain] as? NSNumber)?.int32Value }

    /// Whether it says that a file or a database holds no store, or a damaged one; not in the engine's words.
    package var isOfMissingOrDamagedStore: Bool {
        code == CocoaError.Code.fileReadCorruptFile.rawValue && codeOfEngine == nil
    }

    /// Creates an error in Core Data's domain, with a code, a text that says what is wrong and where, and Core Data's
    /// keys.
    ///
    /// - Parameters:
    ///   - code: One of Core Data's codes, or one of Foundation's for files.
    ///   - reason: The localized description and failure reason. It is also under `"reason"`, as in Core Data's own
    ///     errors.
    ///   - remedy: What the program or its user can do, as sentences. It ends the reason, and is the recovery
    ///     suggestion.
    ///   - url: The file in question, under `NSURLErrorKey` and `NSFilePathErrorKey`. Its path becomes part of the
    ///     description.
    ///   - sqliteCode: SQLite's extended result code, under `NSSQLiteErrorDomain`.
    ///   - underlying: The error that caused this one.
    ///   - userInfo: Further entries.
    /// - Returns: The error.
    package static func coreData(
        _ code: Int, reason problem: String, remedy: String? = nil, url: URL? = nil, sqliteCode: Int32? = nil,
        underlying: Error? = nil, userInfo: [String: Any] = [:]
    ) -> NSError {
        var info = userInfo
        let reason = remedy.map { "\(problem) \($0)" } ?? problem
        if let remedy { info[NSLocalizedRecoverySuggestionErrorKey] = remedy }
        info["reason"] = reason
        info[NSLocalizedFailureReasonErrorKey] = reason
        if let url = url?.shown {
            info[NSURLErrorKey] = url
            info[NSFilePathErrorKey] = url.path
        }
        if let sqliteCode { info[NSSQLiteErrorDomain] = NSNumber(value: sqliteCode) }
        if let underlying { info[NSUnderlyingErrorKey] = underlying as NSError }
        if info[NSLocalizedDescriptionKey] == nil {
            if let path = url?.path, !reason.contains(path) {
                info[NSLocalizedDescriptionKey] = "\(reason) (\(path))"
            } else {
                info[NSLocalizedDescriptionKey] = reason
            }
        }
        return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: info)
    }
}
