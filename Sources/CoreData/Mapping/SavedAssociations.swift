/// Which saved destination objects came of which source objects, in a file that one migration uses alone.
///
/// Source objects are read in the order of their keys and new objects get consecutive ones, so that most associations are
/// runs: a number of source keys in a row, and as many destination keys. A run takes a row; what is in no run has one of its
/// own in another table.
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

        /// Whether an association goes on where the run ends.
        func isFollowed(by source: ObjectKey, _ destination: ObjectKey, mapping: Int) -> Bool {
            mapping == self.mapping && source.layoutIndex == self.source.layoutIndex
                && destination.layoutIndex == self.destination.layoutIndex && source.key == self.source.key + count
                && destination.key == self.destination.key + count && count < SavedAssociations.longestRun
        }
    }

    /// A limit lets the runs that reach behind a key be found by where they begin.
    private static let longestRun: Int64 = 1_024

    /// What new rows are marked with; see `MigrationAssociations`.
    var part: Int
    private let connection: SQLiteConnection
    private let isCancelled: () -> Bool
    /// The highest source keys that are in runs, by mapping and entity: runs never overlap.
    private var highestKeys: [Place: Int64] = [:]
    /// The mappings of which something is in no run.
    private var scattered: Set<Int> = []
    private var hasReverseIndexes = false
    /// Whether objects have been deleted that something was associated with.
    private var knowsGone = false

    private struct Place: Hashable {
        var mapping: Int
        var entity: Int
    }

    static func makeTables(_ connection: SQLiteConnection) throws {
        try connection.execute(
            """
            CREATE TABLE run (mapping INTEGER, sourceEntity INTEGER, source INTEGER, destinationEntity INTEGER,
            destination INTEGER, count INTEGER, part INTEGER, PRIMARY KEY (mapping, sourceEntity, source)) WITHOUT ROWID;
            CREATE TABLE association (mapping INTEGER, sourceEntity INTEGER, source INTEGER, destinationEntity INTEGER,
            destination INTEGER, repeated INTEGER, part INTEGER,
            PRIMARY KEY (mapping, sourceEntity, source, destinationEntity, destination)) WITHOUT ROWID;
            CREATE TABLE gone (entity INTEGER, destination INTEGER, part INTEGER,
            PRIMARY KEY (entity, destination)) WITHOUT ROWID;
            """)
    }

    /// Goes on with the tables of a file, which may be empty. `isCancelled` is asked while a long statement runs.
    init(_ connection: SQLiteConnection, part: Int = 1, isCancelled: @escaping () -> Bool) throws {
        self.connection = connection
        self.part = part
        self.isCancelled = isCancelled
        let highest = try connection.prepare(
            "SELECT mapping, sourceEntity, MAX(source + count - 1) FROM run GROUP BY mapping, sourceEntity")
        while try highest.step() {
            let place = Place(mapping: Int(highest.int64(0)), entity: Int(highest.int64(1)))
            highestKeys[place] = highest.int64(2)
        }
        let mappings = try connection.prepare("SELECT DISTINCT mapping FROM association")
        while try mappings.step() { scattered.insert(Int(mappings.int64(0))) }
        knowsGone = try connection.integer("SELECT COUNT(*) FROM (SELECT 1 FROM gone LIMIT 1)") == 1
        hasReverseIndexes =
            try connection.integer("SELECT COUNT(*) FROM sqlite_master WHERE name = 'runsByDestination'") == 1
    }

    private func statement(_ sql: String) throws -> SQLiteStatement {
        try connection.statement(text: sql)
    }

    // MARK: Writing

    /// Adds associations whose destinations have been saved.
    func add(_ entries: [PendingAssociations.Entry]) throws {
        var run: Run?
        for entry in entries {
            let (source, destination) = (entry.source.key, entry.destination.objectKey)
            // What a policy has thrown away again has no permanent key.
            if destination.isTemporary { continue }
            let mapping = entry.source.mapping
            if !entry.isRepeated, run?.isFollowed(by: source, destination, mapping: mapping) == true {
                run?.count += 1
                continue
            }
            if let run { try write(run) }
            run = nil
            let place = Place(mapping: mapping, entity: source.layoutIndex)
            if entry.isRepeated || source.key <= highestKeys[place] ?? .min {
                try write(entry, destination)
            } else {
                run = Run(mapping: mapping, source: source, destination: destination, count: 1)
            }
        }
        if let run { try write(run) }
    }

    private func write(_ run: Run) throws {
        let insertion = try statement("INSERT INTO run VALUES (?, ?, ?, ?, ?, ?, ?)")
        bind(insertion, run.mapping, run.source, run.destination)
        insertion.bind(6, run.count)
        try insertion.run()
        insertion.reset()
        highestKeys[Place(mapping: run.mapping, entity: run.source.layoutIndex)] = run.source.key + run.count - 1
    }

    private func write(_ entry: PendingAssociations.Entry, _ destination: ObjectKey) throws {
        let insertion = try statement("INSERT OR IGNORE INTO association VALUES (?, ?, ?, ?, ?, ?, ?)")
        bind(insertion, entry.source.mapping, entry.source.key, destination)
        insertion.bind(6, Int64(entry.isRepeated ? 1 : 0))
        try insertion.run()
        insertion.reset()
        scattered.insert(entry.source.mapping)
    }

    private func bind(_ statement: SQLiteStatement, _ mapping: Int, _ source: ObjectKey, _ destination: ObjectKey) {
        statement.bind(1, Int64(mapping))
        statement.bind(2, Int64(source.layoutIndex))
        statement.bind(3, source.key)
        statement.bind(4, Int64(destination.layoutIndex))
        statement.bind(5, destination.key)
        statement.bind(7, Int64(part))
    }

    /// Destination objects were deleted: nothing leads to them any more.
    func forget(_ destinations: [ObjectKey]) throws {
        if destinations.isEmpty { return }
        knowsGone = true
        let insertion = try statement("INSERT OR IGNORE INTO gone VALUES (?, ?, ?)")
        for key in destinations {
            insertion.bind(1, Int64(key.layoutIndex))
            insertion.bind(2, key.key)
            insertion.bind(3, Int64(part))
            try insertion.run()
            insertion.reset()
        }
    }

    private func present(_ keys: [ObjectKey]) throws -> [ObjectKey] {
        if keys.isEmpty || !knowsGone { return keys }
        let query = try statement("SELECT 1 FROM gone WHERE entity = ? AND destination = ?")
        return try keys.filter { key in
            defer { query.reset() }
            query.bind(1, Int64(key.layoutIndex))
            query.bind(2, key.key)
            return try !query.step()
        }
    }

    // MARK: Looking up

    /// Whether something may have come of a source object by one mapping.
    func mayKnow(_ source: ObjectKey, mapping: Int) -> Bool {
        scattered.contains(mapping)
            || source.key <= highestKeys[Place(mapping: mapping, entity: source.layoutIndex)] ?? .min
    }

    /// What came of a source object by one mapping.
    func destinations(of source: ObjectKey, mapping: Int) throws -> [ObjectKey] {
        var found: [ObjectKey] = []
        if source.key <= highestKeys[Place(mapping: mapping, entity: source.layoutIndex)] ?? .min {
            let query = try statement(
                """
                SELECT source, count, destinationEntity, destination FROM run
                WHERE mapping = ? AND sourceEntity = ? AND source <= ? ORDER BY source DESC LIMIT 1
                """)
            defer { query.reset() }
            query.bind(1, Int64(mapping))
            query.bind(2, Int64(source.layoutIndex))
            query.bind(3, source.key)
            if try query.step(), case let distance = source.key - query.int64(0), distance < query.int64(1) {
                found.append(query.key(at: 2, plus: distance))
            }
        }
        guard scattered.contains(mapping) else { return try present(found) }
        let query = try statement(
            "SELECT destinationEntity, destination FROM association WHERE mapping = ? AND sourceEntity = ? AND source = ?"
        )
        defer { query.reset() }
        query.bind(1, Int64(mapping))
        query.bind(2, Int64(source.layoutIndex))
        query.bind(3, source.key)
        return try present(found + query.keys().filter { $0 != found.first })
    }

    /// Everything a mapping has made, each destination object once.
    func allDestinations(mapping: Int) throws -> [ObjectKey] {
        var all: [ObjectKey] = []
        var last: Pair?
        while case let pairs = try pairs(mapping: mapping, after: last, limit: 1_000), let final = pairs.last {
            all += try present(pairs.map(\.destination))
            last = final
        }
        return all
    }

    /// The source objects that a destination came of, in the order of their keys.
    func sources(of destination: ObjectKey, mapping: Int) throws -> [ObjectKey] {
        try makeReverseIndexes()
        var found: [ObjectKey] = []
        let runs = try statement(
            """
            SELECT destination, count, sourceEntity, source FROM run
            WHERE mapping = ? AND destinationEntity = ? AND destination <= ? ORDER BY destination DESC LIMIT 1
            """)
        defer { runs.reset() }
        runs.bind(1, Int64(mapping))
        runs.bind(2, Int64(destination.layoutIndex))
        runs.bind(3, destination.key)
        if try runs.step(), case let distance = destination.key - runs.int64(0), distance < runs.int64(1) {
            found.append(runs.key(at: 2, plus: distance))
        }
        guard scattered.contains(mapping) else { return found }
        let query = try statement(
            """
            SELECT sourceEntity, source FROM association
            WHERE mapping = ? AND destinationEntity = ? AND destination = ? ORDER BY sourceEntity, source
            """)
        defer { query.reset() }
        query.bind(1, Int64(mapping))
        query.bind(2, Int64(destination.layoutIndex))
        query.bind(3, destination.key)
        found += try query.keys().filter { $0 != found.first }
        return found.sorted { ($0.layoutIndex, $0.key) < ($1.layoutIndex, $1.key) }
    }

    /// Made when first needed: most migrations never look this way.
    private func makeReverseIndexes() throws {
        guard !hasReverseIndexes else { return }
        try connection.interruptible(by: isCancelled) {
            try connection.execute(
                """
                CREATE INDEX runsByDestination ON run (mapping, destinationEntity, destination);
                CREATE INDEX associationsByDestination ON association (mapping, destinationEntity, destination)
                """)
        }
        hasReverseIndexes = true
    }

    // MARK: The second pass

    /// How many destination objects a mapping has made.
    func count(mapping: Int) throws -> Int {
        let query = try statement(
            """
            SELECT (SELECT TOTAL(count) FROM run WHERE mapping = ?1)
            + (SELECT COUNT(*) FROM association WHERE mapping = ?1 AND repeated = 0)
            """)
        defer { query.reset() }
        query.bind(1, Int64(mapping))
        return try query.step() ? Int(query.int64(0)) : 0
    }

    /// The next associations of a mapping in the order of their source keys; each destination object once, also those that
    /// are gone.
    func pairs(mapping: Int, after last: Pair?, limit: Int) throws -> [Pair] {
        var pairs = try pairsInRuns(mapping, after: last, limit)
        guard scattered.contains(mapping) else { return pairs }
        pairs += try scatteredPairs(mapping, after: last, limit)
        pairs.sort { $0.order < $1.order }
        if pairs.count > limit { pairs.removeLast(pairs.count - limit) }
        return pairs
    }

    private func pairsInRuns(_ mapping: Int, after last: Pair?, _ limit: Int) throws -> [Pair] {
        let query = try statement(
            """
            SELECT sourceEntity, source, destinationEntity, destination, count FROM run
            WHERE mapping = ? AND (sourceEntity, source) > (?, ?) ORDER BY sourceEntity, source
            """)
        defer { query.reset() }
        query.bind(1, Int64(mapping))
        query.bind(2, Int64(last?.source.layoutIndex ?? -1))
        query.bind(3, (last?.source.key ?? 0) - Self.longestRun)
        var pairs: [Pair] = []
        pairs.reserveCapacity(limit)
        while pairs.count < limit, try query.step() {
            for distance in 0..<query.int64(4) where pairs.count < limit {
                let pair = Pair(
                    source: query.key(at: 0, plus: distance), destination: query.key(at: 2, plus: distance))
                if let last, pair.order <= last.order { continue }
                pairs.append(pair)
            }
        }
        return pairs
    }

    private func scatteredPairs(_ mapping: Int, after last: Pair?, _ limit: Int) throws -> [Pair] {
        let query = try statement(
            """
            SELECT sourceEntity, source, destinationEntity, destination FROM association
            WHERE mapping = ? AND (sourceEntity, source, destinationEntity, destination) > (?, ?, ?, ?) AND repeated = 0
            ORDER BY sourceEntity, source, destinationEntity, destination LIMIT ?
            """)
        defer { query.reset() }
        query.bind(1, Int64(mapping))
        query.bind(2, Int64(last?.source.layoutIndex ?? -1))
        query.bind(3, last?.source.key ?? -1)
        query.bind(4, Int64(last?.destination.layoutIndex ?? -1))
        query.bind(5, last?.destination.key ?? -1)
        query.bind(6, Int64(limit))
        var pairs: [Pair] = []
        while try query.step() { pairs.append(Pair(source: query.key(at: 0), destination: query.key(at: 2))) }
        return pairs
    }
}

extension SQLiteStatement {
    /// The key in two columns, entity and key, or the one that comes so many after it.
    fileprivate func key(at column: Int, plus distance: Int64 = 0) -> ObjectKey {
        ObjectKey(layoutIndex: Int(int64(column)), key: int64(column + 1) + distance)
    }

    /// The keys in the first two columns of all rows.
    func keys() throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        while try step() { keys.append(key(at: 0)) }
        return keys
    }
}
