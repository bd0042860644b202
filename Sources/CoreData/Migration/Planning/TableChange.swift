/// The changes of one entity table: the origin of its rows and of the values of every column.
struct TableChange {
    /// The source of the value of a column, for the rows of one entity.
    enum Piece: Equatable {
        /// NULL.
        case empty
        /// The values of a column, possibly in another form. A default takes the place of NULL.
        case carried(String, AttributeConversion.Form, default: SlotValue?)
        /// The values of a column that has numbers of entities.
        case number(String)
        /// The default value.
        case constant(SlotValue)

        var column: String? {
            switch self {
            case .carried(let name, _, _), .number(let name): name
            case .empty, .constant: nil
            }
        }
    }

    struct Column {
        let column: SQLColumn
        /// By layout of the destination, for every entity of the table that gets rows of the source and has the column.
        var pieces: [Int: Piece] = [:]

        /// The columns of the source from which the values come.
        var sources: Set<String> { Set(pieces.values.compactMap(\.column)) }
    }

    /// An entity whose rows the table gets.
    struct Member {
        let layout: Int
        let old: Int
        let new: Int
        /// The columns that can hold values in such rows.
        let oldColumns: Set<String>
    }

    let root: Int
    let table: SQLTable
    /// The table of the source from which the rows come; nil for a new table.
    let source: StoreCatalog.Table?
    let members: [Member]
    /// All columns but the three that every table has.
    var columns: [Column]
    /// Columns of the source that no entity uses any more.
    var dropped: [String] = []
    /// Whether the rows are copied into a new table; otherwise the old table is altered.
    var isRewritten = false
    /// Whether other tables get rows of the source too.
    var isPartOfSource = false
    /// The number for all rows if the source has rows of one entity only. The numbers in its rows have no meaning,
    /// because old migrations left stale ones.
    var soleNumber: Int?
    /// Whether the numbers in rows will have a meaning, because the new table has several entities.
    var distinguishesEntities = false

    /// The values of a copied row: one assignment for each column, over the columns of the source.
    func copyAssignments(moves: [Int: Int]) -> [MigrationAssignment] {
        let entity = SQLExpression.column(alias: nil, name: SQLSchema.entityColumn)
        var result = [
            MigrationAssignment(column: SQLSchema.keyColumn, value: .column(alias: nil, name: SQLSchema.keyColumn)),
            MigrationAssignment(
                column: SQLSchema.entityColumn,
                value: soleNumber.map { .number($0) } ?? .renumbered(entity, tableMoves)),
            MigrationAssignment(
                column: SQLSchema.versionColumn, value: .column(alias: nil, name: SQLSchema.versionColumn)),
        ]
        for column in columns {
            let groups = grouped(column) { piece, member in
                if let name = piece?.column, !member.oldColumns.contains(name) { return nil }
                return Self.expression(piece ?? .empty, moves: moves)
            }
            var others = SQLExpression.null
            var branches = groups
            if let only = groups.first, groups.count == 1 {
                others = only.value
                branches = []
            }
            let value = branches.filter { $0.value != .null }.reduce(others) { rest, group in
                .choice(.isIn(entity, group.numbers.map { .number($0) }), group.value, rest)
            }
            if value != .null { result.append(MigrationAssignment(column: column.column.name, value: value)) }
        }
        return result
    }

    /// The values of rows that stay in their place: defaults, numbers, cleared values. Columns have their new names.
    func updateAssignments(moves: [Int: Int]) -> [MigrationAssignment] {
        let entity = SQLExpression.column(alias: nil, name: SQLSchema.entityColumn)
        var result: [MigrationAssignment] = []
        let moved = tableMoves
        if let soleNumber {
            if !moved.isEmpty || distinguishesEntities {
                result.append(
                    MigrationAssignment(
                        column: SQLSchema.entityColumn, value: .number(soleNumber),
                        condition: .or([.isNull(entity), .binary(.notEqual, entity, .number(soleNumber))])))
            }
        } else if !moved.isEmpty {
            result.append(
                MigrationAssignment(
                    column: SQLSchema.entityColumn, value: .renumbered(entity, moved),
                    condition: .isIn(entity, moved.keys.sorted().map { .number($0) })))
        }
        for column in columns {
            let own = SQLExpression.column(alias: nil, name: column.column.name)
            let source = column.sources.first
            let groups = grouped(column) { piece, member -> SQLExpression? in
                switch piece ?? .empty {
                case .empty:
                    // Otherwise values of a removed property would appear again as those of the next property in this
                    // column.
                    return source.map { member.oldColumns.contains($0) } ?? false ? .null : nil
                case .carried(_, _, let defaultValue):
                    return defaultValue.map { .function(.coalesce, [own, .value($0)]) }
                case .number:
                    return moves.isEmpty ? nil : .renumbered(own, moves)
                case .constant(let value):
                    return .value(value)
                }
            }
            guard !groups.isEmpty else { continue }
            let covered = groups.reduce(0) { $0 + $1.numbers.count }
            let isEverywhere = groups.count == 1 && covered == members.count
            let value =
                isEverywhere
                ? groups[0].value
                : groups.reduce(own) { rest, group in
                    .choice(.isIn(entity, group.numbers.map { .number($0) }), group.value, rest)
                }
            var condition: SQLExpression?
            switch groups[0].value {
            case .function(.coalesce, _, _) where groups.count == 1: condition = .isNull(own)
            case .choice where groups.count == 1:
                condition = .isIn(own, moves.keys.sorted().map { .number($0) })
            default:
                if !isEverywhere {
                    condition = .isIn(entity, groups.flatMap(\.numbers).sorted().map { .number($0) })
                }
            }
            result.append(MigrationAssignment(column: column.column.name, value: value, condition: condition))
        }
        return result
    }

    /// Numbers of the table's own rows that change.
    private var tableMoves: [Int: Int] {
        Dictionary(uniqueKeysWithValues: members.filter { $0.old != $0.new }.map { ($0.old, $0.new) })
    }

    private static func expression(_ piece: Piece, moves: [Int: Int]) -> SQLExpression {
        switch piece {
        case .empty: return .null
        case .constant(let value): return .value(value)
        case .number(let name): return .renumbered(.column(alias: nil, name: name), moves)
        case .carried(let name, _, let defaultValue):
            // Numbers take the form of the new column's type when they are stored in it.
            let value = SQLExpression.column(alias: nil, name: name)
            return defaultValue.map { .function(.coalesce, [value, .value($0)]) } ?? value
        }
    }

    /// The values of a column with the old numbers of the entities that get them, except for entities without a value.
    private func grouped(
        _ column: Column, _ value: (Piece?, Member) -> SQLExpression?
    ) -> [(value: SQLExpression, numbers: [Int])] {
        var groups: [(value: SQLExpression, numbers: [Int])] = []
        for member in members {
            guard let expression = value(column.pieces[member.layout], member) else { continue }
            if let place = groups.firstIndex(where: { $0.value == expression }) {
                groups[place].numbers.append(member.old)
            } else {
                groups.append((expression, [member.old]))
            }
        }
        return groups
    }
}
