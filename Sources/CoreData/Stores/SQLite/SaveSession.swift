import CSQLite
import Foundation

/// The statements of one save, run inside its transaction.
struct SaveSession {
    let store: SQLiteStore
    let connection: SQLiteConnection
    var conflicts: [SaveConflicts.Conflict] = []
    var constraintConflicts: [SaveConflicts.ConstraintConflict] = []
    /// How many rows went, by the numbers of their entities' layouts.
    private(set) var deletedRows: [Int: Int] = [:]
    private var writers: [RowWriter?]

    init(store: SQLiteStore, connection: SQLiteConnection) {
        self.store = store
        self.connection = connection
        writers = Array(repeating: nil, count: store.layout.entities.count)
    }

    private mutating func writer(_ index: Int) throws -> RowWriter {
        if let writer = writers[index] { return writer }
        let writer = try store.rowWriter(index)
        writers[index] = writer
        return writer
    }

    // MARK: Insertions

    mutating func insert(_ rows: [Snapshot], _ files: inout ExternalFileChanges) throws {
        var index = -1
        var current: (writer: RowWriter, statement: SQLiteStatement)?
        let numbers = store.schema.numbers
        for row in rows {
            if row.layoutIndex != index {
                index = row.layoutIndex
                let writer = try writer(index)
                current = (writer, try connection.statement(.insert(layout: index)) { writer.insertText })
            }
            guard let (writer, statement) = current else { continue }
            statement.bind(1, row.key & ObjectKey.primaryKeyMask)
            statement.bind(2, writer.number)
            statement.bind(3, Int64(row.version))
            var position: Int32 = 4
            for field in writer.fields {
                try writer.bind(field, of: row, to: statement, at: position, numbers: numbers) {
                    try encode($0, &files)
                }
                position += 1
            }
            try withExtendedLifetime(row) { try run(statement, row, writer) }
        }
        // The pointers of the last row are not to be kept.
        current?.statement.clear()
    }

    private func encode(_ bytes: UnsafeRawBufferPointer, _ files: inout ExternalFileChanges) throws -> Data {
        guard let externalData = store.externalData else { return ExternalData.inline(bytes) }
        return try externalData.encode(bytes, &files)
    }

    /// Runs an INSERT or UPDATE; a broken uniqueness constraint is noted, and the save goes on to find the others.
    private mutating func run(_ statement: SQLiteStatement, _ row: Snapshot, _ writer: RowWriter) throws {
        do {
            try statement.run()
        } catch let error as SQLiteError where error.isUniqueness {
            constraintConflicts.append(try constraintConflict(error, row, writer))
        }
    }

    // MARK: Updates

    mutating func update(_ updates: [ChangeSet.Update], _ files: inout ExternalFileChanges) throws {
        let blocked = try attempt(updates, &files)
        if !blocked.isEmpty { try updateBlocked(blocked, &files) }
    }

    /// Writes rows, and returns those that a uniqueness constraint did not let through.
    private mutating func attempt(
        _ updates: [ChangeSet.Update], _ files: inout ExternalFileChanges
    ) throws -> [ChangeSet.Update] {
        let numbers = store.schema.numbers
        var index = -1
        var mask = SlotMask()
        var current: (writer: RowWriter, statement: SQLiteStatement, fields: [RowWriter.Field])?
        var blocked: [ChangeSet.Update] = []
        for update in updates {
            let row = update.new
            if row.layoutIndex != index || update.changed != mask || current == nil {
                index = row.layoutIndex
                mask = update.changed
                let writer = try writer(index)
                var fields: [RowWriter.Field] = []
                mask.forEach { slot in
                    if let field = writer.field(ofSlot: slot) { fields.append(field) }
                }
                let changed = mask
                let statement = try connection.statement(.update(layout: index, mask: changed)) {
                    writer.updateText(changed)
                }
                current = (writer, statement, fields)
            }
            guard let (writer, statement, fields) = current else { continue }
            let key = row.key & ObjectKey.primaryKeyMask
            let external = fields.filter { $0.kind == .external }
            if !external.isEmpty { try noteFiles(of: external, writer.table, key, &files) }
            statement.bind(1, Int64(row.version))
            var position: Int32 = 2
            for field in fields {
                try writer.bind(field, of: row, to: statement, at: position, numbers: numbers) {
                    try encode($0, &files)
                }
                position += 1
            }
            statement.bind(position, key)
            statement.bind(position + 1, Int64(update.old.version))
            let broken = constraintConflicts.count
            try withExtendedLifetime(row) { try run(statement, row, writer) }
            if broken != constraintConflicts.count {
                blocked.append(update)
            } else if connection.changes == 0 {
                let object = ObjectKey(layoutIndex: row.layoutIndex, key: row.key)
                conflicts.append(
                    SaveConflicts.Conflict(key: object, expected: update.old, found: try presentRow(object)))
            }
        }
        current?.statement.clear()
        return blocked
    }

