/// The tables with the bookkeeping of CloudKit's mirroring. They belong to Apple's systems alone, so there is no
/// statement here that writes to them.
package enum MirrorTables {
    /// The prefix of the names of all these tables.
    package static let beginning = "ANSCK"

    /// One row for each record: the number of the entity, the key, and the pending work in the cloud.
    package static let records = "ANSCKRECORDMETADATA"
    private static let upload = "ZNEEDSUPLOAD"
    private static let deletion = "ZNEEDSCLOUDDELETE"

    /// The bookkeeping of a store; nil if the store is not mirrored. A column that an older system did not have counts
    /// as 0.
    package static func read(from connection: some SQLConnection) throws -> StoreInspection.CloudMirror? {
        let tables = try connection.tableNames().filter { $0.hasPrefix(beginning) }
        if tables.isEmpty { return nil }
        guard tables.contains(records) else { return .init(recordCount: 0) }
        let columns = try Set(connection.columnNames(of: records))
        func number(of column: String) -> SQLExpression {
            columns.contains(column) ? .count(where: .binary(.notEqual, .column(column), .number(0))) : .number(0)
        }
        let select = SQLSelect([.countAll, number(of: upload), number(of: deletion)], of: records)
        return try connection.prepare(.select(select)).first { row in
            .init(
                recordCount: Int(row.int64(0)), pendingUploadCount: Int(row.int64(1)),
                pendingDeletionCount: Int(row.int64(2)))
        }
    }
}
