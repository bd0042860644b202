import Foundation

extension SQLStore {
    /// The numbers of keys in one statement. With a few fixed sizes the statements stay cached. Short batches repeat
    /// their last key.
    package static let batchSizes = [20, 100, 500]

    // MARK: Rows by key

    package func rows(for keys: [Int64], rootIndex: Int, refreshing: Bool) throws -> [Snapshot] {
        guard let shape = rootShapes[rootIndex] else { return [] }
        if keys.count == 1 {
            let row = try row(for: keys[0], rootIndex: rootIndex, refreshing: refreshing)
            return row.map { [$0] } ?? []
        }
        var rows: [Snapshot] = []
        rows.reserveCapacity(keys.count)
        var missing: [Int64] = []
        if refreshing {
            missing = keys
        } else {
            rowCache.batch { cache in
                for key in keys {
                    if let row = cache.row(for: key, rootIndex: rootIndex) {
                        rows.append(row)
                    } else {
                        missing.append(key)
                    }
                }
            }
        }
        if missing.isEmpty { return rows }
        let primaryKeys = missing.map { $0 & ObjectKey.primaryKeyMask }.sorted()
        func gather(_ connection: any SQLConnection) throws {
            try read(primaryKeys, rootIndex: rootIndex, shape: shape, refreshing: refreshing, on: connection) {
                rows += $0
            }
        }
        if capabilities.takesLists { try readingOnce(gather) } else { try reading(gather) }
        return rows
    }

    /// The rows as a connection reads them. Cached rows are used if they have the same version.
    func rows(for keys: [Int64], rootIndex: Int, on connection: any SQLConnection) throws -> [Snapshot] {
        guard let shape = rootShapes[rootIndex] else { return [] }
        var rows: [Snapshot] = []
        rows.reserveCapacity(keys.count)
        let primaryKeys = keys.map { $0 & ObjectKey.primaryKeyMask }.sorted()
        try read(primaryKeys, rootIndex: rootIndex, shape: shape, refreshing: false, on: connection) { rows += $0 }
        return rows
    }

    private func read(
        _ primaryKeys: [Int64], rootIndex: Int, shape: RowShape, refreshing: Bool, on connection: any SQLConnection,
        body: ([Snapshot]) throws -> Void
    ) throws {
        try inBatches(primaryKeys) { size, bind in
            try connection.statement(.rows(root: rootIndex, count: size)) {
                rowSelect(rootIndex) { Self.isAmong(size, $0) }
            }.snapshots(of: shape, into: rowCache, refreshing: refreshing, bind: bind, body: body)
        }
    }

    /// Reads one row. Firing a fault is the hot path.
    package func row(for key: Int64, rootIndex: Int, refreshing: Bool) throws -> Snapshot? {
        if !refreshing, let cached = rowCache.row(for: key, rootIndex: rootIndex) { return cached }
        return try readRow(key, rootIndex: rootIndex, refreshing: refreshing, cache: rowCache)
    }

    @inline(__always)
    func readRow(_ key: Int64, rootIndex: Int, refreshing: Bool, cache: RowCache?) throws -> Snapshot? {
        guard let shape = rootShapes[rootIndex] else { return nil }
        return try readingOnce { connection in
            try connection.rowStatement(root: rootIndex) {
                rowSelect(rootIndex) { .binary(.equal, $0, .parameter(1)) }
            }.snapshot(shape, cache, refreshing: refreshing, key: key & ObjectKey.primaryKeyMask)
        }
    }

    /// The column of a SELECT for the entity of rows of a root entity's table. It is NULL if the table has rows of one
    /// entity only, and the database would send a name with each row.
    func entity(ofRoot rootIndex: Int, _ column: SQLExpression) -> SQLExpression {
        soleLayouts[rootIndex] != nil && schema.namesEntities ? .null : column
    }

    /// A SELECT of whole rows of a root entity's table, by their key.
    package func rowSelect(_ rootIndex: Int, where condition: (SQLExpression) -> SQLExpression) -> SQLStatement {
        let table = schema.table(ofRoot: rootIndex)?.name ?? ""
        return .select(
            SQLSelect(
                results: rootShapes[rootIndex]?.results(alias: "t0") ?? [], table: table, alias: "t0",
                condition: condition(.column(alias: "t0", name: SQLSchema.keyColumn))))
    }

    /// Whether a column is among this number of parameters. The size 0 means one parameter that is a list.
    private static func isAmong(_ size: Int, _ column: SQLExpression) -> SQLExpression {
        size == 0 ? .isInParameter(column, 1) : .isIn(column, (1...size).map { .parameter($0) })
    }

