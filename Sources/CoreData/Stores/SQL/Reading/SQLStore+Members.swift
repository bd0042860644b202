import Foundation

// Reads the members of to-many relationships, by the keys of their owners.
extension SQLStore {
    package func members(of toMany: ToManySlot, owner: ObjectKey) throws -> [ObjectKey] {
        guard let plan = memberPlan(of: toMany, owner: owner.layoutIndex) else { return [] }
        return try readingOnce { connection in
            let statement = try connection.statement(
                .members(layout: toMany.declaringIndex, toMany: toMany.index, owners: 1)
            ) { plan.statement(owners: 1) }
            var members: [ObjectKey] = []
            try statement.rows({ $0.bind(1, owner.primaryKey) }) { row in
                if let member = try member(row, plan) { members.append(member) }
            }
            return members
        }
    }

    package func members(of toMany: ToManySlot, owners: [ObjectKey]) throws -> [Int64: [ObjectKey]] {
        var result: [Int64: [ObjectKey]] = [:]
        result.reserveCapacity(owners.count)
        for owner in owners { result[owner.key] = [] }
        // A caller that requests so many members reads the members' rows next, and one statement is enough for both.
        if capabilities.takesLists, let members = try memberRows(of: toMany, owners: owners) {
            return members.places.mapValues { members.rows[$0].map(\.object) }
        }
        let found = MembersByOwner(result)
        func gather(_ connection: any SQLConnection) throws {
            try members(of: toMany, owners: owners, on: connection) { found.add($1, of: $0) }
        }
        if capabilities.takesLists { try readingOnce(gather) } else { try reading(gather) }
        return found.finished()
    }

    /// Members by the keys of their owners. Members of one owner follow each other, and are added together.
    private final class MembersByOwner {
        // Unchecked, and in a class: variables that a closure captures would be checked for each member.
        @exclusivity(unchecked) private var members: [Int64: [ObjectKey]]
        @exclusivity(unchecked) private var owner: Int64?
        @exclusivity(unchecked) private var ofOwner: [ObjectKey] = []

        /// - Parameter owners: The owners, all of them without members.
        init(_ owners: [Int64: [ObjectKey]]) { members = owners }

        @inline(__always)
        func add(_ member: ObjectKey, of key: Int64) {
            if key != owner {
                putIn()
                owner = key
            }
            ofOwner.append(member)
        }

        private func putIn() {
            guard let owner, !ofOwner.isEmpty else { return }
            members[owner, default: []] += ofOwner
            ofOwner.removeAll(keepingCapacity: true)
        }

        func finished() -> [Int64: [ObjectKey]] {
            putIn()
            return members
        }
    }

    /// Reads the members of many owners with their rows, by one statement for both, and puts the rows into the cache.
    ///
    /// - Returns: Nil, and nothing is read, if the rows are cached, or are reached through a table of pairs.
    package func memberRows(of toMany: ToManySlot, owners: [ObjectKey]) throws -> MemberRows? {
        let destination = layout.entities[toMany.destinationIndex]
        let slot: Int
        switch toMany.kind {
        case .inverseKey(let place, _), .ownerKey(let place, _): slot = place
        case .join, .transient: return nil
        }
        guard let first = owners.first, let shape = rootShapes[destination.rootIndex],
            rowCache.count(rootIndex: destination.rootIndex) < owners.count,
            let plan = memberPlan(of: toMany, owner: first.layoutIndex)
        else { return nil }
        let keys = owners.map(\.primaryKey).sorted()
        // The rows are held until all have been read, because the cache drops rows that are not held.
        var members = MemberList(owners: owners, slot: slot)
        func gather(_ connection: any SQLConnection) throws {
            try inBatches(keys) { size, bind in
                try connection.statement(
                    .memberRows(layout: toMany.declaringIndex, toMany: toMany.index, owners: size)
                ) {
                    plan.rows(shape, owners: size, sortsKeys: capabilities.readsInOrderOfIndex)
                }.snapshots(of: shape, into: rowCache, refreshing: false, bind: bind) { members.add($0) }
            }
        }
        if capabilities.takesLists { try readingOnce(gather) } else { try reading(gather) }
        for row in members.rows where !destination.subtree.contains(row.layoutIndex) {
            throw stranger(row.object, in: plan)
        }
        return members.byOwner()
    }

    /// The rows of members, in the order in which they are read.
    private struct MemberList {
        private(set) var rows: [Snapshot] = []
        /// The slot that holds the owner's key.
        private let slot: Int
        /// The numbers of the owners by their keys. The last number is for rows without any of these owners.
        private var numbers: [Int64: Int] = [:]
        private var counts: [Int]
        private var numbersOfRows: [Int] = []