    /// Rows of one save may hand unique values on to each other, even in a circle: SQLite looks after each row, the
    /// constraint means the end. So the rows give up their values first and are written once more; what is broken then is
    /// broken.
    private mutating func updateBlocked(
        _ updates: [ChangeSet.Update], _ files: inout ExternalFileChanges
    ) throws {
        for update in updates {
            let writer = try writer(update.new.layoutIndex)
            let object = ObjectKey(layoutIndex: update.new.layoutIndex, key: update.new.key)
            let mine = constraintConflicts.filter { $0.key == object }
            let names = Set(mine.flatMap(\.constraint))
            // Only what is written again afterwards.
            let columns = writer.fields.filter {
                update.changed.contains($0.slot) && names.contains(writer.layout.slots[$0.slot].name)
            }.map(\.column)
            if columns.isEmpty { continue }
            let statement = try connection.prepare(
                "UPDATE \(writer.table) SET \(columns.map { "\($0) = NULL" }.joined(separator: ", ")) "
                    + "WHERE \(SQLSchema.keyColumn) = ? AND \(SQLSchema.versionColumn) = ?")
            statement.bind(1, object.primaryKey)
            statement.bind(2, Int64(update.old.version))
            try statement.run()
            constraintConflicts.removeAll { $0.key == object }
        }
        _ = try attempt(updates, &files)
    }

    /// Looks whether rows still are what they were when they were read.
    mutating func check(_ rows: [Snapshot]) throws {
        for row in rows {
            let object = ObjectKey(layoutIndex: row.layoutIndex, key: row.key)
            let found = try presentRow(object)
            if found?.version != row.version {
                conflicts.append(SaveConflicts.Conflict(key: object, expected: row, found: found))
            }
        }
    }

    // MARK: Deletions

    mutating func delete(_ deletions: [ChangeSet.Deletion], _ files: inout ExternalFileChanges) throws {
        // By table and key: neighbouring rows lie on the same pages.
        let sorted = deletions.sorted { a, b in
            let (rootA, rootB) = (root(a.key.layoutIndex), root(b.key.layoutIndex))
            return rootA == rootB ? a.key.key < b.key.key : rootA < rootB
        }
        for deletion in sorted {
            let object = deletion.key
            let writer = try writer(object.layoutIndex)
            let key = object.primaryKey
            if !writer.externalFields.isEmpty { try noteFiles(of: writer.externalFields, writer.table, key, &files) }
            try deleteJoins(of: object)
            let isVersioned = deletion.row != nil
            let statement = try connection.statement(
                .delete(root: root(object.layoutIndex), versioned: isVersioned)
            ) {
                "DELETE FROM \(writer.table) WHERE \(SQLSchema.keyColumn) = ?"
                    + (isVersioned ? " AND \(SQLSchema.versionColumn) = ?" : "")
            }
            statement.bind(1, key)
            if let row = deletion.row { statement.bind(2, Int64(row.version)) }
            try statement.run()
            let count = connection.changes
            deletedRows[object.layoutIndex, default: 0] += count
            if isVersioned, count == 0 {
                conflicts.append(
                    SaveConflicts.Conflict(key: object, expected: deletion.row, found: try presentRow(object)))
            }
        }
    }

    private func root(_ index: Int) -> Int { store.layout.entities[index].rootIndex }

    /// A deleted object is in no join table any more, whether or not anybody had looked at its relationships.
    private func deleteJoins(of object: ObjectKey) throws {
        for end in store.schema.joinEnds[object.layoutIndex] {
            guard let end else { continue }
            for (number, column) in [end.ownerColumn, end.memberColumn].enumerated() {
                if number == 1, !end.isReflexive { continue }
                let statement = try connection.statement(
                    .text("DELETE FROM \(end.table) WHERE \(column) = ?")
                ) { "DELETE FROM \(end.table) WHERE \(column) = ?" }
                statement.bind(1, object.primaryKey)
                try statement.run()
            }
        }
    }

    // MARK: Join tables

    mutating func join(_ changes: [ChangeSet.Join]) throws {
        for change in changes {
            guard let end = store.schema.joinEnds[change.owner.layoutIndex][change.toMany.index] else { continue }
            let owner = change.owner.primaryKey
            try unlink(end, owner, change.removed)
            try link(end, owner, change.added)
        }
    }

    private func unlink(_ end: SQLJoinEnd, _ owner: Int64, _ members: [ObjectKey]) throws {
        if members.isEmpty { return }
        let statement = try connection.statement(.joinDelete(table: end.joinIndex, flipped: end.isFlipped)) {
            "DELETE FROM \(end.table) WHERE \(end.ownerColumn) = ? AND \(end.memberColumn) = ?"
        }
        for member in members {
            statement.bind(1, owner)
            statement.bind(2, member.primaryKey)
            try statement.run()
            if end.isReflexive, member.primaryKey != owner {
                statement.bind(1, member.primaryKey)
                statement.bind(2, owner)
                try statement.run()
            }
        }
    }

