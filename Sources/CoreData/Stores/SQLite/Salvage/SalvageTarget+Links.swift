import Foundation

// Restores the links between rows after all rows have been written.
extension SalvageTarget {
    /// Removes links to rows that were not found, and completes the remaining links.
    func completeLinks() throws {
        for entity in layout.entities {
            for (number, slot) in entity.slots.enumerated() where slot.declaringIndex == entity.index {
                guard slot.kind == .reference, let column = schema.columns[entity.index][number],
                    let destination = entity.destination(of: number),
                    let table = schema.table(ofRoot: entity.rootIndex)?.name,
                    let target = schema.table(ofRoot: destination.rootIndex)?.name
                else { continue }
                try removeLinks(
                    LinkColumn(
                        entity: entity, slot: number, column: column, table: table, target: target,
                        destination: destination))
            }
        }
        for pair in pairs { try removePairs(pair) }
    }

    private struct LinkColumn {
        let entity: EntityLayout
        let slot: Int
        let column: String
        let table: String
        let target: String
        let destination: EntityLayout
    }

    private func numbers(of entity: EntityLayout) -> [Int] { entity.subtree.compactMap { schema.numbers[$0] } }

    private func removeLinks(_ link: LinkColumn) throws {
        let isOwn = SQLExpression.isEntity(numbers(of: link.entity))
        let isThere = SQLExpression.isInSelect(
            .column(link.column),
            SQLSelect(
                [.column(SQLSchema.keyColumn)], of: link.target, where: .isEntity(numbers(of: link.destination))))
        let isLost = SQLExpression.and([isOwn, .isNotNull(.column(link.column)), .not(isThere)])
        let select = SQLSelect(
            [.column(SQLSchema.keyColumn), .column(SQLSchema.entityColumn), .column(link.column)], of: link.table,
            where: isLost, orderedBy: [.column(SQLSchema.keyColumn)])
        var count = 0
        try connection.prepare(.select(select)).rows { row in
            count += 1
            let index = schema.layoutOfNumber[Int(row.int64(1))] ?? link.entity.index
            noteLostValue(
                .link, of: index, key: row.int64(0), property: name(of: link),
                text: "leads to \(link.destination.name) \(row.int64(2)), which was not found; it is nil now")
        }
        var companion: String?
        if case .toOne(_, let slot?) = link.entity.slots[link.slot].role {
            companion = schema.columns[link.entity.index][slot]
        }
        if count > 0 {
            let order = link.entity.slots.indices.filter { number in
                if case .order(link.slot) = link.entity.slots[number].role { true } else { false }
            }.compactMap { schema.columns[link.entity.index][$0] }
            let columns = [link.column] + order
            try connection.run(.update(SQLUpdate(link.table, columns.map { .init($0, .null) }, where: isLost)))
        }
        guard let companion else { return }
        let entityOfTarget = SQLSelect(
            [.column(alias: "d", name: SQLSchema.entityColumn)], of: link.target, as: "d",
            where: .binary(
                .equal, .column(alias: "d", name: SQLSchema.keyColumn), .column(alias: "s", name: link.column)))
        try connection.run(
            .update(
                SQLUpdate(
                    link.table, as: "s", [.init(companion, .scalar(entityOfTarget))],
                    where: .and([
                        .isIn(
                            .column(alias: "s", name: SQLSchema.entityColumn),
                            numbers(of: link.entity).map { .number($0) }),
                        .isNotNull(.column(alias: "s", name: link.column)),
                    ]))))
    }

    /// The name of a link's relationship on the side that has the key.
    private func name(of link: LinkColumn) -> String {
        let slot = link.entity.slots[link.slot]
        if case .owner(let relationship) = slot.role { return relationship.name }
        return slot.name
    }

    // MARK: Pairs

    private struct PairTable {
        let join: SQLJoinTable
        let ownerTable: String
        let memberTable: String
        let toMany: ToManySlot
    }

    /// The join tables, each of them once.
    private var pairs: [PairTable] {
        let end = TransferEnd(connection, layout, schema, name: "")
        return end.relationships.compactMap { toMany in
            guard let join = end.join(toMany) else { return nil }
            let owner = layout.entities[layout.entities[toMany.declaringIndex].rootIndex].index
            let member = layout.entities[layout.entities[toMany.destinationIndex].rootIndex].index
            guard let ownerTable = schema.table(ofRoot: owner)?.name,
                let memberTable = schema.table(ofRoot: member)?.name
            else { return nil }
            return PairTable(
                join: schema.joins[join.joinIndex], ownerTable: ownerTable, memberTable: memberTable, toMany: toMany)
        }
    }

    private func removePairs(_ pair: PairTable) throws {
        func isThere(_ column: String, in table: String) -> SQLExpression {
            .isInSelect(.column(column), SQLSelect([.column(SQLSchema.keyColumn)], of: table))
        }
        let (owner, member) = (pair.join.ownerColumn, pair.join.memberColumn)
        let isLost = SQLExpression.not(
            .and([isThere(owner, in: pair.ownerTable), isThere(member, in: pair.memberTable)]))
        let select = SQLSelect(
            [.column(owner), .column(member)], of: pair.join.table, where: isLost,
            orderedBy: [.column(owner), .column(member)])
        let entity = layout.entities[pair.toMany.declaringIndex].name
        let destination = layout.entities[pair.toMany.destinationIndex].name
        var count = 0
        try connection.prepare(.select(select)).rows { row in
            count += 1
            note(
                Finding(
                    .link, of: entity, row: row.int64(0), property: pair.toMany.relationship.name,
                    "led to \(destination) \(row.int64(1)); one of the two was not found"))
        }
        if count == 0 { return }
        try connection.run(.delete(SQLDelete(from: pair.join.table, where: isLost)))
        notePairs(lost: count)
    }

    // MARK: Counters and indexes

    /// Sets the key counters so that new keys follow the highest keys, as far as these are known.
    func noteHighestKeys(_ counters: [SalvageSource.Counter]) throws {
        let noted = Dictionary(counters.map { ($0.name, $0.highest) }) { max($0, $1) }
        for root in layout.entities where root.superIndex == nil {
            guard let number = schema.numbers[root.index], let table = schema.table(ofRoot: root.index)?.name else {
                continue
            }
            let present = try connection.highestKey(in: table, ofNumber: Int64(number))
            let highest = noted[root.name] ?? 0
            // A counter near the end of all keys is damaged, because it would leave no keys for new objects.
            let isPossible = ObjectKey.isPrimaryKey(highest) && highest < ObjectKey.primaryKeyMask / 2
            try connection.setHighestKey(max(present, isPossible ? highest : 0), ofNumber: Int64(number))
        }
    }

    /// Creates the indexes. A unique index is left out if its values are not unique.
    func makeIndexes() throws {
        for index in schema.indexes {
            do {
                try connection.run(.define(.createIndex(index)))
            } catch let failure as any SQLFailure where failure.isUniqueness {
                note(
                    Finding(
                        .uniqueness,
                        "\(index.table): rows have the same \(index.columns.map(\.name).joined(separator: ", ")), "
                            + "which should be unique; nothing keeps others from doing so now"))
            }
        }
    }
}
