/// The associations of saved destination objects with source objects, in a file that one migration uses alone.
///
/// Source objects are read in the order of their keys, and new objects get consecutive keys. So most associations form
/// runs of consecutive source keys with as many consecutive destination keys. Each run has one row. An association
/// outside of all runs has a row of its own in another table.
final class SavedAssociations {
    /// An association as the second pass reads it.
    struct Pair {
        var source: ObjectKey
        var destination: ObjectKey

        fileprivate var order: (Int, Int64, Int, Int64) {
            (source.layoutIndex, source.key, destination.layoutIndex, destination.key)
        }
    }

    private struct Run {
        var mapping: Int
        var source: ObjectKey
        var destination: ObjectKey
        var count: Int64

        /// Whether an association continues the run at its end.
        func isFollowed(by source: ObjectKey, _ destination: ObjectKey, mapping: Int) -> Bool {
            mapping == self.mapping && source.layoutIndex == self.source.layoutIndex
                && destination.layoutIndex == self.destination.layoutIndex && source.key == self.source.key + count
                && destination.key == self.destination.key + count && count < SavedAssociations.longestRun
        }
    }

    /// The limit of a run's length. With it, the runs that contain a key can be found by their first keys.
    private static let longestRun: Int64 = 1_024

    /// The mark of new rows; see `MigrationAssociations`.
    var part: Int
    private let connection: SQLiteConnection
    private let isCancelled: () -> Bool
    /// The highest source keys in runs, by mapping and entity. Runs never overlap.
    private var highestKeys: [MappedEntity: Int64] = [:]
    /// The mappings that have associations outside of all runs.
    private var scattered: Set<Int> = []
    private var hasReverseIndexes = false
    /// Whether associated objects have been deleted.
    private var knowsGone = false

    private struct MappedEntity: Hashable {
        var mapping: Int
        var entity: Int
    }

    private static let runs = table(
        "run", ["mapping", "sourceEntity", "source", "destinationEntity", "destination", "count", "part"], key: 3)
    private static let associations = table(
        "association", ["mapping", "sourceEntity", "source", "destinationEntity", "destination", "repeated", "part"],
        key: 5)
    private static let gone = table("gone", ["entity", "destination", "part"], key: 2)

    static let tables = [runs, associations, gone]

    /// A table whose first columns are its key.
    private static func table(_ name: String, _ columns: [String], key: Int) -> SQLTable {
        SQLTable(
            name: name, columns: columns.map { SQLColumn(name: $0, type: .integer) },
            compositeKey: Array(columns.prefix(key)), liesInKeyOrder: true)
    }

    static func makeTables(_ connection: SQLiteConnection) throws {
        for table in tables { try connection.run(.define(.createTable(table))) }
    }

    /// Continues with the tables of a file, which may be empty. A long statement calls `isCancelled` repeatedly.
    init(_ connection: SQLiteConnection, part: Int = 1, isCancelled: @escaping () -> Bool) throws {
        self.connection = connection
        self.part = part
        self.isCancelled = isCancelled
        let last = SQLExpression.binary(
            .subtract, .binary(.add, .column("source"), .column("count")), .number(1))
        var highest = SQLSelect(
            [.column("mapping"), .column("sourceEntity"), .function(.max, [last])], of: Self.runs.name)
        highest.groupBy = [.column("mapping"), .column("sourceEntity")]
        try connection.prepare(.select(highest)).rows { row in
            highestKeys[MappedEntity(mapping: Int(row.int64(0)), entity: Int(row.int64(1)))] = row.int64(2)
        }
        var mappings = SQLSelect([.column("mapping")], of: Self.associations.name)
        mappings.isDistinct = true
        try connection.prepare(.select(mappings)).rows { scattered.insert(Int($0.int64(0))) }
        knowsGone = try connection.hasRows(in: Self.gone.name)
    }

    /// Whether columns have the values of the parameters, in their order.
    private static func isEqual(_ columns: String...) -> SQLExpression {
        .and(columns.enumerated().map { .binary(.equal, .column($1), .parameter($0 + 1)) })
    }

