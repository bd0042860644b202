import Foundation

// Relationships that existed before, without inverses, and become each other's. Every link gets its other side, while
// the tables are still those of the source. If the links of the two sides contradict each other, neither is changed.
extension MigrationPlanner {
    /// The column in which the source keeps the links of a relationship that has no inverse, or is to-one.
    private struct Key {
        var table: String
        var column: String
        var companion: String?
        var order: String?
        /// The table that the key leads to.
        var target: String
    }

    private func key(of source: NSRelationshipDescription) -> Key? {
        // A to-many relationship without an inverse is kept in the rows of its members.
        let holder = source.isToMany ? source.destinationEntity : source.entity
        let target = source.isToMany ? source.entity : source.destinationEntity
        guard let entity = holder.flatMap({ difference.source.layout(of: $0) }),
            let slot = entity.slots.firstIndex(where: { slot in
                switch slot.role {
                case .toOne(let held, _), .owner(let held): held === source
                case .attribute, .companion, .order: false
                }
            }), let column = old.columns[entity.index][slot], let table = oldTable(of: entity.index),
            let targetTable = target.flatMap({ difference.source.layout(of: $0) }).flatMap({ oldTable(of: $0.index) })
        else { return nil }
        return Key(
            table: table, column: column,
            companion: companion(of: slot, in: entity).flatMap { old.columns[entity.index][$0] },
            order: order(of: slot, in: entity).flatMap { old.columns[entity.index][$0] }, target: targetTable)
    }

    /// A to-one relationship with its inverse, both of the destination, and the places where the source keeps the links
    /// of each. A relationship that is its own inverse is listed once, two to-one relationships in both orders.
    private typealias Pair = (
        toOne: NSRelationshipDescription, inverse: NSRelationshipDescription, key: Key, inverseKey: Key
    )

    private var pairs: [Pair] {
        difference.destination.entities.flatMap { entity in
            entity.entity.ownProperties.compactMap { property -> Pair? in
                guard let toOne = property as? NSRelationshipDescription, !toOne.isToMany,
                    difference.isPairedAnew(toOne), let inverse = toOne.inverseRelationship,
                    let key = difference.source(of: toOne).flatMap({ self.key(of: $0) }),
                    let inverseKey = difference.source(of: inverse).flatMap({ self.key(of: $0) })
                else { return nil }
                return (toOne, inverse, key, inverseKey)
            }
        }
    }

    /// Finds objects to which the two sides lead in different ways.
    mutating func addPairChecks() {
        for (toOne, inverse, key, inverseKey) in pairs {
            let own = SQLExpression.column(alias: "checked", name: key.column)
            let condition: SQLExpression
            if inverse.isToMany {
                let list = SQLExpression.column(alias: "checked", name: inverseKey.column)
                condition = .and([.isNotNull(own), .isNotNull(list), .binary(.notEqual, own, list)])
            } else {
                let back = SQLExpression.column(alias: "other", name: inverseKey.column)
                condition = .exists(
                    SQLSelect(
                        results: [.init(expression: .number(1), name: nil)], table: inverseKey.table, alias: "other",
                        condition: .and([
                            .binary(.equal, .column(alias: "other", name: SQLSchema.keyColumn), own),
                            .isNotNull(back),
                            .binary(.notEqual, back, .column(alias: "checked", name: SQLSchema.keyColumn)),
                        ])))
            }
            let other = "\(inverse.entity.name ?? "").\(inverse.name)"
            add(
                .check(
                    MigrationCheck(
                        entity: toOne.entity.name ?? "", property: toOne.name, table: key.table, column: key.column,
                        condition: condition, reason: .otherSide(other))), rows: rows(key.table))
            if !inverse.isToMany { addAmbiguityCheck(of: inverse, key.table, key.column) }
        }
    }

    /// Gives every link its other side.
    mutating func addOtherSides() {
        for (_, inverse, key, inverseKey) in pairs {
            guard inverse.isToMany else {
                add(
                    .fillInverse(
                        table: inverseKey.table, column: inverseKey.column, numbers: nil, from: key.table,
                        key: key.column), rows: rows(key.table))
                if let companion = inverseKey.companion {
                    add(
                        .fillEntity(
                            table: inverseKey.table, column: companion, key: inverseKey.column,
                            target: inverseKey.target), rows: rows(inverseKey.table))
                }
                continue
            }
            let list = SQLExpression.column(alias: nil, name: inverseKey.column)
            let own = SQLExpression.column(alias: nil, name: key.column)
            add(
                .update(
                    table: key.table,
                    [
                        MigrationAssignment(
                            column: inverseKey.column, value: own,
                            condition: .and([.isNull(list), .isNotNull(own)]))
                    ]), rows: rows(key.table))
            if let order = inverseKey.order {
                add(
                    .fillPositions(table: inverseKey.table, column: order, owner: inverseKey.column),
                    rows: rows(inverseKey.table))
            }
        }
    }
}
