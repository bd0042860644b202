import CSQLite
import Foundation

extension SQLiteStore {
    /// How many keys one statement asks for. Few fixed sizes keep the statements cached; short batches repeat their last key.
    static let batchSizes = [20, 100, 500]

    // MARK: Rows by key

    func rows(for keys: [Int64], rootIndex: Int, refreshing: Bool) throws -> [Snapshot] {
        guard let decoder = rootDecoders[rootIndex] else { return [] }
        if keys.count == 1 {
            let row = try row(for: keys[0], rootIndex: rootIndex, decoder: decoder, refreshing: refreshing)
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
        try reading { reader in
            try fetchRows(primaryKeys, rootIndex, decoder, reader.connection, refreshing) { rows.append($0) }
        }
        return rows
    }

    /// One row: the hot path of firing a fault.
    private func row(
        for key: Int64, rootIndex: Int, decoder: RowDecoder, refreshing: Bool
    ) throws -> Snapshot? {
        if !refreshing, let cached = rowCache.row(for: key, rootIndex: rootIndex) { return cached }
        return try reading { reader in
            let statement: SQLiteStatement
            if let prepared = reader.rowStatements[rootIndex] {
                statement = prepared
            } else {
                statement = try reader.connection.prepare(
                    rowTexts[rootIndex] + " WHERE t0.\(SQLSchema.keyColumn) = ?", persistent: true)
                reader.rowStatements[rootIndex] = statement
            }
            statement.bind(1, key & ObjectKey.primaryKeyMask)
            defer { statement.reset() }
            guard try statement.step() else { return nil }
            return try rowCache.batch { try decoder.decode(statement, cache: $0, refreshing: refreshing) }
        }
    }

    private func fetchRows(
        _ primaryKeys: [Int64], _ rootIndex: Int, _ decoder: RowDecoder, _ connection: SQLiteConnection,
        _ refreshing: Bool, _ body: (Snapshot) -> Void
    ) throws {
        var start = 0
        while start < primaryKeys.count {
            let left = primaryKeys.count - start
            let size = Self.batchSizes.first { $0 >= left } ?? 500
            let end = min(start + size, primaryKeys.count)
            let statement = try connection.statement(.rows(root: rootIndex, count: size)) {
                let marks = String(repeating: "?, ", count: size - 1) + "?"
                return rowTexts[rootIndex] + " WHERE t0.\(SQLSchema.keyColumn) IN (\(marks))"
            }
            for position in 0..<size {
                statement.bind(Int32(position + 1), primaryKeys[min(start + position, end - 1)])
            }
            defer { statement.reset() }
            try rowCache.batch { cache in
                while try statement.step() {
                    if let row = try decoder.decode(statement, cache: cache, refreshing: refreshing) { body(row) }
                }
            }
            start = end
        }
    }

    // MARK: Members of to-many relationships

    func members(of toMany: ToManySlot, owner: ObjectKey) throws -> [ObjectKey] {
        guard let plan = memberPlan(of: toMany, owner: owner.layoutIndex) else { return [] }
        return try reading { reader in
            let statement = try reader.connection.statement(
                .members(layout: toMany.declaringIndex, toMany: toMany.index, owners: 1)
            ) { plan.text(owners: 1) }
            statement.bind(1, owner.primaryKey)
            defer { statement.reset() }
            var members: [ObjectKey] = []
            while try statement.step() {
                if let member = member(statement, 1, plan.rootIndex) { members.append(member) }
            }
            return members
        }
    }

    func members(of toMany: ToManySlot, owners: [ObjectKey]) throws -> [Int64: [ObjectKey]] {
        var result: [Int64: [ObjectKey]] = [:]
        result.reserveCapacity(owners.count)
        for owner in owners { result[owner.key] = [] }
        try reading { reader in
            try members(of: toMany, owners: owners, on: reader.connection) { result[$0, default: []].append($1) }
        }
        return result
    }

    /// The members of many owners of one entity: the body gets the owner's key with each.
    func members(
        of toMany: ToManySlot, owners: [ObjectKey], on connection: SQLiteConnection,
        _ body: (Int64, ObjectKey) -> Void
    ) throws {
        guard let first = owners.first, let plan = memberPlan(of: toMany, owner: first.layoutIndex) else { return }
        let keys = owners.map(\.primaryKey).sorted()
        var start = 0
        while start < keys.count {
            let left = keys.count - start
            let size = Self.batchSizes.first { $0 >= left } ?? 500
            let end = min(start + size, keys.count)
            let statement = try connection.statement(
                .members(layout: toMany.declaringIndex, toMany: toMany.index, owners: size)
            ) { plan.text(owners: size) }
            for position in 0..<size {
                let key = keys[min(start + position, end - 1)]
                statement.bind(Int32(position + 1), key)
            }
            defer { statement.reset() }
            while try statement.step() {
                let owner = ObjectKey.key(storeNumber: storeNumber, primaryKey: statement.int64(0))
                if let member = member(statement, 1, plan.rootIndex) { body(owner, member) }
            }
            start = end
        }
    }

    @inline(__always)
    private func member(_ statement: SQLiteStatement, _ column: Int, _ rootIndex: Int) -> ObjectKey? {
        guard let index = layoutIndex(number: statement.int64(column + 1), rootIndex: rootIndex) else { return nil }
        return ObjectKey(
            layoutIndex: index,
            key: ObjectKey.key(storeNumber: storeNumber, primaryKey: statement.int64(column)))
    }

    /// The entity of a row of a root entity's table, by the number in the row.
    func layoutIndex(number: Int64, rootIndex: Int) -> Int? {
        soleLayouts[rootIndex] ?? schema.layoutOfNumber[Int(number)]
    }

    /// How the members of a relationship are selected: owner, member's key, member's entity, in the order of the owner's list.
    private struct MemberPlan {
        var rootIndex: Int
        var select: String
        var ownerColumn: String
        var order: String?

        func text(owners: Int) -> String {
            let marks = String(repeating: "?, ", count: owners - 1) + "?"
            let tail = order.map { " ORDER BY \($0)" } ?? ""
            return "\(select) WHERE \(ownerColumn) IN (\(marks))\(tail)"
        }
    }

    private func memberPlan(of toMany: ToManySlot, owner: Int) -> MemberPlan? {
        let destination = layout.entities[toMany.destinationIndex]
        guard let table = schema.table(ofRoot: destination.rootIndex)?.name else { return nil }
        let member = "m.\(SQLSchema.keyColumn), m.\(SQLSchema.entityColumn)"
        switch toMany.kind {
        case .inverseKey(let slot, let order), .ownerKey(let slot, let order):
            guard let column = schema.column(layout: destination.index, slot: slot) else { return nil }
            let position = order.flatMap { schema.column(layout: destination.index, slot: $0) }
            return MemberPlan(
                rootIndex: destination.rootIndex, select: "SELECT m.\(column), \(member) FROM \(table) m",
                ownerColumn: "m.\(column)",
                order: position.map { "m.\($0), m.\(SQLSchema.keyColumn)" })
        case .join:
            guard let end = schema.joinEnds[owner][toMany.index] else { return nil }
            if end.isReflexive {
                // Both directions are read: it is not known whether Apple's files hold one row per pair or two. Only the
                // one that was written for an owner knows the place in the owner's list.
                let pairs =
                    "(SELECT o, d, MAX(p) AS p FROM (SELECT \(end.ownerColumn) AS o, \(end.memberColumn) AS d, "
                    + "\(end.orderColumn ?? "NULL") AS p FROM \(end.table) "
                    + "UNION ALL SELECT \(end.memberColumn), \(end.ownerColumn), NULL FROM \(end.table)) GROUP BY o, d)"
                return MemberPlan(
                    rootIndex: destination.rootIndex,
                    select: "SELECT j.o, \(member) FROM \(pairs) j JOIN \(table) m ON m.\(SQLSchema.keyColumn) = j.d",
                    ownerColumn: "j.o", order: end.orderColumn.map { _ in "j.p, j.d" })
            }
            return MemberPlan(
                rootIndex: destination.rootIndex,
                select: "SELECT j.\(end.ownerColumn), \(member) FROM \(end.table) j "
                    + "JOIN \(table) m ON m.\(SQLSchema.keyColumn) = j.\(end.memberColumn)",
                ownerColumn: "j.\(end.ownerColumn)", order: end.orderColumn.map { "j.\($0), j.\(end.memberColumn)" })
        case .transient:
            return nil
        }
    }
}
