#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

// The limits of a store over existing tables, and the rights that it needs.
extension ExistingTablesTests {
    @Test("A save finds the change of a transaction that began before the one whose row was read")
    func olderTransaction() throws {
        try makeShop()
        let context = context(try coordinator())
        let older = try PostgreSQLConnection(#require(PostgreSQLAddress(url)))
        try older.execute("BEGIN; SELECT pg_current_xact_id()")
        #expect(psql("UPDATE people SET full_name = 'newer' WHERE person_no = 2") == "UPDATE 1")
        try context.performAndWait {
            let author = try #require(try context.all("Author", "name == 'newer'").first)
            try older.execute("UPDATE people SET full_name = 'older' WHERE person_no = 2; COMMIT")
            author.setValue("mine", forKey: "name")
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSManagedObjectMergeError)
        }
        #expect(psql("SELECT full_name FROM people WHERE person_no = 2") == "older")
    }

    @Test("A generation does not end when an existing table is written anew, and shows none of its rows")
    func generation() throws {
        try makeShop()
        let context = context(try coordinator())
        try context.performAndWait {
            try context.setQueryGenerationFrom(.current)
            #expect(try context.all("Tag").count == 1)
            #expect(psql("TRUNCATE tag CASCADE") != nil)
            #expect(try context.all("Tag").isEmpty)
        }
    }

    @Test("Neither a new version of the model nor a mapping model migrates existing tables")
    func newVersion() throws {
        try makeShop()
        _ = try coordinator()
        let newer = shop()
        newer.entitiesByName["Tag"]?.versionHashModifier = "2"
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: shop(), destinationModel: newer)
        var options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        for given in [nil, mapping] {
            options[NSMigrationMappingModelOption] = given
            let error = #expect(throws: NSError.self) { try coordinator(newer, options) }
            #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
            #expect(error?.localizedDescription.contains("no migration changes") == true, "\(error as Any)")
        }
    }

    @Test("Another role needs USAGE on the schema of the framework, and SELECT on its tables and views")
    func otherRole() throws {
        try makeShop()
        _ = try coordinator()
        let role = "app_\(UUID().uuidString.prefix(8).lowercased())"
        let made = psql(
            "CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA public, shop TO \(role); "
                + "GRANT SELECT ON ALL TABLES IN SCHEMA public, shop TO \(role)")
        try #require(made != nil)
        defer { _ = psql("DROP OWNED BY \(role); DROP ROLE \(role)") }
        let address = url.absoluteString.replacingOccurrences(of: "user=postgres", with: "user=\(role)")
        let other = try #require(URL(string: address))
        func opened() throws -> NSPersistentStoreCoordinator {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: shop())
            try coordinator.addPersistentStore(
                ofType: NSPostgreSQLStoreType, configurationName: nil, at: other,
                options: [NSPostgreSQLExistingTablesOption: true, NSReadOnlyPersistentStoreOption: true])
            return coordinator
        }
        for right in ["USAGE ON SCHEMA coredata", "SELECT ON ALL TABLES IN SCHEMA coredata"] {
            #expect(throws: NSError.self) { try opened() }
            #expect(psql("GRANT \(right) TO \(role)") != nil)
        }
        let context = context(try opened())
        let names = try context.performAndWait { try context.all("Tag").map { $0.text("name") } }
        #expect(names == ["classic"])
    }
}
#endif
