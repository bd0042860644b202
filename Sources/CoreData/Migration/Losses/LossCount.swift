import Foundation

/// The number of objects of a SQLite store that have content which its next version has no place for.
struct LossCount {
    /// The extent of the search.
    enum Extent {
        /// All rows.
        case all
        /// The first rows of each table, as many as some milliseconds allow.
        case sample
    }

    let connection: any SQLConnection
    let layout: ModelLayout
    let schema: SQLSchema
    let catalog: StoreCatalog
    let work: FollowedWork

    /// A number of objects, and whether it is all there is.
    typealias Number = (count: Int, isExact: Bool)

    /// A part of a query that counts rows: the table, the rows, and the counted value.
    private struct Part {
        var table: String
        /// A condition on the rows of the table.
        var condition: SQLExpression
        /// The column whose different values count; nil for the rows themselves.
        var owners: String?
    }

    /// The number of values (rows times columns) that a forecast reads in a table.
    private static let sampleSize = 100_000
    /// The number of further steps in which the database then searches for at least one row.
    private static let searchBudget = 100_000
    /// The number of columns for one statement. SQLite's limit is 2,000.
    private static let columnsAtOnce = 500

    /// Counts the objects that have each content, in its order.
    func numbers(of lost: [LossSearch.Lost], _ extent: Extent) throws -> [Number] {
        var result = [Number](repeating: (0, true), count: lost.count)
        var ofTables: [String: [(place: Int, part: Part)]] = [:]
        for (place, thing) in lost.enumerated() {
            guard let part = part(of: thing) else { continue }
            if part.owners == nil {
                ofTables[part.table, default: []].append((place, part))
            } else {
                result[place] = try number(of: [part], in: part.table, extent)[0]
            }
        }
        for (table, parts) in ofTables {
            for start in stride(from: 0, to: parts.count, by: Self.columnsAtOnce) {
                let some = parts[start..<min(start + Self.columnsAtOnce, parts.count)]
                let numbers = try number(of: some.map(\.part), in: table, extent)
                for (item, number) in zip(some, numbers) { result[item.place] = number }
            }
        }
        return result
    }

    // MARK: Queries

    private func number(of parts: [Part], in table: String, _ extent: Extent) throws -> [Number] {
        let sums = parts.map { part -> SQLExpression in
            part.owners.map { .function(.count, [.choice(part.condition, .column($0), .null)], distinct: true) }
                ?? .count(where: part.condition)
        }
        var source = SQLSource.table(table)
        var isWhole = true
        if extent == .sample {
            let rows = max(1000, Self.sampleSize / parts.count)
            isWhole = catalog.tables[table].map { $0.rows <= rows } ?? false
            source = .select(SQLSelect([.allColumns], of: table, limit: rows))
        }
        let query = try connection.prepare(
            .select(SQLSelect(results: sums.map { .init(expression: $0) }, from: source)))
        let counts = try work.run(on: connection) { try query.first { row in sums.indices.map { row.int64($0) } } }
        return try parts.enumerated().map { column, part in
            let count = Int(counts?[column] ?? 0)
            return isWhole || count > 0 ? (count, isWhole) : try search(part)
        }
    }

    /// Searches the rest of a table for one row, if none of the first rows counts.
    private func search(_ part: Part) throws -> Number {
        let query = try connection.prepare(
            .select(SQLSelect([.number(1)], of: part.table, where: part.condition, limit: 1)))
        guard let found = try connection.readBriefly(steps: Self.searchBudget, { try query.first { _ in true } }) else {
            return (0, false)
        }
        return found == true ? (1, false) : (0, true)
    }

    // MARK: Places of lost values

    /// The part for a content that may be lost; nil if the file has no place for it.
    private func part(of thing: LossSearch.Lost) -> Part? {
        guard let first = thing.layouts.first.map({ layout.entities[$0] }),
            let table = schema.table(ofRoot: first.rootIndex)?.name
        else { return nil }
        guard let name = thing.path.first else {
            return Part(table: table, condition: rows(of: thing.layouts))
        }
        if let toMany = first.toManys.first(where: { $0.relationship.name == name }) {
            return links(of: toMany, thing.layouts, from: table)
        }
        return values(of: thing, in: table)
    }

    /// The condition on the rows of some entities of one table. Where a table holds one entity only, the number in a
    /// row is of no use, because old migrations left stale numbers.
    private func rows(of layouts: [Int]) -> SQLExpression {
        guard let first = layouts.first,
            schema.soleLayout(ofRoot: layout.entities[first].rootIndex, in: layout) == nil
        else { return .alwaysTrue }
        return .isEntity(layouts.compactMap { schema.numbers[$0] }.sorted())
    }

    /// The part for values of an attribute other than its default, or keys of a to-one relationship.
    private func values(of thing: LossSearch.Lost, in table: String) -> Part? {
        let name = thing.path.joined(separator: ".")
        var columns: [String: [Int]] = [:]
        var standard: SlotValue?
        for index in thing.layouts {
            let entity = layout.entities[index]
            let slot = entity.slots.firstIndex { slot in
                guard slot.isPersistent, slot.name == name else { return false }
                switch slot.role {
                case .attribute, .toOne: return true
                case .companion, .order, .owner: return false
                }
            }
            guard let slot, let column = schema.columns[index][slot] else { continue }
            columns[column, default: []].append(index)
            if case .attribute(let attribute) = entity.slots[slot].role {
                standard = MigrationPlanner.storedDefault(of: attribute, as: entity.slots[slot].kind)
            }
        }
        if columns.isEmpty { return nil }
        let conditions = columns.sorted { $0.key < $1.key }.map { column, layouts -> SQLExpression in
            let value = SQLExpression.column(column)
            let differs = standard.map { [SQLExpression.binary(.notEqual, value, .value($0))] } ?? []
            return .and([rows(of: layouts), .isNotNull(value)] + differs)
        }
        return Part(table: table, condition: .or(conditions))
    }

    /// The part for the owners of a to-many relationship's links, which are stored in the members' rows or in a join
    /// table.
    private func links(of toMany: ToManySlot, _ layouts: [Int], from table: String) -> Part? {
        let place: (table: String, column: String)?
        switch toMany.kind {
        case .inverseKey(let slot, _), .ownerKey(let slot, _):
            let members = layout.entities[toMany.destinationIndex]
            let column = schema.columns[toMany.destinationIndex][slot]
            place = schema.table(ofRoot: members.rootIndex).flatMap { table in column.map { (table.name, $0) } }
        case .join:
            place = layouts.first.flatMap { schema.joinEnds[$0][toMany.index] }.map { ($0.table, $0.ownerColumn) }
        case .transient:
            place = nil
        }
        guard let place else { return nil }
        var conditions = [SQLExpression.isNotNull(.column(place.column))]
        let rows = rows(of: layouts)
        if rows != .alwaysTrue {
            let keys = SQLSelect([.column(SQLSchema.keyColumn)], of: table, where: rows)
            conditions.append(.isInSelect(.column(place.column), keys))
        }
        return Part(table: place.table, condition: .and(conditions), owners: place.column)
    }
}
