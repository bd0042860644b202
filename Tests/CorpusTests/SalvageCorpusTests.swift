import CoreData
import Foundation
import TestSupport
import Testing

/// Damaged copies of real stores, beside what SQLite's own shell recovers of them.
@Suite("Salvage of damaged copies of real stores", .enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct SalvageCorpusTests {
    private static let copies = SplitMix.seeds(16, long: 504).count

    /// A shell whose `.recover` works: Debian's has no table of pages.
    private static let shell: URL? = {
        let environment = ProcessInfo.processInfo.environment
        let given = environment["OPENCOREDATA_RECOVER_SHELL"].map { [$0] }
        let found = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/sqlite3" }
        return (given ?? found).map { URL(fileURLWithPath: $0) }.first { shell in
            guard FileManager.default.isExecutableFile(atPath: shell.path) else { return false }
            return (try? ToolRun([":memory:", ".recover --ignore-freelist"], program: shell))?.errors.isEmpty ?? false
        }
    }()

    private static let absence: Comment =
        "no sqlite3 shell whose .recover works (OPENCOREDATA_RECOVER_SHELL: one made with SQLITE_ENABLE_DBPAGE_VTAB)"

    /// A store some of whose rows were deleted, as one file.
    private struct Original {
        let path: String
        let model: NSManagedObjectModel
        let file: Data
        /// The keys of the rows that are there, and of those that were deleted, by table.
        let present: [String: Set<Int64>]
        /// The numbers of the entities of the rows.
        let entities: [String: Set<Int64>]
        let deleted: [String: [Int64: Row]]
    }

    /// The values of a row, by columns. The number that another store gives the entity says nothing.
    private typealias Row = [String: RawDatabase.Value]

    private static func row(_ database: RawDatabase, _ table: String, _ key: Int64) throws -> Row {
        let columns = try database.columns(of: table)
        let values = try database.rows("SELECT * FROM \(table) WHERE Z_PK = \(key)").first ?? []
        return Dictionary(zip(columns, values)) { first, _ in first }.filter {
            !["Z_PK", "Z_ENT", "Z_OPT"].contains($0.key) && !$0.value.isNull
        }
    }

    /// Whether a row is another one, as far as it was brought out: one of whose values those are that are there. A row
    /// whose number was damaged has its own values under a number that another one had.
    private static func isSame(_ row: Row, as other: Row) -> Bool {
        row.allSatisfy { other[$0.key] == $0.value || other[$0.key] == nil }
            && row.contains { other[$0.key] == $0.value }
    }

    private static func tables(of model: NSManagedObjectModel) -> [String] {
        model.entities.filter { $0.superentity == nil }.map { "Z" + ($0.name ?? "").uppercased() }.sorted()
    }

    private static func keys(_ database: RawDatabase, _ table: String) throws -> Set<Int64> {
        guard database.tables.contains(table) else { return [] }
        return Set(try database.column("SELECT Z_PK FROM \(table)").compactMap(\.int))
    }

    /// Deletes rows without overwriting them, one here and there and many behind each other.
    private static func original(_ store: CorpusStore, _ random: inout SplitMix) throws -> Original? {
        try store.withCopy { url in
            var present: [String: Set<Int64>] = [:]
            var deleted: [String: [Int64: Row]] = [:]
            var entities: [String: Set<Int64>] = [:]
            do {
                let database = try RawDatabase(url)
                try database.execute("PRAGMA secure_delete = OFF; PRAGMA wal_checkpoint(TRUNCATE)")
                // Apple's triggers call functions that only its framework has.
                for case .text(let name) in try database.column("SELECT name FROM sqlite_master WHERE type = 'trigger'")
                {
                    try database.execute("DROP TRIGGER \"\(name)\"")
                }
                for table in tables(of: store.model) {
                    let keys = try keys(database, table).sorted()
                    if !keys.isEmpty {
                        entities[table] = Set(
                            try database.column("SELECT DISTINCT Z_ENT FROM \(table)").compactMap(\.int))
                    }
                    guard keys.count > 3 else {
                        present[table] = Set(keys)
                        continue
                    }
                    let start = Int.random(in: 0..<keys.count, using: &random)
                    let many = keys[start..<min(keys.count, start + keys.count / 4)]
                    let gone = Set(many).union(keys.filter { _ in Int.random(in: 0..<8, using: &random) == 0 })
                    deleted[table] = try gone.reduce(into: [:]) { $0[$1] = try row(database, table, $1) }
                    for key in gone.sorted() { try database.execute("DELETE FROM \(table) WHERE Z_PK = \(key)") }
                    present[table] = Set(keys).subtracting(gone)
                }
                try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            }
            let file = try Data(contentsOf: url)
            guard present.values.reduce(0, { $0 + $1.count }) > 10 else { return nil }
            return Original(
                path: store.path, model: store.model, file: file, present: present,
                entities: entities, deleted: deleted)
        }
    }

    /// What came out of the copies.
    private struct Tally {
        var copies = 0
        var ours = 0
        var theirs = 0
        var all = 0
        var more = 0
    }

    @Test(
        "No fewer rows than .recover brings out, and none that was deleted",
        .enabled(if: shell != nil, absence))
    func besideRecover() throws {
        let shell = try #require(Self.shell)
        var random = SplitMix(state: 4711)
        let stores = CorpusStore.all.filter { FileKindSize.of(Corpus.url($0.path)) < 6_000_000 }
        let originals = try stores.compactMap { try Self.original($0, &random) }
        #expect(originals.count > 20)
        var tallies: [FileDamage: Tally] = [:]
        for number in 0..<Self.copies {
            let damage = FileDamage.allCases[number % FileDamage.allCases.count]
            let original = originals[Int.random(in: 0..<originals.count, using: &random)]
            let bytes = damage.applied(to: original.file, &random)
            try withTemporaryFolder { folder in
                let note: Comment = "copy \(number), \(damage), \(original.path)"
                let hurt = folder.appendingPathComponent("Hurt.sqlite")
                try bytes.write(to: hurt)
                let theirs = try Self.recovered(hurt, original.entities, by: shell, in: folder)
                #expect(try Data(contentsOf: hurt) == bytes, note)
                let new = folder.appendingPathComponent("New.sqlite")
                do {
                    _ = try NSPersistentStoreCoordinator.salvage(storeAt: hurt, into: new, model: original.model)
                } catch {
                    Issue.record(error, note)
                    return
                }
                #expect(try Data(contentsOf: hurt) == bytes, note)
                let database = try RawDatabase(new)
                #expect(try database.integrityCheck() == ["ok"], note)
                var tally = tallies[damage] ?? Tally()
                tally.copies += 1
                for (table, present) in original.present {
                    let own = try Self.keys(database, table)
                    let other = theirs[table] ?? []
                    let back = try (original.deleted[table] ?? [:]).filter { key, row in
                        guard own.contains(key) else { return false }
                        return Self.isSame(try Self.row(database, table, key), as: row)
                    }.keys
                    #expect(back.isEmpty, "\(note): \(table) has \(back.sorted().prefix(10)) again")
                    let missing = other.intersection(present).subtracting(own)
                    #expect(missing.isEmpty, "\(note): \(table) lacks \(missing.sorted().prefix(10))")
                    tally.all += present.count
                    tally.ours += own.intersection(present).count
                    tally.theirs += other.intersection(present).count
                    tally.more += own.subtracting(present).count
                }
                tallies[damage] = tally
            }
        }
        for (damage, tally) in tallies.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            print("salvage \(damage): \(tally)")
        }
        let total = tallies.values.reduce((0, 0)) { ($0.0 + $1.ours, $0.1 + $1.theirs) }
        print("salvage: \(total.0) rows, .recover: \(total.1) rows, \(Self.copies) copies")
        #expect(total.0 > total.1)
    }

    /// The keys of the rows that the shell recovers, by table, of those whose entity is one of the table's.
    private static func recovered(
        _ url: URL, _ entities: [String: Set<Int64>], by shell: URL, in folder: URL
    ) throws -> [String: Set<Int64>] {
        let copy = folder.appendingPathComponent("Copy.sqlite")
        try FileManager.default.copyItem(at: url, to: copy)
        let result = folder.appendingPathComponent("Recovered.sqlite")
        let recover = "\"$0\" \"$1\" '.recover --ignore-freelist' 2>/dev/null | \"$0\" \"$2\""
        _ = try ToolRun(
            ["-c", recover, shell.path, copy.path, result.path], program: URL(fileURLWithPath: "/bin/sh"))
        guard FileManager.default.fileExists(atPath: result.path) else { return [:] }
        let database = try RawDatabase(result)
        var keys: [String: Set<Int64>] = [:]
        for table in database.tables {
            guard let columns = try? database.columns(of: table), columns.contains("Z_PK"), columns.contains("Z_ENT")
            else { continue }
            let found = try database.rows("SELECT Z_PK, Z_ENT FROM \"\(table)\"")
            keys[table] = Set(
                found.compactMap { row in
                    row[1].int.flatMap { entities[table]?.contains($0) ?? false ? row[0].int : nil }
                })
        }
        return keys
    }
}

private enum FileKindSize {
    static func of(_ url: URL) -> Int {
        ((try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? NSNumber)?.intValue ?? .max
    }
}
