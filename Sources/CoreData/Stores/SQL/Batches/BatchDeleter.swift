import Foundation

/// Deletes the rows of a batch: by one statement if no other row leads to them. Otherwise it follows the delete rules,
/// a few hundred rows at a time.
///
/// Members of a relationship with the deny rule, and rows that lost a mandatory owner, must not exist at the end. The
/// batch itself may still delete them. So they are recorded, and searched for when everything else is done.
package final class BatchDeleter {
    private let batch: BatchDeletion
    private let transaction: BatchTransaction
    private let store: SQLStore
    private let connection: any SQLConnection
    private var plans: [Int: BatchDeletionPlan] = [:]
    /// Rows that lead to deleted ones, and are deleted, too, by a cascading relationship.
    private var waiting: [[ObjectKey]] = []
    /// Rows to which deleted ones led, and that are deleted, too. They are deleted when no row of the batch leads to
    /// them any more.
    private var waitingTargets: [[ObjectKey]] = []
    private var doomed: [Doomed] = []
    /// Rows that wait for the rows that lead to them, if every statement checks foreign keys.
    private var held: Set<ObjectKey> = []
    private var checksAtOnce: Bool { store.capabilities.checksReferencesAtOnce }

    /// Rows that must be deleted by the end of the batch.
    private struct Doomed {
        let rootIndex: Int
        var keys: [Int64]
        let relationship: NSRelationshipDescription
        let isDenied: Bool
    }

    package init(_ batch: BatchDeletion, _ transaction: BatchTransaction) throws {
        self.batch = batch
        self.transaction = transaction
        store = transaction.store
        connection = transaction.connection
    }

    package func run() throws {
        let rootIndex = batch.rows.layout.rootIndex
        var select = try store.selection(of: batch.rows) { _, _ in }
        // The order decides which rows are deleted, if not all are, and the order of their ids.
        if batch.rows.limit == 0, batch.rows.offset == 0, !batch.wantsKeys { select.order = [] }
        if try deleteAtOnce(select) { return }
        try store.scan(select, beside: connection) { rows in
            let keys = try rows.compactMap { try store.key(of: $0, rootIndex: rootIndex) }
            for key in keys { transaction.take(key, wantsKeys: batch.wantsKeys) }
            try delete(keys)
            while let next = waiting.popLast() ?? waitingTargets.popLast() { try delete(next) }
        }
        try requireGone()
    }

    /// Deletes all rows by one statement. Returns false, and deletes nothing, if a deleted row has consequences.
    private func deleteAtOnce(_ select: SQLSelect) throws -> Bool {
        let layout = batch.rows.layout
        // With several entities, the number of deleted rows of each entity is needed.
        guard transaction.writesRowsOnly, !batch.wantsKeys, select.isPlain, layout.entity.subentities.isEmpty,
            store.postProcessing(of: select) == nil
        else { return false }
        let plan = try plan(layout.index)
        guard plan.concernsNothingElse else { return false }
        let condition = try store.clientEvaluated(select, on: connection).condition
        let delete = SQLDelete(from: plan.table, as: select.alias, where: condition)
        let count = try connection.run(.delete(delete)).changed
        transaction.outcome.count += count
        transaction.rows[layout.index, default: 0] -= count
        if count > 0 { transaction.changedRoots.insert(layout.rootIndex) }
        return true
    }

    private func plan(_ index: Int) throws -> BatchDeletionPlan {
        if let plan = plans[index] { return plan }
        let layout = store.layout.entities[index]
        let plan = BatchDeletionPlan(layout: layout, writer: try store.rowWriter(index), schema: store.schema)
        plans[index] = plan
        return plan
    }

    /// Deletes rows of one root entity. Rows that an earlier cascade has deleted are ignored.
    private func delete(_ rows: [ObjectKey]) throws {
        var groups = try groups(of: rows)
        if !checksAtOnce { return try groups.forEach { try delete($0) } }
        while let group = groups.last {
            // The rows that lead to these rows are deleted before them.
            if waiting.count > group.others, let next = waiting.popLast() {
                groups += try self.groups(of: next)
            } else {
                groups.removeLast()
                held.subtract(group.objects)
                try delete(group)
            }
        }
    }

    /// Rows of one entity that exist.
    private struct Group {
        let plan: BatchDeletionPlan
        let keys: [Int64]
        let objects: [ObjectKey]
        /// The number of waiting groups before those that lead to the rows.
        let others: Int
    }

    /// Groups rows by their entities, as far as they exist, and records the rows that their delete rules affect.
    private func groups(of rows: [ObjectKey]) throws -> [Group] {
        try Dictionary(grouping: rows, by: \.layoutIndex).sorted { $0.key < $1.key }.compactMap { index, rows in
            let plan = try plan(index)
            let keys = try read(rows.filter { !held.contains($0) }.map(\.primaryKey), plan)
            if keys.isEmpty { return nil }
            let objects = keys.map { object($0, index) }
            try transaction.history?.readTombstones(of: objects)
            let group = Group(plan: plan, keys: keys, objects: objects, others: waiting.count)
            if checksAtOnce { held.formUnion(objects) }
            for incoming in plan.incoming { try noteMembers(incoming, keys) }
            for pairs in plan.pairs { try noteMembers(pairs, keys) }
            return group
        }
    }

    private func delete(_ group: Group) throws {
        let (plan, keys) = (group.plan, group.keys)
        if checksAtOnce { try clear(keys, plan) }
        let count = try run(.delete(layout: plan.layout.index), keys) {
            .delete(SQLDelete(from: plan.table, where: .isInParameter(.column(SQLSchema.keyColumn), 1)))
        }
        transaction.rows[plan.layout.index, default: 0] -= count
        if !checksAtOnce { try clear(keys, plan) }
        transaction.changedRoots.insert(plan.layout.rootIndex)
        if let history = transaction.history {
            for object in group.objects { try history.record(.delete, object) }
        }
    }

    // MARK: Before rows are deleted

    /// Returns the rows that exist, and records the rows to which they lead and the files that they name.
    private func read(_ keys: [Int64], _ plan: BatchDeletionPlan) throws -> [Int64] {
        var columns = [SQLSchema.keyColumn] + plan.external.map(\.column)
        for outgoing in plan.outgoing {
            columns.append(outgoing.column)
            if let number = outgoing.numberColumn { columns.append(number) }
        }
        var present: [Int64] = []
        var led = Array(repeating: [ObjectKey](), count: plan.outgoing.count)
        try select(.present(layout: plan.layout.index), keys: keys) {
            SQLSelect(
                columns.map { .column($0) }, of: plan.table, where: .isInParameter(.column(SQLSchema.keyColumn), 1))
        } body: { row in
            present.append(row.int64(0))
            var place = 1
            for _ in plan.external {
                if case .data(let data) = row.slotValue(place),
                    let name = data.withUnsafeBytes({ ExternalData.fileName($0) })
                {
                    transaction.files.orphaned.append(name)
                }
                place += 1
            }
            for (number, outgoing) in plan.outgoing.enumerated() {
                let root = outgoing.destination.rootIndex
                let entity = outgoing.numberColumn.flatMap { _ in
                    store.layoutIndex(number: row.int64(place + 1), rootIndex: root)
                }
                // A value that is no valid key leads to no row.
                if case .int(let key) = row.slotValue(place), ObjectKey.isPrimaryKey(key) {
                    led[number].append(object(key, entity ?? outgoing.destination.index))
                }
                place += outgoing.numberColumn == nil ? 1 : 2
            }
        }
        for (number, outgoing) in plan.outgoing.enumerated() where !led[number].isEmpty {
            if outgoing.relationship.deleteRule == .cascadeDeleteRule {
                waitingTargets += Self.parts(of: led[number])
            } else {
                note(led[number], outgoing.destination.rootIndex, outgoing.relationship, isMandatory: false)
            }
        }
        return present
    }

    private func object(_ primaryKey: Int64, _ layoutIndex: Int) -> ObjectKey {
        ObjectKey(
            layoutIndex: layoutIndex, key: ObjectKey.key(storeNumber: store.storeNumber, primaryKey: primaryKey))
    }

    /// Records the rows at the other end of a relationship, if its delete rule affects them.
    private func note(
        _ rows: [ObjectKey], _ rootIndex: Int, _ relationship: NSRelationshipDescription, isMandatory: Bool
    ) {
        switch relationship.deleteRule {
        case .cascadeDeleteRule:
            waiting += Self.parts(of: rows)
        case .denyDeleteRule:
            doom(rows, rootIndex, relationship, isDenied: true)
        case .nullifyDeleteRule where isMandatory:
            doom(rows, rootIndex, relationship, isDenied: false)
        default:
            break
        }
    }

    private static func parts(of rows: [ObjectKey]) -> [[ObjectKey]] {
        stride(from: 0, to: rows.count, by: SQLStore.batchSize).map {
            Array(rows[$0..<min($0 + SQLStore.batchSize, rows.count)])
        }
    }

    private func doom(
        _ rows: [ObjectKey], _ rootIndex: Int, _ relationship: NSRelationshipDescription, isDenied: Bool
    ) {
        let keys = rows.map(\.primaryKey)
        if let place = doomed.firstIndex(where: { $0.relationship === relationship && $0.rootIndex == rootIndex }) {
            doomed[place].keys += keys
        } else {
            doomed.append(Doomed(rootIndex: rootIndex, keys: keys, relationship: relationship, isDenied: isDenied))
        }
    }

    private static func clearsColumns(_ incoming: BatchDeletionPlan.Incoming) -> Bool {
        switch incoming.relationship.deleteRule {
        case .nullifyDeleteRule: true
        // A hidden key has no relationship that would keep it.
        case .noActionDeleteRule: incoming.slot == nil
        default: false
        }
    }

    private func noteMembers(_ incoming: BatchDeletionPlan.Incoming, _ owners: [Int64]) throws {
        let rule = incoming.relationship.deleteRule
        if rule == .noActionDeleteRule || (rule == .nullifyDeleteRule && !incoming.isMandatory) { return }
        note(
            try members(incoming, owners), incoming.rootIndex, incoming.relationship, isMandatory: incoming.isMandatory)
    }

    private func noteMembers(_ pairs: BatchDeletionPlan.Pairs, _ owners: [Int64]) throws {
        let rule = pairs.relationship.deleteRule
        guard rule == .cascadeDeleteRule || rule == .denyDeleteRule,
            let table = store.schema.table(ofRoot: pairs.destination.rootIndex)?.name
        else { return }
        let (end, key) = (pairs.end, SQLSchema.keyColumn)
        let members = try members(
            .paired(table: end.joinIndex, column: end.ownerColumn), of: owners, rootIndex: pairs.destination.rootIndex
        ) {
            func member(_ name: String) -> SQLExpression { .column(alias: "m", name: name) }
            func pair(_ name: String) -> SQLExpression { .column(alias: "j", name: name) }
            let join = SQLSelect.Join(
                table: table, alias: "m", on: .binary(.equal, member(key), pair(end.memberColumn)), isLeft: false)
            return SQLSelect(
                [member(key), member(SQLSchema.entityColumn)], of: end.table, as: "j", joins: [join],
                where: .isInParameter(pair(end.ownerColumn), 1))
        }
        note(members, pairs.destination.rootIndex, pairs.relationship, isMandatory: false)
    }

    /// The rows at the other end whose column holds the key of a deleted row.
    private func members(_ incoming: BatchDeletionPlan.Incoming, _ owners: [Int64]) throws -> [ObjectKey] {
        try members(.members(table: incoming.table, column: incoming.column), of: owners, rootIndex: incoming.rootIndex)
        {
            SQLSelect(
                [.column(SQLSchema.keyColumn), .column(SQLSchema.entityColumn)], of: incoming.table,
                where: .isInParameter(.column(incoming.column), 1))
        }
    }

    private func members(
        _ plan: SQLPlan.Batch, of owners: [Int64], rootIndex: Int, make: () -> SQLSelect
    ) throws -> [ObjectKey] {
        var members: [ObjectKey] = []
        try select(plan, keys: owners, make: make) { row in
            if let index = store.layoutIndex(number: row.int64(1), rootIndex: rootIndex) {
                members.append(ObjectKey(layoutIndex: index, key: try store.key(row.int64(0), rootIndex: rootIndex)))
            }
        }
        return members
    }

    // MARK: References to deleted rows

    private func clear(_ keys: [Int64], _ plan: BatchDeletionPlan) throws {
        for incoming in plan.incoming {
            // Rows of the group may lead to each other, and may be deleted one by one.
            if Self.clearsColumns(incoming) || checksAtOnce && incoming.table == plan.table {
                try clear(incoming, keys)
            }
        }
        for pairs in plan.pairs { try deletePairs(pairs, keys) }
    }

    private func clear(_ incoming: BatchDeletionPlan.Incoming, _ owners: [Int64]) throws {
        if let history = transaction.history, let slot = incoming.slot {
            for member in try members(incoming, owners) { try history.record(.update, member, slots: [slot]) }
        }
        let count = try run(.clear(table: incoming.table, columns: incoming.columns), owners) {
            .update(
                SQLUpdate(
                    incoming.table, [RowWriter.risenVersion] + incoming.columns.map { .init($0, .null) },
                    where: .isInParameter(.column(incoming.column), 1)))
        }
        if count > 0 { transaction.changedRoots.insert(incoming.rootIndex) }
    }

    private func deletePairs(_ pairs: BatchDeletionPlan.Pairs, _ owners: [Int64]) throws {
        let end = pairs.end
        for column in end.isReflexive ? [end.ownerColumn, end.memberColumn] : [end.ownerColumn] {
            let count = try run(.deletePairs(table: end.joinIndex, column: column), owners) {
                .delete(SQLDelete(from: end.table, where: .isInParameter(.column(column), 1)))
            }
            if count > 0 { transaction.changedJoins.insert(end.joinIndex) }
        }
    }

    /// Throws if a row still exists that must be deleted.
    private func requireGone() throws {
        for remaining in doomed {
            guard let table = store.schema.table(ofRoot: remaining.rootIndex)?.name else { continue }
            for start in stride(from: 0, to: remaining.keys.count, by: 500) {
                let keys = remaining.keys[start..<min(start + 500, remaining.keys.count)]
                var isPresent = false
                try select(.remaining(root: remaining.rootIndex), keys: Array(keys)) {
                    let key = SQLExpression.column(SQLSchema.keyColumn)
                    return SQLSelect([key], of: table, where: .isInParameter(key, 1), limit: 1)
                } body: { _ in
                    isPresent = true
                }
                if isPresent { throw refusal(remaining) }
            }
        }
    }

    private func refusal(_ remaining: Doomed) -> NSError {
        let relationship = remaining.relationship
        if remaining.isDenied {
            return NSError.coreData(
                NSValidationRelationshipDeniedDeleteError,
                reason: "Items cannot be deleted from \(relationship.name).", url: store.url,
                userInfo: [NSValidationKeyErrorKey: relationship.name])
        }
        let inverse = relationship.inverseRelationship
        // Error 1570 of an ordinary save belongs to an object that was validated. A batch validates no objects.
        return NSError.coreData(
            NSCoreDataError,
            reason: "Constraint trigger violation: Batch delete failed due to mandatory "
                + "\(relationship.isToMany ? "OTM" : "OTO") nullify inverse on "
                + "\(inverse?.entity.name ?? "")/\(inverse?.name ?? "")",
            url: store.url, userInfo: [NSValidationKeyErrorKey: inverse?.name ?? ""])
    }

    // MARK: Statements

    /// Runs a statement with a list of keys, and returns the number of rows that it changed.
    private func run(_ plan: SQLPlan.Batch, _ keys: [Int64], _ make: () -> SQLStatement) throws -> Int {
        try connection.statement(.batch(plan), make).run { $0.bind(1, list: keys) }.changed
    }

    private func select(
        _ plan: SQLPlan.Batch, keys: [Int64], make: () -> SQLSelect, body: (any SQLRow) throws -> Void
    ) throws {
        try connection.statement(.batch(plan)) { .select(make()) }.rows({ $0.bind(1, list: keys) }, body)
    }
}