    /// Calls a body for all keys, in batches with the number of parameters to bind. A short batch repeats its last key,
    /// for at most half of its size. If a list can be a parameter, the body is called once.
    private func inBatches(
        _ keys: [Int64], _ body: (_ size: Int, _ bind: @escaping (any SQLParameters) -> Void) throws -> Void
    ) throws {
        if capabilities.takesLists { return try body(0) { $0.bind(1, list: keys) } }
        var start = 0
        while start < keys.count {
            let left = keys.count - start
            let size =
                Self.batchSizes.first { $0 >= left && $0 < 2 * left } ?? Self.batchSizes.last { $0 <= left }
                ?? Self.batchSizes[0]
            let (begin, end) = (start, min(start + size, keys.count))
            try body(size) { parameters in
                for place in 0..<size { parameters.bind(place + 1, keys[min(begin + place, end - 1)]) }
            }
            start = end
        }
    }

    // MARK: Members of to-many relationships

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

    /// The key of an object from the key of its row. Throws if no object can have the key in the table: its upper bits
    /// would be the number of another store.
    @inline(__always)
    package func key(_ primaryKey: Int64, rootIndex: Int) throws -> Int64 {
        try key(primaryKey, in: schema.table(ofRoot: rootIndex)?.name ?? "")
    }

    /// The key of an object from a primary key that a table holds. Throws if no object can have the key.
    @inline(__always)
    package func key(_ primaryKey: Int64, in table: @autoclosure () -> String) throws -> Int64 {
        guard ObjectKey.isPrimaryKey(primaryKey) else { throw ObjectKey.refusal(of: primaryKey, in: table()) }
        return ObjectKey.key(storeNumber: storeNumber, primaryKey: primaryKey)
    }

    /// The selection of a relationship's members: owner, member's key, member's entity, in the order of the owner's
    /// list.
    private struct MemberPlan {
        var relationship: NSRelationshipDescription
        var destination: EntityLayout
        var select: SQLSelect
        var owner: SQLExpression

        func statement(owners: Int) -> SQLStatement {
            var select = select
            select.condition = SQLStore.isAmong(owners, owner)
            return .select(select)
        }

        /// Whole rows of the members, which have the keys of their owners.
        func rows(_ shape: RowShape, owners: Int, sortsKeys: Bool) -> SQLStatement {
            var select = select
            select.results = shape.results(alias: "m")
            select.condition = SQLStore.isAmong(owners, owner)
            // The inner SELECT takes the keys from the index of the owners. The outer one reads the rows in the order
            // of their keys.
            if sortsKeys, select.order.isEmpty {
                let key = SQLExpression.column(alias: "m", name: SQLSchema.keyColumn)
                var keys = select
                keys.results = [.init(expression: key)]
                select.condition = .isInSelect(key, keys)
            }
            return .select(select)
        }
    }

    private func memberPlan(of toMany: ToManySlot, owner: Int) -> MemberPlan? {
        let destination = layout.entities[toMany.destinationIndex]
        guard let table = schema.table(ofRoot: destination.rootIndex)?.name else { return nil }
        func member(_ name: String) -> SQLExpression { .column(alias: "m", name: name) }
        let key = member(SQLSchema.keyColumn)
        // An index on the owner's column is enough if the entity is known without the row.
        let entity = soleLayouts[destination.rootIndex] != nil ? .null : member(SQLSchema.entityColumn)
        switch toMany.kind {
        case .inverseKey(let slot, let order), .ownerKey(let slot, let order):
            guard let column = schema.column(layout: destination.index, slot: slot) else { return nil }
            let position = order.flatMap { schema.column(layout: destination.index, slot: $0) }
            return MemberPlan(
                relationship: toMany.relationship, destination: destination,
                select: SQLSelect(
                    [member(column), key, entity], of: table, as: "m",
                    orderedBy: position.map { [member($0), key] } ?? []),
                owner: member(column))
        case .join:
            guard let end = schema.joinEnds[owner][toMany.index] else { return nil }
            func pair(_ name: String) -> SQLExpression { .column(alias: "j", name: name) }
            func plan(_ pairs: SQLSource, owner: String, member name: String, order: String?) -> MemberPlan {
                let join = SQLSelect.Join(
                    table: table, alias: "m", on: .binary(.equal, key, pair(name)), isLeft: false)
                return MemberPlan(
                    relationship: toMany.relationship, destination: destination,
                    select: SQLSelect(
                        results: [pair(owner), key, entity].map { .init(expression: $0) },
                        from: pairs, alias: "j", joins: [join],
                        order: order.map { [.init(expression: pair($0)), .init(expression: pair(name))] } ?? []),
                    owner: pair(owner))
            }
            guard end.isReflexive else {
                return plan(
                    .table(end.table), owner: end.ownerColumn, member: end.memberColumn, order: end.orderColumn)
            }
            return plan(
                .select(Self.pairsBothWays(end)), owner: "o", member: "d", order: end.orderColumn.map { _ in "p" })
        case .transient:
            return nil
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
    private static func pairsBothWays(_ end: SQLJoinEnd) -> SQLSelect {
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