    private static func columns(_ names: String...) -> [SQLExpression] { names.map { .column($0) } }

    /// A SELECT that is prepared once. Its name is that of the function that uses it.
    private func statement(_ name: String = #function, _ make: () -> SQLSelect) throws -> any SQLPreparedStatement {
        try connection.statement(.text(name)) { .select(make()) }
    }

    // MARK: Writing

    /// Adds associations whose destinations have been saved.
    func add(_ entries: [PendingAssociations.Entry]) throws {
        var run: Run?
        for entry in entries {
            let (source, destination) = (entry.source.key, entry.destination.objectKey)
            // An object that a policy has deleted again has no permanent key.
            if destination.isTemporary { continue }
            let mapping = entry.source.mapping
            if !entry.isRepeated, run?.isFollowed(by: source, destination, mapping: mapping) == true {
                run?.count += 1
                continue
            }
            if let run { try write(run) }
            run = nil
            let mapped = MappedEntity(mapping: mapping, entity: source.layoutIndex)
            if entry.isRepeated || source.key <= highestKeys[mapped] ?? .min {
                try write(entry, destination)
            } else {
                run = Run(mapping: mapping, source: source, destination: destination, count: 1)
            }
        }
        if let run { try write(run) }
    }

    private func write(_ run: Run) throws {
        try insert(
            into: Self.runs, mapping: run.mapping, source: run.source, destination: run.destination, other: run.count)
        highestKeys[MappedEntity(mapping: run.mapping, entity: run.source.layoutIndex)] = run.source.key + run.count - 1
    }

    private func write(_ entry: PendingAssociations.Entry, _ destination: ObjectKey) throws {
        try insert(
            into: Self.associations, mapping: entry.source.mapping, source: entry.source.key, destination: destination,
            other: entry.isRepeated ? 1 : 0)
        scattered.insert(entry.source.mapping)
    }

    private func insert(
        into table: SQLTable, mapping: Int, source: ObjectKey, destination: ObjectKey, other: Int64
    ) throws {
        let statement = try connection.statement(.text(table.name)) {
            .insert(
                SQLInsert(
                    into: table.name, table.columns.map(\.name),
                    conflict: table.name == Self.runs.name ? .fails : .keepsStored))
        }
        try statement.run { parameters in
            parameters.bind(1, Int64(mapping))
            parameters.bind(2, Int64(source.layoutIndex))
            parameters.bind(3, source.key)
            parameters.bind(4, Int64(destination.layoutIndex))
            parameters.bind(5, destination.key)
            parameters.bind(6, other)
            parameters.bind(7, Int64(part))
        }
    }

    /// Removes all associations with deleted destination objects.
    func forget(_ destinations: [ObjectKey]) throws {
        if destinations.isEmpty { return }
        knowsGone = true
        let insertion = try connection.statement(.text(Self.gone.name)) {
            .insert(SQLInsert(into: Self.gone.name, Self.gone.columns.map(\.name), conflict: .keepsStored))
        }
        try insertion.run(destinations.count) { place, parameters in
            parameters.bind(1, Int64(destinations[place].layoutIndex))
            parameters.bind(2, destinations[place].key)
            parameters.bind(3, Int64(part))
        }
    }

    private func present(_ keys: [ObjectKey]) throws -> [ObjectKey] {
        if keys.isEmpty || !knowsGone { return keys }
        let query = try statement {
            SQLSelect(
                Self.columns("entity"), of: Self.gone.name, where: Self.isEqual("entity", "destination"), limit: 1)
        }
        return try keys.filter { key in
            let isGone = try query.first { parameters in
                parameters.bind(1, Int64(key.layoutIndex))
                parameters.bind(2, key.key)
            } _: { _ in
                true
            }
            return isGone == nil
        }
    }

    // MARK: Reading

    /// Whether a source object may have a destination by one mapping.
    func mayKnow(_ source: ObjectKey, mapping: Int) -> Bool {
        scattered.contains(mapping)
            || source.key <= highestKeys[MappedEntity(mapping: mapping, entity: source.layoutIndex)] ?? .min
    }

