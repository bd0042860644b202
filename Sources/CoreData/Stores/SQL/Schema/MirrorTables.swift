/// The tables in which CloudKit's mirroring keeps its account of a store. They belong to Apple's systems alone, so
/// there is no statement here that writes to them.
package enum MirrorTables {
    /// The beginning of the names of all of them.
    package static let beginning = "ANSCK"

    /// One row per record: the number of the entity, the key, and the work that is still to be done in the cloud.
    package static let records = "ANSCKRECORDMETADATA"
    private static let upload = "ZNEEDSUPLOAD"
    private static let deletion = "ZNEEDSCLOUDDELETE"

    /// The account of a store; nil where nothing mirrors it. A column that an older system did not have counts nothing.
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
