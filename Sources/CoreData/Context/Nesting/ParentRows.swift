/// The rows of a child context: those of its parent, with the parent's unsaved changes.
struct ParentRows: RowSource {
    let parent: NSManagedObjectContext

    func row(for key: ObjectKey, in context: NSManagedObjectContext) throws -> Snapshot? {
        // Comparing the row with registered ones needs equal keys.
        defer { context.applyPendingUpdates() }
        return try parent.reading { try parent.rowForChild(key) }.map(context.stored)
    }

    func newestRow(for key: ObjectKey, in context: NSManagedObjectContext) throws -> Snapshot? {
        try row(for: key, in: context)
    }

    func rows(for keys: [ObjectKey], in context: NSManagedObjectContext) throws -> [ObjectKey: Snapshot] {
        let rows = try parent.reading { UncheckedSendable(try parent.rowsForChild(keys)) }.value
        var found: [ObjectKey: Snapshot] = [:]
        found.reserveCapacity(keys.count)
        for (key, row) in rows {
            found[ObjectKey(layoutIndex: context.rootIndex(of: key), key: key.key)] = context.stored(row)
        }
        return found
    }

    func members(of toMany: ToManySlot, owner: ObjectKey, in context: NSManagedObjectContext) throws -> [ObjectKey] {
        let members = try parent.reading { try parent.membersForChild(of: toMany, owner: owner) }
        context.noteTemporaries(in: members, of: owner)
        return members
    }

    func members(
        of toMany: ToManySlot, owners: [ObjectKey], in context: NSManagedObjectContext
    ) throws -> [Int64: [ObjectKey]] {
        let members = try parent.reading { try parent.membersForChild(of: toMany, owners: owners) }
        for owner in owners { context.noteTemporaries(in: members[owner.key] ?? [], of: owner) }
        return members
    }

    // MARK: Fetches

    func rows(_ plan: FetchPlan, in context: NSManagedObjectContext) throws -> [Snapshot] {
        let sent = UncheckedSendable(plan)
        return try parent.reading { UncheckedSendable(try parent.rowsForChild(sent.value)) }.value.map(context.stored)
    }

    func eachBatchOfRows(
        _ plan: FetchPlan, in context: NSManagedObjectContext, _ body: ([Snapshot]) throws -> Void
    ) throws {
        try body(try rows(plan, in: context))
    }

    func keys(_ plan: FetchPlan, in context: NSManagedObjectContext) throws -> FetchedKeys {
        let sent = UncheckedSendable(plan)
        return try parent.reading { try parent.keys(sent.value) }
    }

    func count(_ plan: FetchPlan, in context: NSManagedObjectContext) throws -> Int {
        let sent = UncheckedSendable(plan)
        return try parent.reading { try parent.count(sent.value) }
    }

    func dictionaries(_ plan: FetchPlan, in context: NSManagedObjectContext) throws -> FetchedDictionaries {
        let sent = UncheckedSendable(plan)
        return try parent.reading { UncheckedSendable(try parent.dictionaries(sent.value)) }.value
    }

    func streamColumns(
        _ plan: FetchPlan, in context: NSManagedObjectContext, _ body: (FetchedRow) throws -> Void
    ) throws -> Bool { false }

    // MARK: Objects that are in no store yet

    var hasUnsavedRows: Bool { true }

    func permanentKey(for key: ObjectKey) -> ObjectKey? {
        parent.reading {
            parent.applyPendingUpdates()
            return parent.registeredObject(for: key) == nil ? parent.keyAbove(key) : nil
        }
    }

    func generation(of context: NSManagedObjectContext) throws -> QueryGeneration? { nil }

    // MARK: Saving

    func save(_ work: inout NSManagedObjectContext.SaveWork, of context: NSManagedObjectContext) throws -> Bool {
        try context.save(&work, to: parent)
    }

    func takeOverSoon() { parent.takeOverSoon() }
}

// A context's answers to its children. Called while the child holds the context's FIFO lock or queue.
extension NSManagedObjectContext {
    /// Rows for a child's fetch, with this context's unsaved changes in them.
    final func rowsForChild(_ plan: FetchPlan) throws -> [Snapshot] {
        try throwingReadErrors { propagatePendingDeletes() }
        if !plan.parameters.includesPendingChanges || touchedObjects(plan.store).isEmpty {
            return try rowSource?.rows(plan, in: self) ?? []
        }
        return try objects(plan).map { $0.currentRow() }
    }

    /// The row behind a child's object, with this context's unsaved changes in it.
    final func rowForChild(_ key: ObjectKey) throws -> Snapshot? {
        applyPendingUpdates()
        var key = key
        if key.isTemporary, let permanent = idState.permanentKeys[key.key] { key.key = permanent }
        if let object = registeredObject(for: key) {
            if object.flags.contains(.deleted) { return nil }
            if object.row != nil { return object.currentRow() }
        }
        return try readRow(for: key)
    }

    /// The rows behind many objects of a child, by the keys it has for them.
    final func rowsForChild(_ keys: [ObjectKey]) throws -> [(ObjectKey, Snapshot)] {
        applyPendingUpdates()
        var rows: [(ObjectKey, Snapshot)] = []
        var missing: [(ObjectKey, ObjectKey)] = []
        for key in keys {
            let present = key.renamed(idState.permanentKeys)
            if let object = registeredObject(for: present), object.row != nil || object.flags.contains(.deleted) {
                if !object.flags.contains(.deleted) { rows.append((key, object.currentRow())) }
            } else {
                missing.append((key, present))
            }
        }
        let found = try readRows(for: missing.map(\.1))
        for (key, present) in missing {
            let place = ObjectKey(layoutIndex: binding(at: present.layoutIndex).layout.rootIndex, key: present.key)
            if let row = found[place] { rows.append((key, row)) }
        }
        return rows
    }

    /// The members of a child's to-many relationship, with this context's unsaved changes.
    final func membersForChild(of toMany: ToManySlot, owner: ObjectKey) throws -> [ObjectKey] {
        var owner = owner
        return try throwingReadErrors {
            propagatePendingDeletes()
            if owner.isTemporary, let permanent = idState.permanentKeys[owner.key] { owner.key = permanent }
            return object(for: owner).members(of: toMany.index)
        }
    }

    /// The members of a relationship of a child's objects, by the keys it has for them.
    final func membersForChild(of toMany: ToManySlot, owners: [ObjectKey]) throws -> [Int64: [ObjectKey]] {
        try throwingReadErrors { propagatePendingDeletes() }
        let objects = owners.map { object(for: $0.renamed(idState.permanentKeys)) }
        let hasUnsavedRows = rowSource?.hasUnsavedRows ?? false
        let faults = objects.filter { $0.toManyState(toMany.index).isFault && ($0.key > 0 || hasUnsavedRows) }
        let found = try sourceMembers(of: toMany, owners: faults.map(\.objectKey))
        for fault in faults where fault.toManyState(toMany.index).isFault {
            fault.toManyState(toMany.index).load(found[fault.key] ?? [])
        }
        var members: [Int64: [ObjectKey]] = [:]
        for (owner, object) in zip(owners, objects) { members[owner.key] = object.members(of: toMany.index) }
        return members
    }
}