    /// The destinations of a source object by one mapping.
    func destinations(of source: ObjectKey, mapping: Int) throws -> [ObjectKey] {
        var found: [ObjectKey] = []
        let bind = Self.binding(source, mapping)
        if source.key <= highestKeys[MappedEntity(mapping: mapping, entity: source.layoutIndex)] ?? .min {
            let runs = try statement("runs of a source") { Self.lastRun(of: "source", leadingTo: "destination") }
            found += try runs.keyInRun(source.key, bind)
        }
        guard scattered.contains(mapping) else { return try present(found) }
        let query = try statement("associations of a source") {
            SQLSelect(
                Self.columns("destinationEntity", "destination"), of: Self.associations.name,
                where: Self.isEqual("mapping", "sourceEntity", "source"))
        }
        return try present(found + query.objectKeys(bind).filter { $0 != found.first })
    }

    /// Binds a mapping, and the entity and the key of an object.
    private static func binding(_ object: ObjectKey, _ mapping: Int) -> (any SQLParameters) -> Void {
        return { parameters in
            parameters.bind(1, Int64(mapping))
            parameters.bind(2, Int64(object.layoutIndex))
            parameters.bind(3, object.key)
        }
    }

    /// The last run of a mapping and an entity whose first key, on one of its sides, is at most the given key.
    private static func lastRun(of side: String, leadingTo other: String) -> SQLSelect {
        var select = SQLSelect(
            columns(side, "count", other + "Entity", other), of: runs.name,
            where: .and([
                isEqual("mapping", side + "Entity"), .binary(.lessOrEqual, .column(side), .parameter(3)),
            ]), limit: 1)
        select.order = [.init(expression: .column(side), isAscending: false)]
        return select
    }

    /// All objects that a mapping has made, each destination object once.
    func allDestinations(mapping: Int) throws -> [ObjectKey] {
        var all: [ObjectKey] = []
        var last: Pair?
        while case let pairs = try pairs(mapping: mapping, after: last, limit: 1_000), let final = pairs.last {
            all += try present(pairs.map(\.destination))
            last = final
        }
        return all
    }

    /// The source objects of a destination, in the order of their keys.
    func sources(of destination: ObjectKey, mapping: Int) throws -> [ObjectKey] {
        try makeReverseIndexes()
        let bind = Self.binding(destination, mapping)
        let runs = try statement("runs of a destination") { Self.lastRun(of: "destination", leadingTo: "source") }
        var found = try runs.keyInRun(destination.key, bind)
        guard scattered.contains(mapping) else { return found }
        let query = try statement("associations of a destination") {
            SQLSelect(
                Self.columns("sourceEntity", "source"), of: Self.associations.name,
                where: Self.isEqual("mapping", "destinationEntity", "destination"),
                orderedBy: Self.columns("sourceEntity", "source"))
        }
        found += try query.objectKeys(bind).filter { $0 != found.first }
        return found.sorted { ($0.layoutIndex, $0.key) < ($1.layoutIndex, $1.key) }
    }

    /// Makes the indexes for reading sources by destination when they are first needed. Most migrations never read in
    /// this direction.
    private func makeReverseIndexes() throws {
        guard !hasReverseIndexes else { return }
        try connection.interruptible(every: 10_000, by: isCancelled) {
            for (name, table) in [("runsByDestination", Self.runs), ("associationsByDestination", Self.associations)] {
                let columns = ["mapping", "destinationEntity", "destination"].map { SQLIndexColumn(name: $0) }
                let index = SQLIndex(name: name, table: table.name, columns: columns)
                try connection.run(.define(.createIndex(index, unlessThere: true)))
            }
        }
        hasReverseIndexes = true
    }

    // MARK: The second pass

    /// The number of destination objects that a mapping has made.
    func count(mapping: Int) throws -> Int {
        let sum = SQLSelect([.function(.sum, [.column("count")])], of: Self.runs.name, where: Self.isEqual("mapping"))
        let others = SQLSelect(
            [.countAll], of: Self.associations.name,
            where: .and([Self.isEqual("mapping"), .binary(.equal, .column("repeated"), .number(0))]))
        let query = try statement {
            SQLSelect(
                results: [
                    .init(
                        expression: .binary(
                            .add, .function(.coalesce, [.scalar(sum), .number(0)]), .scalar(others)))
                ], from: .nothing)
        }
        return Int(try query.first({ $0.bind(1, Int64(mapping)) }) { $0.int64(0) } ?? 0)
    }

