import Foundation

// The places of pairs of ordered many-to-many relationships.
extension SaveSession {
    /// Puts pairs into their order. The places of a list need not follow each other closely, they only have to rise.
    func arrange(_ arrangements: [ChangeSet.Arrangement]) throws {
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
        let text =
            "UPDATE \(end.table) SET \(column) = (SELECT IFNULL(MAX(\(column)), 1024) + 1024 FROM \(end.table) "
            + "WHERE \(end.ownerColumn) = ?1) WHERE \(end.ownerColumn) = ?1 AND \(end.memberColumn) = ?2"
        let statement = try connection.statement(.text(text)) { text }
        for member in members {
            statement.bind(1, owner)
            statement.bind(2, member)
            try statement.run()
        }
    }

    /// Numbers a list anew. Pairs that others have added since it was read come behind it.
    private func arrange(_ members: [Int64], _ column: String, _ end: SQLJoinEnd, _ owner: Int64) throws {
        let places = try places(column, end, owner)
        let present = Dictionary(places.map { ($0.member, $0.place) }, uniquingKeysWith: { first, _ in first })
        let named = Set(members)
        let list = members.filter { present[$0] != nil } + places.map(\.member).filter { !named.contains($0) }
        let text =
            "UPDATE \(end.table) SET \(column) = ? WHERE \(end.ownerColumn) = ? AND \(end.memberColumn) = ?"
        let statement = try connection.statement(.text(text)) { text }
        var place: Int64 = 2048
        for member in list {
            if present[member] != place {
                statement.bind(1, place)
                statement.bind(2, owner)
                statement.bind(3, member)
                try statement.run()
            }
            place += 1024
        }
    }

    private func places(
        _ column: String, _ end: SQLJoinEnd, _ owner: Int64
    ) throws -> [(member: Int64, place: Int64?)] {
        let text =
            "SELECT \(end.memberColumn), \(column) FROM \(end.table) WHERE \(end.ownerColumn) = ? "
            + "ORDER BY \(column), \(end.memberColumn)"
        let statement = try connection.statement(.text(text)) { text }
        statement.bind(1, owner)
        defer { statement.reset() }
        var places: [(Int64, Int64?)] = []
        while try statement.step() {
            places.append((statement.int64(0), statement.isNull(1) ? nil : statement.int64(1)))
        }
        return places
    }
}
