import Foundation

/// Deletes the rows of a batch and follows the delete rules, a few hundred rows at a time.
///
/// What must not be there in the end (members of a relationship with the deny rule, rows that lost a mandatory owner) may
/// still be deleted by the batch itself: it is noted, and looked for when everything else is done.
final class BatchDeleter {
    private let batch: BatchDeletion
    private let transaction: BatchTransaction
    private let store: SQLiteStore
    private let connection: SQLiteConnection
    private var plans: [Int: BatchDeletionPlan] = [:]
    /// Rows that cascading relationships lead to, by root entity.
    private var waiting: [(rootIndex: Int, rows: [ObjectKey])] = []
    private var doomed: [Doomed] = []

    /// Rows that have to be gone in the end.
    private struct Doomed {
        let rootIndex: Int
        var keys: [Int64]
        let relationship: NSRelationshipDescription
        let isDenied: Bool
    }

    init(_ batch: BatchDeletion, _ transaction: BatchTransaction) throws {
        self.batch = batch
        self.transaction = transaction
        store = transaction.store
        connection = transaction.connection
    }

    func run() throws {
        let rootIndex = batch.rows.layout.rootIndex
        let select = try store.selection(of: batch.rows) { _, _ in }
        try store.scan(select, beside: connection) { rows in
            let keys = rows.compactMap { store.key(of: $0, rootIndex: rootIndex) }
            for key in keys { transaction.take(key, wantsKeys: batch.wantsKeys) }
            try delete(keys)
            while let next = waiting.popLast() { try delete(next.rows) }
        }
        try requireGone()
    }

    private func plan(_ index: Int) throws -> BatchDeletionPlan {
        if let plan = plans[index] { return plan }
        let layout = store.layout.entities[index]
        let plan = BatchDeletionPlan(layout: layout, writer: try store.rowWriter(index), schema: store.schema)
        plans[index] = plan
        return plan
    }

    /// Deletes rows of one root entity. Those that are gone already (an earlier cascade led to them) do not matter.
    private func delete(_ rows: [ObjectKey]) throws {
        for (index, group) in Dictionary(grouping: rows, by: \.layoutIndex).sorted(by: { $0.key < $1.key }) {
            let plan = try plan(index)
            let present = try read(group.map(\.primaryKey), plan)
            if !present.isEmpty { try delete(present, plan) }
        }
    }

    private func delete(_ keys: [Int64], _ plan: BatchDeletionPlan) throws {
        let list = keys.jsonArray
        let objects = keys.map {
            ObjectKey(
                layoutIndex: plan.layout.index, key: ObjectKey.key(storeNumber: store.storeNumber, primaryKey: $0))
        }
        try transaction.history?.readTombstones(of: objects)
        for incoming in plan.incoming { try noteMembers(incoming, list) }
        for pairs in plan.pairs { try noteMembers(pairs, list) }
        try run("DELETE FROM \(plan.table) WHERE \(SQLSchema.keyColumn) IN (SELECT value FROM json_each(?))", list)
        transaction.rows[plan.layout.index, default: 0] -= connection.changes
        for incoming in plan.incoming where Self.clearsColumns(incoming) { try clear(incoming, list) }
        for pairs in plan.pairs { try deletePairs(pairs, list) }
        transaction.changedRoots.insert(plan.layout.rootIndex)
        if let history = transaction.history {
            for object in objects { try history.record(.delete, object) }
        }
    }

    // MARK: Before rows go

    /// Which of the rows are there; notes what they lead to and the files they name.
    private func read(_ keys: [Int64], _ plan: BatchDeletionPlan) throws -> [Int64] {
        var columns = [SQLSchema.keyColumn] + plan.external.map(\.column)
        for outgoing in plan.outgoing {
            columns.append(outgoing.column)
            if let number = outgoing.numberColumn { columns.append(number) }
        }
        let text =
            "SELECT \(columns.joined(separator: ", ")) FROM \(plan.table) "
            + "WHERE \(SQLSchema.keyColumn) IN (SELECT value FROM json_each(?))"
        var present: [Int64] = []
        var led = Array(repeating: [ObjectKey](), count: plan.outgoing.count)
        try select(text, keys.jsonArray) { statement in
            present.append(statement.int64(0))
            var place = 1
            for _ in plan.external {
                if case .data(let data) = statement.slotValue(place),
                    let name = data.withUnsafeBytes({ ExternalData.fileName($0) })
                {
                    transaction.files.orphaned.append(name)
                }
                place += 1
            }
            for (number, outgoing) in plan.outgoing.enumerated() {
                let root = outgoing.destination.rootIndex
                let entity = outgoing.numberColumn.flatMap { _ in
                    store.layoutIndex(number: statement.int64(place + 1), rootIndex: root)
                }
                if case .int(let key) = statement.slotValue(place) {
                    led[number].append(object(key, entity ?? outgoing.destination.index))
                }
                place += outgoing.numberColumn == nil ? 1 : 2
            }
        }
        for (number, outgoing) in plan.outgoing.enumerated() where !led[number].isEmpty {
            note(led[number], outgoing.destination.rootIndex, outgoing.relationship, isMandatory: false)
        }
        return present
    }

    private func object(_ primaryKey: Int64, _ layoutIndex: Int) -> ObjectKey {
        ObjectKey(
            layoutIndex: layoutIndex, key: ObjectKey.key(storeNumber: store.storeNumber, primaryKey: primaryKey))
    }

