import Foundation

/// The associations of destination objects with source objects, and the destination objects that are not valid yet.
/// They are kept on disk, so that memory does not grow with the store.
///
/// One migration uses the temporary SQLite file alone. It has one transaction, which is committed only if another
/// process is to be able to resume with the file. Then every row has the number of the position after it. Positions are
/// committed here first, and then under the same number in the new store, which may therefore be one behind. Rows that
/// belong to a later position than the store's are removed again.
///
/// Associations since the last save are in memory, because the new objects have no permanent keys yet. Only the thread
/// of the migration may use the object.
final class MigrationAssociations {
    typealias Pair = SavedAssociations.Pair

    private let connection: SQLiteConnection
    /// The associations since the last save.
    private(set) var pending = PendingAssociations()
    private let saved: SavedAssociations

    /// Whether another process can resume with the file. Its content at each `keep(_:)` stays.
    let isKept: Bool
    /// The number of the next position.
    private var part = 1

    /// Makes the file. A long statement calls `isCancelled` repeatedly.
    init(at url: URL, isKept: Bool = false, isCancelled: @escaping () -> Bool) throws {
        self.isKept = isKept
        connection = try SQLiteConnection(path: url.path, access: .create, busyTimeout: 0)
        try connection.prepareForScratch(isKept: isKept)
        try connection.beginLazily()
        for table in [Self.invalid, Self.positions] { try connection.run(.define(.createTable(table))) }
        // The file ends with the process.
        if !isKept { unlink(url.path) }
        try SavedAssociations.makeTables(connection)
        saved = try SavedAssociations(connection, isCancelled: isCancelled)
    }

