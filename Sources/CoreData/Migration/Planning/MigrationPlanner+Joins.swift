import Foundation

extension MigrationPlanner {
    /// Finds the join table or the key from which every join table takes its pairs.
    mutating func planJoins() {
        for (number, join) in new.joins.enumerated() {
            var change = JoinChange(join: join, table: new.joinTables[number])
            if let naming = namingRelationship(of: number), let link = pairs(of: naming) {
                fill(&change, link)
                if let inverse = naming.inverseRelationship, inverse !== naming, difference.isPairedAnew(naming),
                    let more = difference.source(of: inverse).flatMap({ self.link(of: $0)?.reversed })
                {
                    change.morePairs = MigrationPairs(
                        from: more.table, into: join.table, owner: more.owner, member: more.member,
                        ownerColumn: join.ownerColumn, memberColumn: join.memberColumn, isAddition: true)
                }
            }
            joins.append(change)
        }
    }

    /// The relationship whose owners are in the owner column.
    private func namingRelationship(of number: Int) -> NSRelationshipDescription? {
        for entity in difference.destination.entities {
            for toMany in entity.toManys where toMany.declaringIndex == entity.index {
                guard let end = new.joinEnds[entity.index][toMany.index], end.joinIndex == number,
                    end.ownerColumn == new.joins[number].ownerColumn
                else { continue }
                return toMany.relationship
            }
        }
        return nil
    }

    /// Pairs of the source: the owners and members of one relationship.
    private struct Link {
        var table: String
        var owner: String
        var member: String
        /// Positions of members in their owner's list, and of owners in their member's list.
        var memberOrder: String?
        var ownerOrder: String?
        var isJoin = false
        var isReflexive = false
        var ownerTarget: Int?
        var memberTarget: Int?

        var reversed: Link {
            var link = self
            (link.owner, link.member) = (member, owner)
            (link.memberOrder, link.ownerOrder) = (ownerOrder, memberOrder)
            (link.ownerTarget, link.memberTarget) = (memberTarget, ownerTarget)
            return link
        }
    }

    private func pairs(of relationship: NSRelationshipDescription) -> Link? {
        if let source = difference.source(of: relationship) { return link(of: source) }
        return relationship.inverseRelationship.flatMap { difference.source(of: $0) }.flatMap { link(of: $0)?.reversed }
    }

    /// The links of a relationship, as the source keeps them.
    private func link(of relationship: NSRelationshipDescription) -> Link? {
        guard let entity = difference.source.layout(of: relationship.entity) else { return nil }
        let target = relationship.destinationEntity.flatMap { difference.source.layout(of: $0) }
        if !relationship.isToMany {
            return keyLink(in: entity, relationship) { slot in
                if case .toOne(let held, _) = slot.role { held === relationship } else { false }
            }?.reversed
        }
        if let inverse = relationship.inverseRelationship, !inverse.isToMany {
            guard let holder = difference.source.layout(of: inverse.entity) else { return nil }
            return keyLink(in: holder, inverse) { slot in
                if case .toOne(let held, _) = slot.role { held === inverse } else { false }
            }
        }
        if relationship.inverseRelationship == nil {
            guard let target else { return nil }
            return keyLink(in: target, relationship) { slot in
                if case .owner(let held) = slot.role { held === relationship } else { false }
            }
        }
        guard let toMany = entity.toManys.first(where: { $0.relationship === relationship }),
            let end = old.joinEnds[entity.index][toMany.index]
        else { return nil }
        return Link(
            table: end.table, owner: end.ownerColumn, member: end.memberColumn, memberOrder: end.orderColumn,
            ownerOrder: end.inverseOrderColumn, isJoin: true, isReflexive: end.isReflexive, ownerTarget: entity.index,
            memberTarget: target?.index)
    }

    /// Links kept by a key in the members' rows: the key leads to the owner.
    private func keyLink(
        in entity: EntityLayout, _ relationship: NSRelationshipDescription, where holds: (Slot) -> Bool
    ) -> Link? {
        guard let slot = entity.slots.firstIndex(where: holds), let column = old.columns[entity.index][slot],
            let table = old.table(ofRoot: entity.rootIndex)?.name
        else { return nil }
        return Link(
            table: table, owner: column, member: SQLSchema.keyColumn,
            memberOrder: order(of: slot, in: entity).flatMap { old.columns[entity.index][$0] })
    }

    private func fill(_ change: inout JoinChange, _ link: Link) {
        let join = change.join
        change.pairs = MigrationPairs(
            from: link.table, into: join.table, owner: link.owner, member: link.member, ownerColumn: join.ownerColumn,
            memberColumn: join.memberColumn,
            memberOrder: join.memberOrderColumn.map { .init(column: $0, source: link.memberOrder) },
            ownerOrder: join.ownerOrderColumn.map { .init(column: $0, source: link.ownerOrder) },
            isMirrored: join.isReflexive && !link.isReflexive)
        guard link.isJoin, let source = catalog.tables[link.table] else {
            change.isRewritten = true
            return
        }
        change.source = link.table
        change.ownerTarget = link.ownerTarget
        change.memberTarget = link.memberTarget
        let used = [link.owner, link.member, change.pairs?.memberOrder?.source, change.pairs?.ownerOrder?.source]
            .compactMap { $0 }
        change.dropped = source.columns.map(\.name).filter { name in
            name.hasPrefix("Z_FOK_") && !used.contains { Self.same($0, name) }
        }
        let needsPositions = [change.pairs?.memberOrder, change.pairs?.ownerOrder].contains {
            $0.map { $0.source == nil } ?? false
        }
        change.isRewritten =
            needsPositions || change.pairs?.isMirrored == true || source.column(link.owner)?.keyPosition != 1
            || (source.hasConstraints && !change.dropped.isEmpty)
    }
}
