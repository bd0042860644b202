/// The check whether a new index will refuse rows of a store, as they are before a migration: they break its
/// uniqueness, or are too large for it.
struct IndexCheck {
    var index: SQLIndex
    /// The root entity of the table.
    var entity: String
    /// The table of the source, and the values of the index's columns.
    var table: String
    var values: [SQLExpression]
}

extension MigrationPlanner {
    /// The check for a new index. Nil if the index refuses no row, if its values do not come from the columns and
    /// defaults of one table alone, or if they come from different places for different entities.
    func check(of index: SQLIndex) -> IndexCheck? {
        guard index.isUnique || dialect.largestIndexed != nil,
            let change = tables.first(where: { $0.table.name == index.table }),
            let source = change.source, !change.isPartOfSource, removed.isDisjoint(with: oldNumbers(in: source.name))
        else { return nil }
        var values: [SQLExpression] = []
        for column in index.columns {
            guard let pieces = change.columns.first(where: { $0.column.name == column.name })?.pieces.values,
                let piece = pieces.first, pieces.count == change.members.count, pieces.allSatisfy({ $0 == piece })
            else { return nil }
            switch piece {
            case .carried(let name, .same, let value):
                let column = SQLExpression.column(alias: nil, name: name)
                values.append(value.map { .function(.coalesce, [column, .value($0)]) } ?? column)
            case .constant(let value): values.append(.value(value))
            case .carried, .number, .empty: return nil
            }
        }
        return IndexCheck(
            index: index, entity: difference.destination.entities[change.root].name, table: source.name, values: values)
    }
}
