import Foundation

// The pairs of many-to-many relationships.
extension SaveSession {
    package func join(_ changes: [ChangeSet.Join]) throws {
        for change in changes {
            guard let end = store.schema.joinEnds[change.owner.layoutIndex][change.toMany.index] else { continue }
            let owner = change.owner.primaryKey
            try unlink(end, owner, change.removed)
            try link(end, owner, change.added)
        }
    }

    /// A deleted object is in no join table any more, whether or not anybody had looked at its relationships.
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

    private func unlink(_ end: SQLJoinEnd, _ owner: Int64, _ members: [ObjectKey]) throws {
        if members.isEmpty { return }
        let statement = try connection.statement(.joinDelete(table: end.joinIndex, flipped: end.isFlipped)) {
            .delete(SQLDelete(from: end.table, where: Self.isPair(end, owner: 1, member: 2)))
        }
        try run(statement, end, owner, members)
    }

    private func link(_ end: SQLJoinEnd, _ owner: Int64, _ members: [ObjectKey]) throws {
        if members.isEmpty { return }
        let statement = try connection.statement(.joinInsert(table: end.joinIndex, flipped: end.isFlipped)) {
            var columns = [end.ownerColumn, end.memberColumn]
            var values: [SQLExpression] = [.parameter(1), .parameter(2)]
            if let order = end.orderColumn {
                columns.append(order)
                values.append(Self.lastPlace(order, end, end.ownerColumn, .parameter(1)))
            }
            if let order = end.inverseOrderColumn {
                columns.append(order)
                values.append(Self.lastPlace(order, end, end.memberColumn, .parameter(2)))
            }
            return .insert(SQLInsert(into: end.table, columns, .values(values), conflict: .keepsStored))
        }
        try run(statement, end, owner, members)
    }

    /// Runs a statement over pairs, those of a relationship that is its own inverse both ways round.
    private func run(
        _ statement: any SQLPreparedStatement, _ end: SQLJoinEnd, _ owner: Int64, _ members: [ObjectKey]
    ) throws {
        var pairs: [(owner: Int64, member: Int64)] = []
        pairs.reserveCapacity(members.count)
        for member in members {
            pairs.append((owner, member.primaryKey))
            if end.isReflexive, member.primaryKey != owner { pairs.append((member.primaryKey, owner)) }
        }
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

    /// The place behind the last one of a list: 2048 first, then in steps of 1024, as Apple's files have it. A new
    /// member stands at the end of every ordered list until its position is told.
    package static func lastPlace(
        _ order: String, _ end: SQLJoinEnd, _ key: String, _ owner: SQLExpression
    ) -> SQLExpression {
        .scalar(
            SQLSelect(
                [
                    .binary(
                        .add, .function(.coalesce, [.function(.max, [.column(order)]), .number(1024)]), .number(1024))
                ], of: end.table, where: .binary(.equal, .column(key), owner)))
    }
}
