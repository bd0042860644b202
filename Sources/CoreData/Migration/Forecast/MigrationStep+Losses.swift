extension MigrationStep {
    /// The content that is gone when the step is committed, in words; nil if the step can be undone.
    var loss: String? {
        switch self {
        case .dropTable(let name): "the rows of \(name)"
        case .dropColumn(let table, let name): "the values of \(table).\(name)"
        case .deleteRows(let table, _): "the deleted rows of \(table)"
        case .deletePairs(let table, _, _, _): "the deleted pairs of \(table)"
        case .clearKeys(let table, let columns, _, _, _): "the links in \(table).\(columns.joined(separator: ", "))"
        case .changeType(let table, let column, _): "the former values of \(table).\(column.name)"
        case .update(let table, let assignments):
            assignments.contains { $0.value == .null }
                ? "the cleared values of "
                    + assignments.filter { $0.value == .null }.map { "\(table).\($0.column)" }.joined(separator: ", ")
                : nil
        case .renumberHistory(_, let removed, _): removed.isEmpty ? nil : "the history of removed entities"
        case .replaceModelCache: "the archived model of the older version"
        case .check, .dropTrigger, .createTrigger, .dropView, .createView, .dropIndex, .createIndex, .createTable,
            .renameTable, .addColumn, .renameColumn, .renameEntities, .copyRows, .copyPairs, .tagValues, .fillEntity,
            .fillPositions, .fillDerived, .deriveOnClient, .fillInverse, .replaceKeys, .writeMetadata:
            nil
        }
    }
}
