import Foundation

// Writes the places of pairs of ordered many-to-many relationships.
extension SaveSession {
    /// Puts pairs into their order. The places of a list may have gaps; they only have to rise.
    package func arrange(_ arrangements: [ChangeSet.Arrangement]) throws {
        let runs = arrangements.runs {
            $0.toMany.index == $1.toMany.index && $0.owner.layoutIndex == $1.owner.layoutIndex
                && $0.isWhole == $1.isWhole
        }
        for run in runs {
            let first = arrangements[run.lowerBound]
            guard let end = store.schema.joinEnds[first.owner.layoutIndex][first.toMany.index],
                let column = end.orderColumn
            else { continue }
            let lists = arrangements[run].map {
                (owner: $0.owner.primaryKey, members: $0.members.map(\.primaryKey))
            }
            if first.isWhole {
                try arrange(lists, column, end)
            } else {
                for list in lists { try moveToEnd(list.members, column: column, end: end, owner: list.owner) }
            }
        }
    }

    private func moveToEnd(_ members: [Int64], column: String, end: SQLJoinEnd, owner: Int64) throws {
        let statement = try connection.statement(.pairsUpdate(table: end.joinIndex, column: column, isLast: true)) {
            .update(
                SQLUpdate(
                    end.table,
                    [.init(column, Self.lastPlace(column, in: end, key: end.ownerColumn, owner: .parameter(1)))],
                    where: Self.isPair(end, owner: 1, member: 2)))
        }
        try statement.run(members.count) { place, parameters in
            parameters.bind(1, owner)
            parameters.bind(2, members[place])
        }
    }

    /// Assigns new places to whole lists. Pairs that other processes have added since the lists were read come after
    /// them.
    private func arrange(
        _ lists: [(owner: Int64, members: [Int64])], _ column: String, _ end: SQLJoinEnd
    ) throws {
        let placesOfOwners = try places(column, end, lists.map(\.owner))
        var moved: [(owner: Int64, member: Int64, place: Int64)] = []
        for (owner, members) in lists {
            let places = placesOfOwners[owner] ?? []
            let present = Dictionary(places.map { ($0.member, $0.place) }, uniquingKeysWith: { first, _ in first })
            let named = Set(members)
            let list = members.filter { present[$0] != nil } + places.map(\.member).filter { !named.contains($0) }
            for (number, member) in list.enumerated() {
                let place = Int64(2048 + 1024 * number)
                if present[member] != place { moved.append((owner, member, place)) }
            }
        }
        let statement = try connection.statement(.pairsUpdate(table: end.joinIndex, column: column, isLast: false)) {
            .update(
                SQLUpdate(
                    end.table, [.init(column, .parameter(1))], where: Self.isPair(end, owner: 2, member: 3)))
        }
        try statement.run(moved.count) { place, parameters in
            parameters.bind(1, moved[place].place)
            parameters.bind(2, moved[place].owner)
            parameters.bind(3, moved[place].member)
        }
    }

    private func places(
        _ column: String, _ end: SQLJoinEnd, _ owners: [Int64]
    ) throws -> [Int64: [(member: Int64, place: Int64?)]] {
        let statement = try connection.statement(.pairs(table: end.joinIndex, column: column)) {
            .select(
                SQLSelect(
                    [.column(end.memberColumn), .column(column), .column(end.ownerColumn)], of: end.table,
                    where: .isInParameter(.column(end.ownerColumn), 1),
                    orderedBy: [.column(column), .column(end.memberColumn)]))
        }
        var places: [Int64: [(Int64, Int64?)]] = [:]
        try statement.rows({ $0.bind(1, list: owners) }) { row in
            places[row.int64(2), default: []].append((row.int64(0), row.isNull(1) ? nil : row.int64(1)))
        }
        return places
    }
}
