import Foundation

extension SQLStore {
    /// Reports that a store with history is opened read-only, because its options do not ask for history.
    package static func reportUntrackedOpening(of url: URL) {
        FileHandle.standardError.write(
            Data(
                """
                CoreData: error: Store opened without NSPersistentHistoryTrackingKey but previously had been opened with \
                NSPersistentHistoryTrackingKey - Forcing into Read Only mode store at '\(url.absoluteString)'

                """.utf8))
    }
}
