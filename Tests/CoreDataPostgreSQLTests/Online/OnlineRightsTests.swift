#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineRightsTests {
    private static let older = "entity Item\n  name string\n  count int16"
    private static let newer = """
        entity Item
          name string
          count int64
          tags many Tag.items
        entity Tag
          name string
          items many Item.tags
        """

    private static func save(_ name: String, _ context: NSManagedObjectContext) throws {
        try context.performAndWait {
            context.make("Item", ["name": name, "count": 1])
            try context.save()
        }
    }

    @Test("Roles that read and write rows continue when the owner migrates, in both versions")
    func rights() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        let off: [AnyHashable: Any] = [NSPostgreSQLOnlineMigrationOption: false]
        let owner = try store.open(Self.older, off)
        try Self.save("owner", owner)
        let role = "app_\(UUID().uuidString.prefix(8).lowercased())"
        let granted = store.database.psql(
            """
            CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA coredata, public TO \(role);
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA coredata, public TO \(role);
            GRANT USAGE ON ALL SEQUENCES IN SCHEMA coredata, public TO \(role);
            """)
        try #require(granted != nil)
        defer { _ = store.database.psql("DROP OWNED BY \(role); DROP ROLE \(role)") }
        var app = store
        let url = store.url.absoluteString
        app.pooled = URL(string: url.replacingOccurrences(of: "user=postgres", with: "user=\(role)"))
        let running = try app.open(Self.older, off)
        try Self.save("running", running)
        // Nothing is made yet of what the option needs, and the role may not make it.
        let early = try app.open(Self.older)
        try Self.save("early", early)
        try store.close(owner)
        let newest = try store.open(Self.newer)
        for context in [running, early] { try Self.save("beside", context) }
        try Self.save("older", app.open(Self.older))
        let newer = try app.open(Self.newer)
        try newer.performAndWait {
            let tag = newer.make("Tag", ["name": "red"])
            newer.make("Item", ["name": "newer", "count": 7, "tags": NSSet(object: tag)])
            try newer.save()
        }
        let reading = try app.open(Self.older, [NSReadOnlyPersistentStoreOption: true])
        #expect(try OnlineStore.lines(reading, "Item", "name").count == 7)
        #expect(try OnlineStore.lines(newest, "Item", "name", "tags.@count").count == 7)
    }
}
#endif
