import Foundation

// Repairs content that no save has written.
extension SQLStore {
    package func repair(_ irregularities: [StoreIrregularity]) throws -> [StoreIrregularity] {
        if capabilities.hasTypedColumns { return irregularities }
        let wanted = Set(irregularities)
        var left: [StoreIrregularity] = []
        var changed: [(key: Int64, root: Int)] = []
        try writing { connection in
            try connection.transaction {
                try requireSameModel(connection)
                // Another process may have written the store since the irregularities were found.
                let present = try self.irregularities(connection)?.filter(wanted.contains) ?? []
                for irregularity in present {
                    guard try repair(irregularity, connection) else {
                        left.append(irregularity)
                        continue
                    }
                    if irregularity.kind == .encoding || irregularity.kind == .value,
                        let entity = entity(named: irregularity.row.entityName)
                    {
                        changed.append((irregularity.row.number, entity.rootIndex))
                    }
                }
            }
        }
        for row in changed {
            forgetCachedRow(ObjectKey.key(storeNumber: storeNumber, primaryKey: row.key), rootIndex: row.root)
        }
        return left
    }

    private func entity(named name: String) -> EntityLayout? { layout.entities.first { $0.name == name } }

    /// Returns false if the irregularity cannot be repaired.
    private func repair(_ irregularity: StoreIrregularity, _ connection: any SQLConnection) throws -> Bool {
        switch irregularity.kind {
        case .counter: try raiseCounter(irregularity, connection)
        case .entity: false
        case .link: try deletePair(irregularity, connection)
        case .encoding, .value: try repairValue(irregularity, connection)
        }
    }

    private func raiseCounter(_ irregularity: StoreIrregularity, _ connection: any SQLConnection) throws -> Bool {
        guard let root = entity(named: irregularity.row.entityName) else { return false }
        // Reserving keys, even none, updates the counter to the highest key.
        _ = try reserve(0, root: root.index, connection)
        return true
    }

    private func deletePair(_ irregularity: StoreIrregularity, _ connection: any SQLConnection) throws -> Bool {
        guard let owner = entity(named: irregularity.row.entityName), let target = irregularity.target,
            let pair = pairEnds.first(where: {
                $0.owner.subtree.contains(owner.index) && $0.toMany.relationship.name == irregularity.propertyName
            })
        else { return false }
        func pairs(_ owner: Int64, _ member: Int64) -> SQLExpression {
            .and([
                .binary(.equal, .column(pair.end.ownerColumn), .value(.int(owner))),
                .binary(.equal, .column(pair.end.memberColumn), .value(.int(member))),
            ])
        }
        let (one, other) = (irregularity.row.number, target.number)
        let condition = pair.end.isReflexive ? .or([pairs(one, other), pairs(other, one)]) : pairs(one, other)
        return try connection.run(.delete(SQLDelete(from: pair.end.table, where: condition))).changed > 0
    }

    /// Repairs a value. A text keeps its readable part; another value becomes nil if the attribute is optional.
    private func repairValue(_ irregularity: StoreIrregularity, _ connection: any SQLConnection) throws -> Bool {
        guard let entity = entity(named: irregularity.row.entityName),
            let table = schema.table(ofRoot: entity.rootIndex)?.name,
            let slot = entity.slots.firstIndex(where: { $0.name == irregularity.propertyName }),
            let column = schema.column(layout: entity.index, slot: slot)
        else { return false }
        let key = irregularity.row.number
        var text: String?
        if irregularity.kind == .encoding {
            let select = SQLSelect(
                [.column(column)], of: table, where: .binary(.equal, .column(SQLSchema.keyColumn), .value(.int(key))))
            text = try connection.prepare(.select(select)).first { String(decoding: $0.data(0), as: UTF8.self) }
        } else if entity.slots[slot].property?.isOptional == false {
            return false
        }
        // If the repaired text would break a uniqueness constraint, the value stays as it is.
        return try connection.prepare(RowWriter.update(table, [column])).run(1, isTried: true) { _, parameters in
            if let text { parameters.bind(1, text) } else { parameters.bindNull(1) }
            parameters.bind(2, key)
        }.changed > 0
    }
}
