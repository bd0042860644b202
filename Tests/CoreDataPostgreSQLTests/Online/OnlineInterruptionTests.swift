#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineInterruptionTests {
    private static let older = """
        entity Alpha
          name string
          count int16
        entity Beta
          name string
          count int16
        """
    private static let newer = older.replacingOccurrences(of: "int16", with: "int64")

    private static func fill(_ context: NSManagedObjectContext, _ entities: String...) throws {
        try context.performAndWait {
            for entity in entities {
                for number in 0..<3 { context.make(entity, ["name": "\(entity) \(number)", "count": number]) }
            }
            try context.save()
        }
    }

    /// Has a migration fail where it moves the rows of a table, as a lost connection would have it.
    private static func stop(movingOf table: String, in store: OnlineStore) throws {
        try #require(
            store.database.psql(
                """
                CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF current_setting('coredata.moving', true) = 'on' THEN RAISE 'stopped' USING ERRCODE = 'XX001';
                END IF; RETURN NEW; END $$;
                CREATE TRIGGER stop BEFORE UPDATE ON \(table) FOR EACH ROW EXECUTE FUNCTION stop()
                """) != nil)
    }

    private static func goOn(movingOf table: String, in store: OnlineStore) throws {
        try #require(store.database.psql("DROP TRIGGER stop ON \(table); DROP FUNCTION stop()") != nil)
    }

    @Test("A migration that was half taken back begins anew: no row keeps values moved before, or none")
    func halfTakenBack() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        let older = try store.open(Self.older)
        try Self.fill(older, "Alpha", "Beta")
        try Self.stop(movingOf: "beta", in: store)
        #expect(throws: NSError.self) { _ = try store.open(Self.newer) }
        try Self.goOn(movingOf: "beta", in: store)
        let moved = "SELECT count(*) FROM coredata.moves WHERE position = bound AND \"table\" = 'alpha'"
        #expect(store.database.psql(moved) == "1")
        // A migration to another version replaces the unfinished one, and cannot remove all that was done.
        #expect(store.database.psql("CREATE VIEW held AS SELECT count2 FROM beta") != nil)
        var other = store
        other.newer = Self.older + "\n  extra string"
        #expect(throws: NSError.self) { _ = try other.open(other.newer) }
        #expect(!store.columns("alpha").contains("count2"))
        try Self.fill(older, "Alpha")
        #expect(store.database.psql("DROP VIEW held") != nil)
        let newer = try store.open(Self.newer)
        let lines = ["Alpha 0 0", "Alpha 0 0", "Alpha 1 1", "Alpha 1 1", "Alpha 2 2", "Alpha 2 2"]
        #expect(try OnlineStore.lines(newer, "Alpha", "name", "count") == lines)
        #expect(try OnlineStore.lines(newer, "Beta", "name", "count") == ["Beta 0 0", "Beta 1 1", "Beta 2 2"])
        try store.close(older)
        #expect(try store.end())
        #expect(try OnlineStore.lines(newer, "Alpha", "name", "count") == lines)
    }

    @Test("An unfinished migration is taken back when the same model comes with other renaming identifiers")
    func otherRenamingIdentifiers() throws {
        let first = """
            entity First
              name string
              count int16
            entity Beta
              label string
              count int64
            """
        let second = first.replacingOccurrences(of: "entity First", with: "entity First was Alpha")
            .replacingOccurrences(of: "label string", with: "label string was name")
        let hashes = [first, second].map { ModelText.model($0).entityVersionHashesByName }
        #expect(hashes[0] == hashes[1])
        var store = try OnlineStore(Self.older, first)
        let older = try store.open(Self.older)
        try Self.fill(older, "Alpha", "Beta")
        try Self.stop(movingOf: "beta", in: store)
        #expect(throws: NSError.self) { _ = try store.open(first) }
        try Self.goOn(movingOf: "beta", in: store)
        store.newer = second
        let newer = try store.open(second)
        func expectAll() throws {
            #expect(try OnlineStore.lines(newer, "First", "name") == ["Alpha 0", "Alpha 1", "Alpha 2"])
            #expect(try OnlineStore.lines(newer, "Beta", "label", "count") == ["Beta 0 0", "Beta 1 1", "Beta 2 2"])
        }
        try expectAll()
        try store.close(older)
        #expect(try store.end())
        try expectAll()
    }

    /// Is cancelled as soon as rows have been moved.
    private final class CancelledProgress: Progress, @unchecked Sendable {
        override var completedUnitCount: Int64 {
            get { super.completedUnitCount }
            set {
                super.completedUnitCount = newValue
                if newValue > 0 { cancel() }
            }
        }
    }

    @Test("The error of a migration that is cancelled half-way names its half, and how that is removed or resumed")
    func cancelledHalf() throws {
        let store = try OnlineStore(Self.newer, Self.older)
        let older = try store.open(Self.newer)
        try Self.fill(older, "Alpha", "Beta")
        let progress = CancelledProgress(totalUnitCount: 1)
        let error = try #require(throws: NSError.self) {
            _ = try store.open(Self.older, [NSMigrationProgressOption: progress])
        }
        #expect(error.code == NSMigrationCancelledError, "\(error)")
        #expect(error.localizedDescription.contains("endOlderPostgreSQLVersions"), "\(error)")
        #expect(!error.localizedDescription.contains("unchanged"), "\(error)")
        func saves(_ value: Int) -> Bool {
            older.performAndWait {
                older.make("Alpha", ["name": "large", "count": value])
                defer { older.rollback() }
                return (try? older.save()) != nil
            }
        }
        #expect(!saves(100_000))
        #expect(try store.end())
        #expect(store.columns("alpha") == ["count", "entity", "id", "name", "version"])
        #expect(store.database.psql("SELECT count(*) FROM pg_trigger WHERE tgname = 'coredata_step'") == "0")
        #expect(saves(100_000))
    }
}
#endif
