extension StoreInspection {
    /// The bookkeeping of CloudKit's mirroring in a SQLite store, which records the objects that are records in the
    /// cloud.
    ///
    /// `NSPersistentCloudKitContainer` keeps it on Apple's systems, in tables whose names begin with `ANSCK`. They
    /// identify objects by the number of the entity and the primary key. This framework reads these tables, and never
    /// writes to them.
    public struct CloudMirror: Sendable, Equatable {
        /// The number of records in the tables.
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
    /// A text with the three numbers.
    public var description: String {
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        return [
            count(recordCount, "record"), count(pendingUploadCount, "pending upload"),
            count(pendingDeletionCount, "pending deletion"),
        ].joined(separator: ", ")
    }
}