    private func link(_ end: SQLJoinEnd, _ owner: Int64, _ members: [ObjectKey]) throws {
        if members.isEmpty { return }
        // A new member stands at the end of every ordered list until its position is told.
        let orders = [(end.orderColumn, end.ownerColumn), (end.inverseOrderColumn, end.memberColumn)]
            .compactMap { order, key in order.map { ($0, key) } }
        let statement = try connection.statement(.joinInsert(table: end.joinIndex, flipped: end.isFlipped)) {
            let names = [end.ownerColumn, end.memberColumn] + orders.map(\.0)
            var values = ["?1", "?2"]
            for (order, key) in orders {
                values.append(
                    "(SELECT IFNULL(MAX(\(order)), 1024) + 1024 FROM \(end.table) "
                        + "WHERE \(key) = \(key == end.ownerColumn ? "?1" : "?2"))")
            }
            return "INSERT OR IGNORE INTO \(end.table) (\(names.joined(separator: ", "))) "
                + "VALUES (\(values.joined(separator: ", ")))"
        }
        for member in members {
            statement.bind(1, owner)
            statement.bind(2, member.primaryKey)
            try statement.run()
            if end.isReflexive, member.primaryKey != owner {
                statement.bind(1, member.primaryKey)
                statement.bind(2, owner)
                try statement.run()
            }
        }
    }

    // MARK: What is there now

    func presentRow(_ object: ObjectKey) throws -> Snapshot? {
        let rootIndex = root(object.layoutIndex)
        guard let decoder = store.rootDecoders[rootIndex] else { return nil }
        let statement = try connection.statement(.rows(root: rootIndex, count: 1)) {
            store.rowTexts[rootIndex] + " WHERE t0.\(SQLSchema.keyColumn) = ?"
        }
        statement.bind(1, object.primaryKey)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return try decoder.decodeUncached(statement)
    }

    /// Notes the files that a row's columns name now: they are orphans once the row is changed or gone.
    func noteFiles(
        of fields: [RowWriter.Field], _ table: String, _ key: Int64, _ files: inout ExternalFileChanges
    ) throws {
        let text =
            "SELECT \(fields.map(\.column).joined(separator: ", ")) FROM \(table) WHERE \(SQLSchema.keyColumn) = ?"
        let statement = try connection.statement(.text(text)) { text }
        statement.bind(1, key)
        defer { statement.reset() }
        guard try statement.step() else { return }
        for column in fields.indices where statement.type(column) == SQLITE_BLOB {
            let name = statement.data(column).withUnsafeBytes { ExternalData.fileName($0) }
            if let name { files.orphaned.append(name) }
        }
    }

    /// Which constraint a row breaks, and which row it clashes with. SQLite's message names the columns:
    /// `UNIQUE constraint failed: ZBOOK.ZISBN, ZBOOK.ZEDITION`.
    func constraintConflict(
        _ error: SQLiteError, _ row: Snapshot, _ writer: RowWriter
    ) throws -> SaveConflicts.ConstraintConflict {
        let object = ObjectKey(layoutIndex: row.layoutIndex, key: row.key)
        let list = error.message.split(separator: ":", maxSplits: 1).last ?? ""
        let columns = list.split(separator: ",").compactMap {
            $0.split(separator: ".").last.map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let fields = columns.compactMap { column in writer.fields.first { $0.column == column } }
        guard !fields.isEmpty, fields.count == columns.count else { throw error }
        let conditions = fields.map { "\($0.column) = ?" }.joined(separator: " AND ")
        let statement = try connection.prepare(
            "SELECT \(SQLSchema.keyColumn), \(SQLSchema.entityColumn) FROM \(writer.table) WHERE \(conditions) LIMIT 1")
        for (place, field) in fields.enumerated() {
            try writer.bind(
                field, of: row, to: statement, at: Int32(place + 1), numbers: store.schema.numbers, encode: { Data($0) }
            )
        }
        var existing: ObjectKey?
        var existingRow: Snapshot?
        if try statement.step(),
            let index = store.layoutIndex(number: statement.int64(1), rootIndex: root(row.layoutIndex))
        {
            existing = ObjectKey(
                layoutIndex: index,
                key: ObjectKey.key(storeNumber: store.storeNumber, primaryKey: statement.int64(0)))
            existingRow = try existing.flatMap { try presentRow($0) }
        }
        withExtendedLifetime(row) {}
        return SaveConflicts.ConstraintConflict(
            constraint: fields.map { writer.layout.slots[$0.slot].name }, key: object, existing: existing,
            existingRow: existingRow)
    }
}
