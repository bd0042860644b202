import CSQLite
import Foundation

/// Which destination objects came of which source objects, and which of them are not valid yet: kept on disk, so that memory
/// does not grow with the store.
///
/// A temporary SQLite file that one migration uses alone: one transaction that is never committed, unless another process shall
/// be able to go on with it. What was associated since the last save is in memory, because the new objects have no permanent
/// keys yet. For the thread of the migration.
final class MigrationAssociations {
    struct Source: Hashable {
        var mapping: Int
        var key: ObjectKey
    }

    /// An association since the last save.
    struct Pending {
        var source: Source
        var sourceObject: NSManagedObject
        var destination: NSManagedObject
        /// Whether the destination object has been associated in this mapping before.
        var isRepeated: Bool
        /// The places of the ones before of the same source, and of the same destination; -1 for none.
        fileprivate var previousOfSource: Int
        fileprivate var previousOfDestination: Int
    }

    /// An association as the second pass reads it.
    struct Pair {
        var source: ObjectKey
        var destination: ObjectKey
    }

    private let url: URL
    private let connection: SQLiteConnection
    private let isCancelled: () -> Bool
    private(set) var pending: [Pending] = []
    /// The last places in `pending`.
    private var lastOfSource: [Source: Int] = [:]
    private var lastOfDestination: [ObjectIdentifier: Int] = [:]
    /// The highest source keys in the file, by mapping: sources come in the order of their keys, so that most of the time
    /// nothing has to be looked for.
    private var highestSaved: [Int: Int64] = [:]
    private var hasReverseIndex = false

    /// Whether another process can go on with the file: what is in it at each `keep(_:)` stays.
    let isKept: Bool

    /// Makes the file. `isCancelled` is asked while a long statement runs.
    init(at url: URL, isKept: Bool = false, isCancelled: @escaping () -> Bool) throws {
        self.url = url
        self.isKept = isKept
        self.isCancelled = isCancelled
        connection = try SQLiteConnection(path: url.path, access: .create, busyTimeout: 0)
        try connection.execute(Self.pragmas(isKept))
        try connection.execute(
            """
            BEGIN;
            CREATE TABLE association (mapping INTEGER, sourceEntity INTEGER, source INTEGER, destinationEntity INTEGER,
            destination INTEGER, repeated INTEGER,
            PRIMARY KEY (mapping, sourceEntity, source, destinationEntity, destination)) WITHOUT ROWID;
            CREATE TABLE invalid (entity INTEGER, destination INTEGER, PRIMARY KEY (entity, destination)) WITHOUT ROWID;
            CREATE TABLE position (id INTEGER PRIMARY KEY, value BLOB);
            """)
    }

