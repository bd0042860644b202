import Foundation

extension MigrationErrors {
    /// User-info key: the `StoreInspection.CloudMirror` that prevents a migration.
    private static let mirrorKey = "cloudMirror"
    private static let changesKey = "changes"

    private static let help =
        "Let the program on the device migrate it, or give the model a version that keeps its entities; new ones get "
        + "the names that sort last. For a store that never returns to a device: \(CloudMirrorAdvice.line)"

    /// The error if CloudKit's tables of the store would name other objects after a migration.
    ///
    /// - Parameter changes: What the migration does to entities, each as the end of a sentence about it.
    static func mirrored(_ mirror: StoreInspection.CloudMirror, _ changes: [String], url: URL) -> NSError {
        let shown = changes.prefix(8).joined(separator: ", ") + (changes.count > 8 ? ", …" : "")
        return .coreData(
            NSMigrationError,
            reason:
                "CloudKit mirrors the store “\(url.lastPathComponent)” (\(mirror)), and its tables would name other "
                + "objects after this migration, which \(shown). Nothing was changed. \(help)", url: url,
            userInfo: [mirrorKey: mirror, changesKey: changes, NSLocalizedRecoverySuggestionErrorKey: help])
    }

    /// Whether CloudKit's tables of the store prevent a migration.
    static func isAboutMirror(_ error: NSError) -> Bool { error.userInfo[mirrorKey] != nil }

    /// The error of a migration of a copy, about the store that was copied.
    static func ofOriginal(_ error: any Error, _ url: URL) -> any Error {
        let info = (error as NSError).userInfo
        guard let mirror = info[mirrorKey] as? StoreInspection.CloudMirror, let changes = info[changesKey] as? [String]
        else { return error }
        return mirrored(mirror, changes, url: url)
    }
}
