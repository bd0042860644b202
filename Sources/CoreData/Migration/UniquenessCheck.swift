import Foundation

/// Whether rows of a store, as they are before a migration, will break a uniqueness constraint.
struct UniquenessCheck {
    var index: SQLIndex
    /// The root entity of the table.
    var entity: String
    /// The table of the source, and what comes into the index's columns.
    var table: String
    var values: [SQLExpression]

    /// The error about the first rows that will have the same values; nil when there are none.
    func failure(on connection: SQLiteConnection, url: URL) throws -> NSError? {
        let key = SQLSelect.Result(expression: .column(SQLSchema.keyColumn), name: "pk")
        let results = values.enumerated().map { SQLSelect.Result(expression: $1, name: "v\($0)") }
        let names = values.indices.map { SQLExpression.column("v\($0)") }
        var repeated = SQLSelect(
            results: [.min, .max].map { .init(expression: .function($0, [.column("pk")])) },
            from: .select(SQLSelect(results: [key] + results, table: table)),
            condition: .and(names.map { .isNotNull($0) }), limit: 1)
        repeated.groupBy = names
        repeated.having = .binary(.greater, .countAll, .number(1))
        let rows = try connection.prepare(.select(repeated)).first { [$0.int64(0), $0.int64(1)] }
        guard let rows else { return nil }
        return MigrationErrors.duplicates(of: index, entity: entity, rows: rows, url: url)
    }
}

extension MigrationPlanner {
    /// The check for a new unique index; nil where its values come from elsewhere than one table's columns and defaults, or
    /// differently for different entities.
    func uniquenessCheck(of index: SQLIndex) -> UniquenessCheck? {
        guard index.isUnique, let change = tables.first(where: { $0.table.name == index.table }),
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
        return UniquenessCheck(
            index: index, entity: difference.destination.entities[change.root].name, table: source.name, values: values)
    }
}