    /// Opens the file of a killed process. The second value says how far that was; nil when it cannot be gone on with.
    static func reopen(
        at url: URL, isCancelled: @escaping () -> Bool
    ) -> (associations: MigrationAssociations, position: MappedPosition)? {
        guard FileManager.default.fileExists(atPath: url.path),
            let connection = try? SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 0),
            (try? connection.execute(pragmas(true))) != nil,
            let query = try? connection.prepare("SELECT CAST(value AS TEXT) FROM position"),
            (try? query.step()) == true,
            let position = try? JSONDecoder().decode(MappedPosition.self, from: Data(query.string(0).utf8)),
            position.boot == MappedPosition.thisBoot
        else { return nil }
        query.reset()
        guard let associations = try? MigrationAssociations(url, connection, isCancelled) else { return nil }
        return (associations, position)
    }

    private init(_ url: URL, _ connection: SQLiteConnection, _ isCancelled: @escaping () -> Bool) throws {
        self.url = url
        self.connection = connection
        self.isCancelled = isCancelled
        isKept = true
        let highest = try connection.prepare("SELECT mapping, MAX(source) FROM association GROUP BY mapping")
        while try highest.step() { highestSaved[Int(highest.int64(0))] = highest.int64(1) }
        highest.reset()
        hasReverseIndex = try connection.integer("SELECT COUNT(*) FROM sqlite_master WHERE name = 'reverse'") == 1
        knowsInvalid = try connection.integer("SELECT COUNT(*) FROM (SELECT 1 FROM invalid LIMIT 1)") == 1
        try connection.execute("BEGIN")
    }

    /// A kept file survives the end of the process at any moment; that of the machine makes it void.
    private static func pragmas(_ isKept: Bool) -> String {
        """
        PRAGMA journal_mode = \(isKept ? "TRUNCATE" : "OFF"); PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
        PRAGMA cache_size = -8192; PRAGMA temp_store = FILE
        """
    }

    /// Keeps everything that is known by now, and how far the migration is.
    func keep(_ position: MappedPosition) throws {
        let insertion = try statement("INSERT OR REPLACE INTO position VALUES (1, ?)")
        insertion.bind(1, try JSONEncoder().encode(position))
        try insertion.run()
        insertion.reset()
        try connection.execute("COMMIT; BEGIN")
    }

    /// Removes the file.
    deinit {
        connection.finalizeStatements()
        for suffix in ["", "-journal"] { unlink(url.path + suffix) }
    }

    private func statement(_ sql: String) throws -> SQLiteStatement {
        try connection.statement(.text(sql)) { sql }
    }

    // MARK: Associating

    func associate(_ source: NSManagedObject, with destination: NSManagedObject, mapping: Int) {
        let place = Source(mapping: mapping, key: source.objectKey)
        let identity = ObjectIdentifier(destination)
        let earlier = lastOfDestination[identity]
        var isRepeated = false
        for entry in chain(from: earlier, .destination) {
            if entry.source == place { return }
            isRepeated = isRepeated || entry.source.mapping == mapping
        }
        if !isRepeated, !destination.objectKey.isTemporary {
            isRepeated = !sources(of: destination.objectKey, mapping: mapping).isEmpty
        }
        let number = pending.count
        pending.append(
            Pending(
                source: place, sourceObject: source, destination: destination, isRepeated: isRepeated,
                previousOfSource: lastOfSource.updateValue(number, forKey: place) ?? -1,
                previousOfDestination: earlier ?? -1))
        lastOfDestination[identity] = number
    }

    private enum Chain { case source, destination }

    /// The associations since the last save, from the last one of a source or a destination to the first.
    private func chain(from last: Int?, _ chain: Chain) -> [Pending] {
        var found: [Pending] = []
        var place = last ?? -1
        while place >= 0 {
            found.append(pending[place])
            place = chain == .source ? pending[place].previousOfSource : pending[place].previousOfDestination
        }
        return found
    }

    /// Whether an object was associated in a mapping since the last save.
    func isPending(_ destination: NSManagedObject, mapping: Int?) -> Bool {
        chain(from: lastOfDestination[ObjectIdentifier(destination)], .destination)
            .contains { $0.source.mapping == mapping }
    }

    var hasPending: Bool { !pending.isEmpty }

    /// Writes what was associated since; the objects have been saved, or were thrown away by who made them.
    func flush() throws {
        guard !pending.isEmpty else { return }
        let insertion = try statement("INSERT OR IGNORE INTO association VALUES (?, ?, ?, ?, ?, ?)")
        for entry in pending where !entry.destination.objectKey.isTemporary {
            let destination = entry.destination.objectKey
            insertion.bind(1, Int64(entry.source.mapping))
            insertion.bind(2, Int64(entry.source.key.layoutIndex))
            insertion.bind(3, entry.source.key.key)
            insertion.bind(4, Int64(destination.layoutIndex))
            insertion.bind(5, destination.key)
            insertion.bind(6, Int64(entry.isRepeated ? 1 : 0))
            try insertion.run()
            insertion.reset()
            let mapping = entry.source.mapping
            highestSaved[mapping] = max(highestSaved[mapping] ?? .min, entry.source.key.key)
        }
        pending.removeAll(keepingCapacity: true)
        lastOfSource.removeAll(keepingCapacity: true)
        lastOfDestination.removeAll(keepingCapacity: true)
    }

    // MARK: Looking up

    /// What came of a source object by one mapping: objects that are not saved yet, and the keys of others.
    func destinations(of source: ObjectKey, mapping: Int) throws -> (new: [NSManagedObject], saved: [ObjectKey]) {
        var new: [NSManagedObject] = []
        if !pending.isEmpty {
            new = chain(from: lastOfSource[Source(mapping: mapping, key: source)], .source).reversed().map(
                \.destination)
        }
        guard let highest = highestSaved[mapping], source.key <= highest else { return (new, []) }
        let query = try statement(
            "SELECT destinationEntity, destination FROM association WHERE mapping = ? AND sourceEntity = ? AND source = ?"
        )
        defer { query.reset() }
        query.bind(1, Int64(mapping))
        query.bind(2, Int64(source.layoutIndex))
        query.bind(3, source.key)
        var saved: [ObjectKey] = []
        while try query.step() {
            saved.append(ObjectKey(layoutIndex: Int(query.int64(0)), key: query.int64(1)))
        }
        return (new, saved)
    }

    /// Everything a mapping has made so far.
    func allDestinations(mapping: Int) throws -> (new: [NSManagedObject], saved: [ObjectKey]) {
        let query = try statement(
            "SELECT destinationEntity, destination FROM association WHERE mapping = ? AND repeated = 0")
        defer { query.reset() }
        query.bind(1, Int64(mapping))
        var saved: [ObjectKey] = []
        while try query.step() {
            saved.append(ObjectKey(layoutIndex: Int(query.int64(0)), key: query.int64(1)))
        }
        return (pending.filter { $0.source.mapping == mapping && !$0.isRepeated }.map(\.destination), saved)
    }

    /// The source objects that a new object came of.
    func sources(of destination: NSManagedObject, mapping: Int) -> [ObjectKey] {
        let new = chain(from: lastOfDestination[ObjectIdentifier(destination)], .destination).reversed()
            .filter { $0.source.mapping == mapping }.map(\.source.key)
        if destination.objectKey.isTemporary { return new }
        return new + sources(of: destination.objectKey, mapping: mapping).filter { !new.contains($0) }
    }

    private func sources(of destination: ObjectKey, mapping: Int) -> [ObjectKey] {
        (try? storedSources(of: destination, mapping: mapping)) ?? []
    }

    private func storedSources(of destination: ObjectKey, mapping: Int) throws -> [ObjectKey] {
        try makeReverseIndex()
        let query = try statement(
            """
            SELECT sourceEntity, source FROM association
            WHERE destinationEntity = ? AND destination = ? AND mapping = ? ORDER BY sourceEntity, source
            """)
        defer { query.reset() }
        query.bind(1, Int64(destination.layoutIndex))
        query.bind(2, destination.key)
        query.bind(3, Int64(mapping))
        var keys: [ObjectKey] = []
        while try query.step() { keys.append(ObjectKey(layoutIndex: Int(query.int64(0)), key: query.int64(1))) }
        return keys
    }

    /// Made when first needed: most migrations never look this way.
    private func makeReverseIndex() throws {
        guard !hasReverseIndex else { return }
        let check = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            connection.handle, 10_000,
            { pointer in
                guard let pointer else { return 0 }
                return Unmanaged<MigrationAssociations>.fromOpaque(pointer).takeUnretainedValue().isCancelled() ? 1 : 0
            }, check)
        defer { sqlite3_progress_handler(connection.handle, 0, nil, nil) }
        try connection.execute("CREATE INDEX reverse ON association (destinationEntity, destination, mapping)")
        hasReverseIndex = true
    }

    // MARK: The second pass

    func count(mapping: Int) throws -> Int {
        let query = try statement("SELECT COUNT(*) FROM association WHERE mapping = ? AND repeated = 0")
        defer { query.reset() }
        query.bind(1, Int64(mapping))
        return try query.step() ? Int(query.int64(0)) : 0
    }

    /// The next associations of a mapping in the order of their source keys; each destination object once.
    func pairs(mapping: Int, after last: Pair?, limit: Int) throws -> [Pair] {
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
        pairs.reserveCapacity(limit)
        while try query.step() {
            pairs.append(
                Pair(
                    source: ObjectKey(layoutIndex: Int(query.int64(0)), key: query.int64(1)),
                    destination: ObjectKey(layoutIndex: Int(query.int64(2)), key: query.int64(3))))
        }
        return pairs
    }

    // MARK: Objects that are not valid yet

    private var knowsInvalid = false

    /// Takes note of which of the objects that were just saved were valid.
    func note(valid: [ObjectKey], invalid: [ObjectKey]) throws {
        if !invalid.isEmpty {
            knowsInvalid = true
            let insertion = try statement("INSERT OR IGNORE INTO invalid VALUES (?, ?)")
            for key in invalid { try run(insertion, key) }
        }
        guard knowsInvalid, !valid.isEmpty else { return }
        let deletion = try statement("DELETE FROM invalid WHERE entity = ? AND destination = ?")
        for key in valid { try run(deletion, key) }
    }

    private func run(_ statement: SQLiteStatement, _ key: ObjectKey) throws {
        statement.bind(1, Int64(key.layoutIndex))
        statement.bind(2, key.key)
        try statement.run()
        statement.reset()
    }

    func invalid(limit: Int) throws -> [ObjectKey] {
        guard knowsInvalid else { return [] }
        let query = try statement("SELECT entity, destination FROM invalid LIMIT ?")
        defer { query.reset() }
        query.bind(1, Int64(limit))
        var keys: [ObjectKey] = []
        while try query.step() { keys.append(ObjectKey(layoutIndex: Int(query.int64(0)), key: query.int64(1))) }
        return keys
    }
}