        init(owners: [ObjectKey], slot: Int) {
            self.slot = slot
            numbers.reserveCapacity(owners.count)
            for owner in owners where numbers[owner.key] == nil { numbers[owner.key] = numbers.count }
            counts = Array(repeating: 0, count: numbers.count + 1)
        }

        /// Adds rows, which are in the processor's cache because they have just been read.
        mutating func add(_ more: [Snapshot]) {
            for row in more {
                let number = numbers[row.int(slot)] ?? numbers.count
                counts[number] += 1
                numbersOfRows.append(number)
            }
            rows += more
        }

        /// The rows of each owner together, in the order in which they were added.
        consuming func byOwner() -> MemberRows {
            var starts = counts
            var start = 0
            for number in starts.indices {
                starts[number] = start
                start += counts[number]
            }
            let places = numbers.mapValues { starts[$0]..<starts[$0] + counts[$0] }
            let targets = numbersOfRows.map { number in
                defer { starts[number] += 1 }
                return starts[number]
            }
            rows.move(to: targets)
            return MemberRows(rows: rows, places: places)
        }
    }

    /// Reads the members of many owners of one entity. The body gets the owner's key with each member.
    package func members(
        of toMany: ToManySlot, owners: [ObjectKey], on connection: any SQLConnection,
        _ body: (Int64, ObjectKey) -> Void
    ) throws {
        try eachBatch(of: toMany, owners, connection) { statement, plan, bind in
            try statement.rows(bind) { row in
                if let (owner, member) = try ownerAndMember(row, plan) { body(owner, member) }
            }
        }
    }

    /// Reads the members of many owners of one entity. In a pipeline the body is called before the pipeline ends.
    package func lookAtMembers(
        of toMany: ToManySlot, owners: [ObjectKey], on connection: any SQLConnection,
        _ body: @escaping (Int64, ObjectKey) throws -> Void
    ) throws {
        try eachBatch(of: toMany, owners, connection) { statement, plan, bind in
            try statement.inspect(bind) { [self] row in
                if let (owner, member) = try ownerAndMember(row, plan) { try body(owner, member) }
            }
        }
    }

    /// Calls a body with the statement for each batch of owners, and a closure that binds their keys.
    private func eachBatch(
        of toMany: ToManySlot, _ owners: [ObjectKey], _ connection: any SQLConnection,
        _ body: (any SQLPreparedStatement, MemberPlan, @escaping (any SQLParameters) -> Void) throws -> Void
    ) throws {
        guard let first = owners.first, let plan = memberPlan(of: toMany, owner: first.layoutIndex) else { return }
        try inBatches(owners.map(\.primaryKey).sorted()) { size, bind in
            let statement = try connection.statement(
                .members(layout: toMany.declaringIndex, toMany: toMany.index, owners: size)
            ) { plan.statement(owners: size) }
            try body(statement, plan, bind)
        }
    }

    @inline(__always)
    private func ownerAndMember(_ row: any SQLRow, _ plan: MemberPlan) throws -> (Int64, ObjectKey)? {
        try member(row, plan).map { (ObjectKey.key(storeNumber: storeNumber, primaryKey: row.int64(0)), $0) }
    }

    /// The member in a row: its key and its entity's number follow the owner.
    @inline(__always)
    private func member(_ row: any SQLRow, _ plan: MemberPlan) throws -> ObjectKey? {
        let rootIndex = plan.destination.rootIndex
        guard let index = layoutIndex(number: row.int64(2), rootIndex: rootIndex) else { return nil }
        let member = ObjectKey(layoutIndex: index, key: try key(row.int64(1), rootIndex: rootIndex))
        guard plan.destination.subtree.contains(index) else { throw stranger(member, in: plan) }
        return member
    }

    private func memberPlan(of toMany: ToManySlot, owner: Int) -> MemberPlan? {
        let destination = layout.entities[toMany.destinationIndex]
        guard let table = schema.table(ofRoot: destination.rootIndex)?.name else { return nil }
        let pairs: MemberPlan.Pairs
        switch toMany.kind {
        case .inverseKey(let slot, let order), .ownerKey(let slot, let order):
            guard let column = schema.column(layout: destination.index, slot: slot) else { return nil }
            pairs = .inRows(
                owner: column, order: order.flatMap { schema.column(layout: destination.index, slot: $0) })
        case .join:
            guard let end = schema.joinEnds[owner][toMany.index] else { return nil }
            pairs = .inTable(end)
        case .transient:
            return nil
        }
        return MemberPlan(
            relationship: toMany.relationship, destination: destination, table: table,
            isEntityKnown: soleLayouts[destination.rootIndex] != nil, pairs: pairs)
    }

