import Foundation

// Writes the pairs of many-to-many relationships.
extension SaveSession {
    package func join(_ changes: [ChangeSet.Join]) throws {
        for run in changes.runs(by: {
            $0.toMany.index == $1.toMany.index && $0.owner.layoutIndex == $1.owner.layoutIndex
        }) {
            let owner = changes[run.lowerBound].owner
            guard let end = store.schema.joinEnds[owner.layoutIndex][changes[run.lowerBound].toMany.index] else {
                continue
            }
            try unlink(end, Self.pairs(changes[run], end, \.removed))
            try link(end, Self.pairs(changes[run], end, \.added))
        }
    }

    private typealias Pair = (owner: Int64, member: Int64)

    /// The pairs of owners and members. Those of a relationship that is its own inverse come in both directions.
    private static func pairs(
        _ changes: ArraySlice<ChangeSet.Join>, _ end: SQLJoinEnd, _ members: KeyPath<ChangeSet.Join, [ObjectKey]>
    ) -> [Pair] {
        var pairs: [Pair] = []
        for change in changes {
            let owner = change.owner.primaryKey
            for member in change[keyPath: members] {
                pairs.append((owner, member.primaryKey))
                if end.isReflexive, member.primaryKey != owner { pairs.append((member.primaryKey, owner)) }
            }
        }
        return pairs
    }

    /// Deletes all pairs of deleted objects from the join tables, whether or not the context has read the
    /// relationships.
    package func deletePairs(of keys: [Int64], _ layoutIndex: Int) throws {
        for end in store.schema.joinEnds[layoutIndex] {
            guard let end else { continue }
            for column in end.isReflexive ? [end.ownerColumn, end.memberColumn] : [end.ownerColumn] {
                let statement = try connection.statement(.pairsDelete(table: end.joinIndex, column: column)) {
                    .delete(SQLDelete(from: end.table, where: .binary(.equal, .column(column), .parameter(1))))
                }
                try statement.run(keys.count) { $1.bind(1, keys[$0]) }
            }
        }
    }

    private func unlink(_ end: SQLJoinEnd, _ pairs: [Pair]) throws {
        if pairs.isEmpty { return }
        let statement = try connection.statement(.joinDelete(table: end.joinIndex, flipped: end.isFlipped)) {
            .delete(SQLDelete(from: end.table, where: Self.isPair(end, owner: 1, member: 2)))
        }
        try run(statement, pairs)
    }

    private func link(_ end: SQLJoinEnd, _ pairs: [Pair]) throws {
        if pairs.isEmpty { return }
        let statement = try connection.statement(.joinInsert(table: end.joinIndex, flipped: end.isFlipped)) {
            var columns = [end.ownerColumn, end.memberColumn]
            var values: [SQLExpression] = [.parameter(1), .parameter(2)]
            if let order = end.orderColumn {
                columns.append(order)
                values.append(Self.lastPlace(order, in: end, key: end.ownerColumn, owner: .parameter(1)))
            }
            if let order = end.inverseOrderColumn {
                columns.append(order)
                values.append(Self.lastPlace(order, in: end, key: end.memberColumn, owner: .parameter(2)))
            }
            return .insert(SQLInsert(into: end.table, columns, .values(values), conflict: .keepsStored))
        }
        try run(statement, pairs)
    }

    private func run(_ statement: any SQLPreparedStatement, _ pairs: [Pair]) throws {
        try statement.run(pairs.count) { place, parameters in
            parameters.bind(1, pairs[place].owner)
            parameters.bind(2, pairs[place].member)
        }
    }

    package static func isPair(_ end: SQLJoinEnd, owner: Int, member: Int) -> SQLExpression {
        .and([
            .binary(.equal, .column(end.ownerColumn), .parameter(owner)),
            .binary(.equal, .column(end.memberColumn), .parameter(member)),
        ])
    }

    /// The place after the last one of a list: 2048 first, then in steps of 1024, as in Apple's files. A new member is
    /// at the end of every ordered list until it gets another place.
    package static func lastPlace(
        _ order: String, in end: SQLJoinEnd, key: String, owner: SQLExpression
    ) -> SQLExpression {
        .scalar(
            SQLSelect(
                [
                    .binary(
                        .add, .function(.coalesce, [.function(.max, [.column(order)]), .number(1024)]), .number(1024))
                ], of: end.table, where: .binary(.equal, .column(key), owner)))
    }
}