    /// Remembers the rows at the other end of a relationship, where its delete rule concerns them.
    private func note(
        _ rows: [ObjectKey], _ rootIndex: Int, _ relationship: NSRelationshipDescription, isMandatory: Bool
    ) {
        switch relationship.deleteRule {
        case .cascadeDeleteRule:
            for start in stride(from: 0, to: rows.count, by: SQLiteStore.batchSize) {
                waiting.append((rootIndex, Array(rows[start..<min(start + SQLiteStore.batchSize, rows.count)])))
            }
        case .denyDeleteRule:
            doom(rows, rootIndex, relationship, isDenied: true)
        case .nullifyDeleteRule where isMandatory:
            doom(rows, rootIndex, relationship, isDenied: false)
        default:
            break
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
        // A hidden key belongs to nobody else.
        case .noActionDeleteRule: incoming.slot == nil
        default: false
        }
    }

    private func noteMembers(_ incoming: BatchDeletionPlan.Incoming, _ owners: String) throws {
        let rule = incoming.relationship.deleteRule
        if rule == .noActionDeleteRule || (rule == .nullifyDeleteRule && !incoming.isMandatory) { return }
        let members = try members(
            "SELECT \(SQLSchema.keyColumn), \(SQLSchema.entityColumn) FROM \(incoming.table) "
                + "WHERE \(incoming.column) IN (SELECT value FROM json_each(?))", owners, incoming.rootIndex)
        note(members, incoming.rootIndex, incoming.relationship, isMandatory: incoming.isMandatory)
    }

    private func noteMembers(_ pairs: BatchDeletionPlan.Pairs, _ owners: String) throws {
        let rule = pairs.relationship.deleteRule
        guard rule == .cascadeDeleteRule || rule == .denyDeleteRule,
            let table = store.schema.table(ofRoot: pairs.destination.rootIndex)?.name
        else { return }
        let (end, key) = (pairs.end, SQLSchema.keyColumn)
        let members = try members(
            "SELECT m.\(key), m.\(SQLSchema.entityColumn) FROM \(end.table) j "
                + "JOIN \(table) m ON m.\(key) = j.\(end.memberColumn) "
                + "WHERE j.\(end.ownerColumn) IN (SELECT value FROM json_each(?))", owners,
            pairs.destination.rootIndex)
        note(members, pairs.destination.rootIndex, pairs.relationship, isMandatory: false)
    }

    private func members(_ text: String, _ owners: String, _ rootIndex: Int) throws -> [ObjectKey] {
        var members: [ObjectKey] = []
        try select(text, owners) { statement in
            if let index = store.layoutIndex(number: statement.int64(1), rootIndex: rootIndex) {
                members.append(object(statement.int64(0), index))
            }
        }
        return members
    }

    // MARK: When rows are gone

    private func clear(_ incoming: BatchDeletionPlan.Incoming, _ owners: String) throws {
        let condition = "WHERE \(incoming.column) IN (SELECT value FROM json_each(?))"
        if let history = transaction.history, let slot = incoming.slot {
            let members = try members(
                "SELECT \(SQLSchema.keyColumn), \(SQLSchema.entityColumn) FROM \(incoming.table) \(condition)", owners,
                incoming.rootIndex)
            for member in members { try history.record(.update, member, slots: [slot]) }
        }
        let version = SQLSchema.versionColumn
        let parts = ["\(version) = IFNULL(\(version), 0) + 1"] + incoming.columns.map { "\($0) = NULL" }
        try run("UPDATE \(incoming.table) SET \(parts.joined(separator: ", ")) \(condition)", owners)
        if connection.changes > 0 { transaction.changedRoots.insert(incoming.rootIndex) }
    }

    private func deletePairs(_ pairs: BatchDeletionPlan.Pairs, _ owners: String) throws {
        let end = pairs.end
        for column in end.isReflexive ? [end.ownerColumn, end.memberColumn] : [end.ownerColumn] {
            try run("DELETE FROM \(end.table) WHERE \(column) IN (SELECT value FROM json_each(?))", owners)
            if connection.changes > 0 { transaction.changedJoins.insert(end.joinIndex) }
        }
    }

    /// Throws when a row is still there that may not be.
    private func requireGone() throws {
        for remaining in doomed {
            guard let table = store.schema.table(ofRoot: remaining.rootIndex)?.name else { continue }
            for start in stride(from: 0, to: remaining.keys.count, by: 500) {
                let keys = remaining.keys[start..<min(start + 500, remaining.keys.count)]
                var isPresent = false
                try select(
                    "SELECT 1 FROM \(table) WHERE \(SQLSchema.keyColumn) IN (SELECT value FROM json_each(?)) LIMIT 1",
                    keys.jsonArray
                ) { _ in isPresent = true }
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
        return NSError.coreData(
            NSCoreDataError,
            reason: "Constraint trigger violation: Batch delete failed due to mandatory "
                + "\(relationship.isToMany ? "OTM" : "OTO") nullify inverse on "
                + "\(inverse?.entity.name ?? "")/\(inverse?.name ?? "")",
            url: store.url, userInfo: [NSValidationKeyErrorKey: inverse?.name ?? ""])
    }

    // MARK: Statements

    private func run(_ text: String, _ keys: String) throws {
        let statement = try connection.statement(.text(text)) { text }
        statement.bind(1, keys)
        try statement.run()
    }

    private func select(_ text: String, _ keys: String, _ body: (SQLiteStatement) throws -> Void) throws {
        let statement = try connection.statement(.text(text)) { text }
        statement.bind(1, keys)
        defer { statement.reset() }
        while try statement.step() { try body(statement) }
    }
}