    /// How the members of a relationship are found. The SQL is only made for a statement that is not prepared yet.
    private struct MemberPlan {
        /// Where the keys of owners are beside those of their members.
        enum Pairs {
            /// In columns of the members' rows: the owner's key, and the member's place in the owner's list.
            case inRows(owner: String, order: String?)
            /// In a table of pairs.
            case inTable(SQLJoinEnd)
        }

        let relationship: NSRelationshipDescription
        let destination: EntityLayout
        /// The table of the members.
        let table: String
        /// Whether the table has rows of one entity only. An index on the owner's column is enough then.
        let isEntityKnown: Bool
        let pairs: Pairs

        func statement(owners: Int) -> SQLStatement {
            var (select, owner) = selection
            select.condition = SQLStore.isAmong(owners, owner)
            return .select(select)
        }

        /// Whole rows of the members, which have the keys of their owners.
        func rows(_ shape: RowShape, owners: Int, sortsKeys: Bool) -> SQLStatement {
            var (select, owner) = selection
            select.results = shape.results(alias: "m")
            select.condition = SQLStore.isAmong(owners, owner)
            // The inner SELECT takes the keys from the index of the owners. The outer one reads the rows in the order
            // of their keys.
            if sortsKeys, select.order.isEmpty {
                var keys = select
                keys.results = [.init(expression: key)]
                select.condition = .isInSelect(key, keys)
            }
            return .select(select)
        }

        private func member(_ column: String) -> SQLExpression { .column(alias: "m", name: column) }
        private var key: SQLExpression { member(SQLSchema.keyColumn) }

        /// The selection of owner, member's key and member's entity, in the order of the owner's list, and the owner's
        /// key in it.
        private var selection: (select: SQLSelect, owner: SQLExpression) {
            let entity = isEntityKnown ? .null : member(SQLSchema.entityColumn)
            switch pairs {
            case .inRows(let owner, let order):
                let select = SQLSelect(
                    [member(owner), key, entity], of: table, as: "m", orderedBy: order.map { [member($0), key] } ?? [])
                return (select, member(owner))
            case .inTable(let end):
                let names =
                    end.isReflexive
                    ? (owner: "o", member: "d", order: end.orderColumn.map { _ in "p" })
                    : (owner: end.ownerColumn, member: end.memberColumn, order: end.orderColumn)
                func pair(_ name: String) -> SQLExpression { .column(alias: "j", name: name) }
                let join = SQLSelect.Join(
                    table: table, alias: "m", on: .binary(.equal, key, pair(names.member)), isLeft: false)
                let select = SQLSelect(
                    results: [pair(names.owner), key, entity].map { .init(expression: $0) },
                    from: end.isReflexive ? .select(SQLStore.pairsBothWays(end)) : .table(end.table), alias: "j",
                    joins: [join],
                    order: names.order.map { [pair($0), pair(names.member)].map { .init(expression: $0) } } ?? [])
                return (select, pair(names.owner))
            }
        }
    }

    /// The error for a member whose entity does not belong to the relationship: it has no slot for the other side.
    @inline(never)
    private func stranger(_ member: ObjectKey, in plan: MemberPlan) -> NSError {
        let table = schema.table(ofRoot: plan.destination.rootIndex)?.name ?? ""
        return .coreData(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            reason: "The row \(member.primaryKey) of the table “\(table)” is of the entity "
                + "“\(layout.entities[member.layoutIndex].name)”, and the relationship “\(plan.relationship.name)” of "
                + "“\(plan.relationship.entity.name ?? "")” leads to “\(plan.destination.name)”.",
            url: url, userInfo: [NSValidationKeyErrorKey: plan.relationship.name])
    }

    /// The pairs of a relationship that is its own inverse, in both directions, because Apple's files may hold one row
    /// per pair or two. Only the row that was written for an owner has the place in the owner's list.
    fileprivate static func pairsBothWays(_ end: SQLJoinEnd) -> SQLSelect {
        func pairs(_ owner: String, _ member: String, _ place: String?) -> SQLSelect {
            SQLSelect(
                results: [
                    .init(expression: .column(owner), name: "o"), .init(expression: .column(member), name: "d"),
                    .init(expression: place.map { .column($0) } ?? .null, name: "p"),
                ], table: end.table)
        }
        var select = SQLSelect(
            results: [
                .init(expression: .column("o")), .init(expression: .column("d")),
                .init(expression: .function(.max, [.column("p")]), name: "p"),
            ],
            from: .unionAll([
                pairs(end.ownerColumn, end.memberColumn, end.orderColumn),
                pairs(end.memberColumn, end.ownerColumn, nil),
            ]))
        select.groupBy = [.column("o"), .column("d")]
        return select
    }
}
