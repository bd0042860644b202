#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// Programs of both versions under load while rows are migrated, and the migrator is killed again and again. In the
/// long form there are a million rows and 50 kills, and stalls are measured.
@Suite(
    .serialized, .waiting,
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineLoadTests {
    private static let isLong = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil
    private static let (rows, kills) = isLong ? (1_000_000, 50) : (2_000, 1)

    enum Kind: String, CaseIterable {
        case renaming, mandatory, type, toMany, split

        var older: String {
            if self == .split { return SplitModel.older }
            let item = "entity Item\n  name string\n  count int16\n"
            return self == .toMany
                ? item + "  owner one Owner.items\nentity Owner\n  name string\n  items many Item.owner" : item
        }

        var newer: String {
            switch self {
            case .renaming: "entity Thing was Item\n  label string was name\n  total int16 was count"
            case .mandatory: "entity Item\n  name string\n  count int16\n  note string! = none"
            case .type: "entity Item\n  name string\n  count int64"
            case .toMany:
                "entity Item\n  name string\n  count int16\n  owners many Owner.items was owner\n"
                    + "entity Owner\n  name string\n  items many Item.owners"
            case .split: SplitModel.newer
            }
        }

        /// The writes of workers of the older version, and those of the newer one.
        var olderNames: String {
            switch self {
            case .renaming, .mandatory, .type: "Item,name,count"
            case .toMany: "Item,name,count,owner"
            case .split: "Person,name,visits,=street"
            }
        }
        var names: String {
            switch self {
            case .renaming: "Thing,label,total"
            case .mandatory, .type: olderNames
            case .toMany: "Item,name,count,owners"
            case .split: "Person,name,visits,=address.street"
            }
        }

        /// The arguments of a process that brings the store to the newer version.
        var migrating: [String] { self == .split ? ["split"] : ["migrate", older, newer] }

        /// Makes so many rows of the older version, as another program would.
        func insertion(_ rows: Int) -> String {
            let numbers = "FROM generate_series(1, \(rows)) n"
            return self == .split
                ? "INSERT INTO person (entity, version, name, visits, street, city) "
                    + "SELECT 'Person', 1, 'row ' || n, n % 100, 's' || n, 'c' \(numbers)"
                : "INSERT INTO item (entity, version, name, count) SELECT 'Item', 1, 'row ' || n, n % 100 \(numbers)"
        }

        /// The table whose rows are migrated, and a column of it that the newer version does not have.
        var table: String { self == .split ? "person" : "item" }
        var leftColumn: String? {
            switch self {
            case .renaming, .mandatory: nil
            case .type: "count"
            case .toMany: "owner_id"
            case .split: "street"
            }
        }

        /// Counts rows that are not as the newer version has them.
        var wrong: String? {
            switch self {
            case .renaming: nil
            case .mandatory: "SELECT count(*) FROM item WHERE note IS NULL"
            case .type: "SELECT count(*) FROM item WHERE count2 IS DISTINCT FROM count"
            case .toMany:
                "SELECT count(*) FROM item i LEFT JOIN item_owners p ON p.item_id = i.id AND p.owner_id = i.owner_id "
                    + "WHERE i.owner_id IS NOT NULL AND p.item_id IS NULL"
            case .split:
                // A person who was made in the newer version may have no address.
                "SELECT count(*) FROM person p LEFT JOIN address a ON a.id = p.address_id "
                    + "WHERE p.street IS DISTINCT FROM a.street OR (a.id IS NULL AND p.name LIKE 'row %') "
                    + "OR (a.id IS NOT NULL AND (p.city <> a.city OR a.person_id IS DISTINCT FROM p.id))"
            }
        }
    }

    private func fill(_ store: OnlineStore, _ kind: Kind) throws {
        try store.close(store.open(kind.older))
        let filled = store.database.psql(
            "SET session_replication_role = replica; \(kind.insertion(Self.rows))")
        #expect(filled != nil)
        if kind != .toMany { return }
        let owned = store.database.psql(
            "SET session_replication_role = replica; INSERT INTO owner (entity, version, name) "
                + "SELECT 'Owner', 1, 'owner ' || n FROM generate_series(1, 10) n; UPDATE item SET owner_id = "
                + "(SELECT min(id) FROM owner) WHERE count % 2 = 0")
        #expect(owned != nil)
    }

    @Test(
        "Programs of both versions see no error while rows are migrated and the migrator is killed",
        arguments: Sample.slice(Kind.allCases, oneIn: 5))
    func load(_ kind: Kind) throws {
        let store = try OnlineStore(kind.older, kind.newer)
        try fill(store, kind)
        var usual = 0
        if Self.isLong {
            var workers = OnlineWorkers(store.database.url, endingIn: store.database.folder.url)
            for number in 0..<2 { try workers.start(kind.older, kind.olderNames, "usual\(number)") }
            usleep(20_000_000)
            usual = try workers.end().longest
        }
        var workers = OnlineWorkers(store.database.url, endingIn: store.database.folder.url)
        for number in 0..<2 { try workers.start(kind.older, kind.olderNames, "older\(number)") }
        let arguments = [store.database.url.absoluteString] + kind.migrating
        var random = SplitMix(state: 11)
        var killed = 0
        while killed < Self.kills {
            let child = try ChildProgram("postgresql-child", arguments)
            usleep(UInt32.random(in: 100_000...(Self.isLong ? 3_000_000 : 400_000), using: &random))
            child.kill()
            _ = child.wait()
            killed += 1
        }
        #expect(try ChildProgram("postgresql-child", arguments).wait().output == "served\n")
        for number in 0..<2 { try workers.start(kind.newer, kind.names, "newer\(number)") }
        // In the short form their first rounds are enough, which have been awaited.
        if Self.isLong { usleep(20_000_000) }
        let result = try workers.end()
        #expect(result.complaints.isEmpty, "\(result.complaints)")
        #expect(result.rounds.count == 4 && result.rounds.allSatisfy { $0 > 0 })
        if Self.isLong {
            #expect(result.longest <= 2 * usual + 250, "\(result.longest) ms, without a migration \(usual) ms")
            print("\(kind): longest stall \(result.longest) ms, without a migration \(usual) ms")
        }
        if let wrong = kind.wrong { #expect(store.database.psql(wrong) == "0") }
        // Their leases last a minute; only then the last program of the older version counts as ended.
        #expect(store.database.psql("UPDATE coredata.leases SET until = now()") != nil)
        #expect(try store.end())
        if let left = kind.leftColumn { #expect(!store.columns(kind.table).contains(left)) }
    }
}
#endif
