import CoreData
import Foundation
import TestSupport
import Testing

/// Damaged copies of real stores, beside what SQLite's own shell recovers of them.
@Suite("Salvage of damaged copies of real stores", .enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct SalvageCorpusTests {
    private static let copies = Sample.isWhole ? 504 : 6

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

    /// The values of a row, by columns. The numbers that another store gives have no meaning.
    private typealias Row = [String: RawDatabase.Value]
    /// The rows of tables, by their keys.
    private typealias Rows = [String: [Int64: Row]]

    /// A store some of whose rows were deleted, as one file.
    private struct Original {
        let path: String
        let model: NSManagedObjectModel
        let file: Data
        let present: Rows
        let deleted: Rows
        /// The numbers of the entities of the rows.
        let entities: [String: Set<Int64>]
    }

    /// The rows of a table, of some entities.
    private static func rows(
        _ database: RawDatabase, _ table: String, of entities: Set<Int64>? = nil
    ) throws -> [Int64: Row] {
        let columns = try database.columns(of: table)
        guard let key = columns.firstIndex(of: "Z_PK"), let entity = columns.firstIndex(of: "Z_ENT") else { return [:] }
        var rows: [Int64: Row] = [:]
        for values in try database.rows("SELECT * FROM \"\(table)\"") {
            guard let number = values[key].int else { continue }
            if let entities, !(values[entity].int.map(entities.contains) ?? false) { continue }
            rows[number] = Dictionary(zip(columns, values)) { first, _ in first }.filter {
                !["Z_PK", "Z_ENT", "Z_OPT"].contains($0.key) && !$0.value.isNull
            }
        }
        return rows
    }

    /// The rows that were brought out with a value of theirs, where they have any. Other rows may stand under their
    /// numbers.
    private static func broughtOut(_ present: [Int64: Row], in found: [Int64: Row]) -> Set<Int64> {
        Set(
            present.filter { key, row in
                found[key].map { other in row.isEmpty || row.contains { other[$0.key] == $0.value } } ?? false
            }.keys)
    }

    /// The rows that are there again: with nothing but values of theirs. A row whose number was damaged has its own
    /// values under a number that another one had.
    private static func back(_ deleted: [Int64: Row], in found: [Int64: Row]) -> Set<Int64> {
        Set(
            deleted.filter { key, row in
                found[key].map { other in !other.isEmpty && other.allSatisfy { row[$0.key] == $0.value } } ?? false
            }.keys)
    }

    private static func tables(of model: NSManagedObjectModel) -> [String] {
        model.entities.filter { $0.superentity == nil }.map { "Z" + ($0.name ?? "").uppercased() }.sorted()
    }

    /// Deletes rows without overwriting them, one here and there and many behind each other.
    private static func original(_ store: CorpusStore, _ random: inout SplitMix) throws -> Original? {
        try store.withCopy { url in
            var (present, deleted): (Rows, Rows) = ([:], [:])
            var entities: [String: Set<Int64>] = [:]
            do {
                let database = try RawDatabase(url)
                try database.execute("PRAGMA secure_delete = OFF; PRAGMA wal_checkpoint(TRUNCATE)")
                // Apple's triggers call functions that only its framework has.
                for case .text(let name) in try database.column("SELECT name FROM sqlite_master WHERE type = 'trigger'")
                {
                    try database.execute("DROP TRIGGER \"\(name)\"")
                }
                for table in tables(of: store.model) where database.tables.contains(table) {
                    let rows = try rows(database, table)
                    let keys = rows.keys.sorted()
                    entities[table] = Set(
                        try database.column("SELECT DISTINCT Z_ENT FROM \(table)").compactMap(\.int))
                    var gone: Set<Int64> = []
                    if keys.count > 3 {
                        let start = Int.random(in: 0..<keys.count, using: &random)
                        gone = Set(keys[start..<min(keys.count, start + keys.count / 4)])
                        gone.formUnion(keys.filter { _ in Int.random(in: 0..<8, using: &random) == 0 })
                    }
                    for key in gone.sorted() { try database.execute("DELETE FROM \(table) WHERE Z_PK = \(key)") }
                    deleted[table] = rows.filter { gone.contains($0.key) }
                    present[table] = rows.filter { !gone.contains($0.key) }
                }
                try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            }
            let file = try Data(contentsOf: url)
            guard present.values.reduce(0, { $0 + $1.count }) > 10 else { return nil }
            return Original(
                path: store.path, model: store.model, file: file, present: present, deleted: deleted,
                entities: entities)
        }
    }

    /// The rows that came out of the copies.
    private struct Tally {
        var copies = 0
        var ours = 0
        var theirs = 0
        var all = 0
    }

    @Test(
        "No fewer rows than .recover brings out, and none that was deleted",
        .enabled(if: shell != nil, absence))
    func besideRecover() throws {
        let shell = try #require(Self.shell)
        let seed = ProcessInfo.processInfo.environment["OPENCOREDATA_SALVAGE_SEED"].flatMap { UInt64($0) } ?? 4711
        var random = SplitMix(state: seed)
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
                let theirs = try Self.recovered(hurt, of: original, by: shell, in: folder)
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
                    let found = try Self.rows(database, table)
                    let own = Set(present.keys).intersection(found.keys)
                    let other = Set(present.keys).intersection(theirs[table]?.keys.map { $0 } ?? [])
                    let back = Self.back(original.deleted[table] ?? [:], in: found)
                    #expect(back.isEmpty, "\(note): \(table) has \(back.sorted().prefix(10)) again")
                    let missing = Self.broughtOut(present, in: theirs[table] ?? [:]).subtracting(own)
                    #expect(missing.isEmpty, "\(note): \(table) lacks \(missing.sorted().prefix(10))")
                    tally.all += present.count
                    tally.ours += own.count
                    tally.theirs += other.count
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

    /// The rows that the shell recovers, of those whose entity is one of the table's.
    private static func recovered(_ url: URL, of original: Original, by shell: URL, in folder: URL) throws -> Rows {
        let copy = folder.appendingPathComponent("Copy.sqlite")
        try FileManager.default.copyItem(at: url, to: copy)
        let result = folder.appendingPathComponent("Recovered.sqlite")
        let recover = "\"$0\" \"$1\" '.recover --ignore-freelist' 2>/dev/null | \"$0\" \"$2\""
        _ = try ToolRun(
            ["-c", recover, shell.path, copy.path, result.path], program: URL(fileURLWithPath: "/bin/sh"))
        guard FileManager.default.fileExists(atPath: result.path) else { return [:] }
        let database = try RawDatabase(result)
        var rows: Rows = [:]
        for table in original.present.keys where database.tables.contains(table) {
            rows[table] = try? Self.rows(database, table, of: original.entities[table])
        }
        return rows
    }
}

private enum FileKindSize {
    static func of(_ url: URL) -> Int {
        ((try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? NSNumber)?.intValue ?? .max
    }
}