    /// Opens the file of a killed process, whose new store was committed at the position with this number. The result
    /// is nil if the file cannot be resumed.
    static func reopen(
        at url: URL, part: Int, isCancelled: @escaping () -> Bool
    ) -> (associations: MigrationAssociations, position: MappedPosition)? {
        guard part > 0, FileManager.default.fileExists(atPath: url.path),
            let connection = try? SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 0),
            (try? connection.prepareForScratch(isKept: true)) != nil,
            let data = try? connection.prepare(.select(kept(part))).first({ _ in }, { $0.data(0) }),
            let position = try? JSONDecoder().decode(MappedPosition.self, from: data),
            position.boot == MappedPosition.thisBoot,
            let associations = try? MigrationAssociations(connection, part, isCancelled)
        else { return nil }
        return (associations, position)
    }

    private init(
        _ connection: SQLiteConnection, _ part: Int, _ isCancelled: @escaping () -> Bool
    ) throws {
        self.connection = connection
        self.part = part + 1
        isKept = true
        try connection.transaction {
            for table in SavedAssociations.tables + [Self.invalid, Self.positions] {
                try connection.run(
                    .delete(SQLDelete(from: table.name, where: .binary(.greater, .column("part"), .number(part)))))
            }
            try connection.run(
                .update(
                    SQLUpdate(
                        Self.invalid.name, [.init("gone", .null)],
                        where: .binary(.greater, .column("gone"), .number(part)))))
        }
        saved = try SavedAssociations(connection, part: part + 1, isCancelled: isCancelled)
        knowsInvalid = try connection.hasRows(in: Self.invalid.name)
        try connection.beginLazily()
    }

    private static let invalid = SQLTable(
        name: "invalid",
        columns: ["entity", "destination", "part", "gone"].map { SQLColumn(name: $0, type: .integer) },
        compositeKey: ["entity", "destination"], liesInKeyOrder: true)

    private static let positions = SQLTable(
        name: "position",
        columns: [SQLColumn(name: "part", type: .integer, isPrimaryKey: true), SQLColumn(name: "value", type: .blob)])

    private static func kept(_ part: Int) -> SQLSelect {
        SQLSelect([.column("value")], of: positions.name, where: .binary(.equal, .column("part"), .number(part)))
    }

    /// Keeps all associations so far and the position of the migration. The caller commits the new store under the
    /// returned number. Until then the position before stays.
    func keep(_ position: MappedPosition) throws -> Int {
        let data = try JSONEncoder().encode(position)
        let insertion = SQLInsert(
            into: Self.positions.name, Self.positions.columns.map(\.name),
            .values([.number(part), .value(.data(data))]), conflict: .replaces(key: ["part"]))
        try connection.run(.insert(insertion))
        try connection.run(
            .delete(SQLDelete(from: Self.positions.name, where: .binary(.less, .column("part"), .number(part - 1)))))
        try connection.commitAndBegin()
        defer {
            part += 1
            saved.part = part
        }
        return part
    }

    /// A file that is kept is removed with its folder, once it is not needed any more.
    deinit { connection.finalizeStatements() }

    // MARK: Associating

    func associate(_ source: NSManagedObject, with destination: NSManagedObject, mapping: Int) {
        let place = AssociatedSource(mapping: mapping, key: source.objectKey)
        var isRepeated = false
        for entry in pending.entries(of: destination) {
            if entry.source == place { return }
            isRepeated = isRepeated || entry.source.mapping == mapping
        }
        if !isRepeated, destination.key > 0 {
            isRepeated = (try? saved.sources(of: destination.objectKey, mapping: mapping).isEmpty) == false
        }
        pending.append(
            PendingAssociations.Entry(
                source: place, sourceObject: source, destination: destination, destinationKey: destination.key,
                isRepeated: isRepeated))
    }

    /// Whether an object was associated in a mapping since the last save.
    func isPending(_ destination: NSManagedObject, mapping: Int?) -> Bool {
        pending.entries(of: destination).contains { $0.source.mapping == mapping }
    }

    /// Writes the associations since the last call. The objects have been saved, or the policy that made them has
    /// deleted them.
    func flush() throws {
        guard !pending.isEmpty else { return }
        try saved.add(pending.entries)
        pending.removeAll()
    }

    /// Removes associations with deleted objects.
    func forget(_ destinations: [ObjectKey]) throws { try saved.forget(destinations.filter { !$0.isTemporary }) }

    // MARK: Reading

    /// The destinations of a source object by one mapping: objects that are not saved yet, and the keys of saved ones.
    func destinations(of source: ObjectKey, mapping: Int) throws -> (new: [NSManagedObject], saved: [ObjectKey]) {
        (
            pending.destinations(of: AssociatedSource(mapping: mapping, key: source)),
            try saved.destinations(of: source, mapping: mapping)
        )
    }

    /// The destination of a source object, if the last association is its own and there can be no other destination.
    func onlyDestination(of source: NSManagedObject, mapping: Int) -> NSManagedObject? {
        saved.mayKnow(source.objectKey, mapping: mapping) ? nil : pending.onlyDestination(of: source, mapping: mapping)
    }

    /// All destination objects that a mapping has made so far.
    func allDestinations(mapping: Int) throws -> (new: [NSManagedObject], saved: [ObjectKey]) {
        let new = pending.entries.filter { $0.source.mapping == mapping && !$0.isRepeated }
        return (new.map(\.destination), try saved.allDestinations(mapping: mapping))
    }

    /// The source objects of a destination object.
    func sources(of destination: NSManagedObject, mapping: Int) -> [ObjectKey] {
        let new = pending.entries(of: destination).filter { $0.source.mapping == mapping }.map(\.source.key)
        if destination.objectKey.isTemporary { return new }
        let earlier = (try? saved.sources(of: destination.objectKey, mapping: mapping)) ?? []
        return new + earlier.filter { !new.contains($0) }
    }

    // MARK: The second pass

    /// The number of destination objects that a mapping has made.
    func count(mapping: Int) throws -> Int { try saved.count(mapping: mapping) }

    /// The next associations of a mapping in the order of their source keys; each destination object once.
    func pairs(mapping: Int, after last: Pair?, limit: Int) throws -> [Pair] {
        try saved.pairs(mapping: mapping, after: last, limit: limit)
    }

    // MARK: Objects that are not valid yet

    /// Whether any object was not valid when it was saved. Only then the valid ones have to be recorded.
    private(set) var knowsInvalid = false

    /// Records which of the objects that were just saved were valid.
    func note(valid: [ObjectKey], invalid: [ObjectKey]) throws {
        if !invalid.isEmpty {
            knowsInvalid = true
            let insertion = try connection.statement(.text("invalid")) {
                .insert(
                    SQLInsert(
                        into: Self.invalid.name, ["entity", "destination", "part"],
                        .values((1...3).map { .parameter($0) }),
                        conflict: .updates(key: Self.invalid.compositeKey, [.init("gone", .null)])))
            }
            try run(insertion, invalid, withPart: true)
        }
        if valid.isEmpty { return }
        // If another process may have to go back to an earlier position, it needs the objects that were invalid at that
        // position.
        let isObject = SQLExpression.and([
            .binary(.equal, .column("entity"), .parameter(1)), .binary(.equal, .column("destination"), .parameter(2)),
        ])
        let end = try connection.statement(.text("valid")) {
            isKept
                ? .update(
                    SQLUpdate(
                        Self.invalid.name, [.init("gone", .parameter(3))],
                        where: .and([isObject, .isNull(.column("gone"))])))
                : .delete(SQLDelete(from: Self.invalid.name, where: isObject))
        }
        try run(end, valid, withPart: isKept)
    }

    private func run(_ statement: any SQLPreparedStatement, _ keys: [ObjectKey], withPart: Bool) throws {
        try statement.run(keys.count) { place, parameters in
            parameters.bind(1, Int64(keys[place].layoutIndex))
            parameters.bind(2, keys[place].key)
            if withPart { parameters.bind(3, Int64(part)) }
        }
    }

    /// The next objects that may not be valid, in the order of their keys. After a kill some of them may be valid.
    func invalid(after last: ObjectKey?, limit: Int) throws -> [ObjectKey] {
        guard knowsInvalid else { return [] }
        let columns = Self.invalid.compositeKey.map { SQLExpression.column($0) }
        let last: [SQLExpression] = [.number(last?.layoutIndex ?? -1), .value(.int(last?.key ?? 0))]
        let select = SQLSelect(
            columns, of: Self.invalid.name,
            where: .and([.binary(.greater, .row(columns), .row(last)), .isNull(.column("gone"))]), orderedBy: columns,
            limit: limit)
        return try connection.statement(select).objectKeys()
    }
}

extension SQLConnection {
    /// Whether a table has any row.
    func hasRows(in table: String) throws -> Bool {
        try prepare(.select(SQLSelect([.number(1)], of: table, limit: 1))).first { _ in true } ?? false
    }
}