    /// The next associations of a mapping in the order of their source keys. Each destination object is listed once,
    /// including deleted ones.
    func pairs(mapping: Int, after last: Pair?, limit: Int) throws -> [Pair] {
        var pairs = try pairsInRuns(mapping, after: last, limit)
        guard scattered.contains(mapping) else { return pairs }
        pairs += try scatteredPairs(mapping, after: last, limit)
        pairs.sort { $0.order < $1.order }
        if pairs.count > limit { pairs.removeLast(pairs.count - limit) }
        return pairs
    }

    private func pairsInRuns(_ mapping: Int, after last: Pair?, _ limit: Int) throws -> [Pair] {
        let key = Self.columns("sourceEntity", "source")
        let query = try statement {
            SQLSelect(
                key + Self.columns("destinationEntity", "destination", "count"), of: Self.runs.name,
                where: .and([
                    Self.isEqual("mapping"), .binary(.greater, .row(key), .row([.parameter(2), .parameter(3)])),
                ]), orderedBy: key)
        }
        var pairs: [Pair] = []
        pairs.reserveCapacity(limit)
        try query.select { parameters in
            parameters.bind(1, Int64(mapping))
            parameters.bind(2, Int64(last?.source.layoutIndex ?? -1))
            parameters.bind(3, (last?.source.key ?? 0) - Self.longestRun)
        } _: { row in
            for distance in 0..<row.int64(4) where pairs.count < limit {
                let pair = Pair(
                    source: row.objectKey(at: 0, plus: distance), destination: row.objectKey(at: 2, plus: distance))
                if let last, pair.order <= last.order { continue }
                pairs.append(pair)
            }
            return pairs.count < limit
        }
        return pairs
    }

    private func scatteredPairs(_ mapping: Int, after last: Pair?, _ limit: Int) throws -> [Pair] {
        let key = Self.columns("sourceEntity", "source", "destinationEntity", "destination")
        let select = SQLSelect(
            key, of: Self.associations.name,
            where: .and([
                .binary(.equal, .column("mapping"), .number(mapping)),
                .binary(
                    .greater, .row(key),
                    .row([
                        .number(last?.source.layoutIndex ?? -1), .value(.int(last?.source.key ?? -1)),
                        .number(last?.destination.layoutIndex ?? -1), .value(.int(last?.destination.key ?? -1)),
                    ])), .binary(.equal, .column("repeated"), .number(0)),
            ]), orderedBy: key, limit: limit)
        var pairs: [Pair] = []
        try connection.statement(select).rows { row in
            pairs.append(Pair(source: row.objectKey(at: 0), destination: row.objectKey(at: 2)))
        }
        return pairs
    }
}

extension SQLRow {
    /// The key in two columns (entity and key), or the key at a distance after it.
    fileprivate func objectKey(at place: Int, plus distance: Int64 = 0) -> ObjectKey {
        ObjectKey(layoutIndex: Int(int64(place)), key: int64(place + 1) + distance)
    }
}

extension SQLPreparedStatement {
    /// The keys in the first two columns of all rows.
    func objectKeys(_ bind: (any SQLParameters) throws -> Void = { _ in }) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        try rows(bind) { keys.append($0.objectKey(at: 0)) }
        return keys
    }

    /// The destination of a key within a run. The run's columns are its first key, its length, and the destination of
    /// the first key. Empty if the run ends before the key.
    fileprivate func keyInRun(_ key: Int64, _ bind: (any SQLParameters) -> Void) throws -> [ObjectKey] {
        let found = try first(bind) { row -> ObjectKey? in
            let distance = key - row.int64(0)
            return distance < row.int64(1) ? row.objectKey(at: 2, plus: distance) : nil
        }
        return (found ?? nil).map { [$0] } ?? []
    }
}
