import Foundation

// The places of pairs of ordered many-to-many relationships.
extension SaveSession {
    /// Puts pairs into their order. The places of a list need not follow each other closely, they only have to rise.
    package func arrange(_ arrangements: [ChangeSet.Arrangement]) throws {
        for arrangement in arrangements {
            let owner = arrangement.owner
            guard let end = store.schema.joinEnds[owner.layoutIndex][arrangement.toMany.index],
                let column = end.orderColumn
            else { continue }
            let members = arrangement.members.map(\.primaryKey)
            if arrangement.isWhole {
                try arrange(members, column, end, owner.primaryKey)
            } else {
                try moveToEnd(members, column, end, owner.primaryKey)
            }
        }
    }

    private func moveToEnd(_ members: [Int64], _ column: String, _ end: SQLJoinEnd, _ owner: Int64) throws {
        let statement = try connection.statement(.pairsUpdate(table: end.joinIndex, column: column, isLast: true)) {
            .update(
                SQLUpdate(
                    end.table, [.init(column, Self.lastPlace(column, end, end.ownerColumn, .parameter(1)))],
                    where: Self.isPair(end, owner: 1, member: 2)))
        }
        try statement.run(members.count) { place, parameters in
            parameters.bind(1, owner)
            parameters.bind(2, members[place])
        }
    }

    /// Numbers a list anew. Pairs that others have added since it was read come behind it.
    private func arrange(_ members: [Int64], _ column: String, _ end: SQLJoinEnd, _ owner: Int64) throws {
        let places = try places(column, end, owner)
        let present = Dictionary(places.map { ($0.member, $0.place) }, uniquingKeysWith: { first, _ in first })
        let named = Set(members)
        let list = members.filter { present[$0] != nil } + places.map(\.member).filter { !named.contains($0) }
        let moved = list.enumerated().map { (member: $1, place: Int64(2048 + 1024 * $0)) }
            .filter { present[$0.member] != $0.place }
        let statement = try connection.statement(.pairsUpdate(table: end.joinIndex, column: column, isLast: false)) {
            .update(
                SQLUpdate(
                    end.table, [.init(column, .parameter(1))], where: Self.isPair(end, owner: 2, member: 3)))
        }
        try statement.run(moved.count) { place, parameters in
            parameters.bind(1, moved[place].place)
            parameters.bind(2, owner)
            parameters.bind(3, moved[place].member)
        }
    }

    private func places(
        _ column: String, _ end: SQLJoinEnd, _ owner: Int64
    ) throws -> [(member: Int64, place: Int64?)] {
        let statement = try connection.statement(.pairs(table: end.joinIndex, column: column)) {
            .select(
                SQLSelect(
                    [.column(end.memberColumn), .column(column)], of: end.table,
                    where: .binary(.equal, .column(end.ownerColumn), .parameter(1)),
                    orderedBy: [.column(column), .column(end.memberColumn)]))
        }
        var places: [(Int64, Int64?)] = []
        try statement.rows({ $0.bind(1, owner) }) { row in
            places.append((row.int64(0), row.isNull(1) ? nil : row.int64(1)))
        }
        return places
    }
}
