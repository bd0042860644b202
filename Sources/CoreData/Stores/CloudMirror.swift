extension StoreInspection {
    /// The account that CloudKit's mirroring keeps in a SQLite store: which objects are records in the cloud.
    ///
    /// `NSPersistentCloudKitContainer` keeps it on Apple's systems, in tables whose names begin with `ANSCK`. They name
    /// objects by the number of the entity and the primary key. This framework reads them, and never writes to them.
    public struct CloudMirror: Sendable, Equatable {
        /// The number of records that the account names.
        public let recordCount: Int
        /// The number of records that have yet to be uploaded.
        public let pendingUploadCount: Int
        /// The number of records that have yet to be deleted in the cloud.
        public let pendingDeletionCount: Int

        package init(recordCount: Int, pendingUploadCount: Int = 0, pendingDeletionCount: Int = 0) {
            self.recordCount = recordCount
            self.pendingUploadCount = pendingUploadCount
            self.pendingDeletionCount = pendingDeletionCount
        }
    }
}

extension StoreInspection.CloudMirror: CustomStringConvertible {
    /// The three numbers.
    public var description: String {
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        return [
            count(recordCount, "record"), count(pendingUploadCount, "pending upload"),
            count(pendingDeletionCount, "pending deletion"),
        ].joined(separator: ", ")
    }
}
