import Foundation

extension NSError {
    /// The number by which the engine of a store calls the failure, see `SQLFailure.codeOfEngine`; nil where it is not
    /// the engine's.
    package var codeOfEngine: Int32? { (userInfo[NSSQLiteErrorDomain] as? NSNumber)?.int32Value }

    /// Whether it says that a file or a database holds no store, or a damaged one; not in the engine's words.
    package var isOfMissingOrDamagedStore: Bool {
        code == CocoaError.Code.fileReadCorruptFile.rawValue && codeOfEngine == nil
    }

    /// The error every floor of the module throws: Core Data's domain, code and keys, with a text that says what and
    /// where.
    ///
    /// `reason` becomes the localized description and failure reason, and stands under `"reason"`, where Core Data's
    /// own errors have it. `url` is the file in question: it stands under `NSURLErrorKey` and `NSFilePathErrorKey`, and
    /// its path is part of the description. `sqliteCode` is SQLite's extended result code, under `NSSQLiteErrorDomain`.
    package static func coreData(
        _ code: Int, reason: String, url: URL? = nil, sqliteCode: Int32? = nil, underlying: Error? = nil,
        userInfo: [String: Any] = [:]
    ) -> NSError {
        var info = userInfo
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
