#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLCutTests {
    @Test(
        "A save whose connection is cut at any of its messages takes place once, and succeeds",
        arguments: Sample.slice([false, true], oneIn: 2, "cut"))
    func everyMessage(forwards: Bool) throws {
        let server = try PostgreSQLServer.shared.get()
        let database = "cut-\(UUID().uuidString)".lowercased()
        let proxy = try PostgreSQLProxy(server)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: proxy.url(ofDatabase: database),
            options: [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        var cuts = 0
        try context.performAndWait {
            context.persistentStoreCoordinator = coordinator
            let counter = context.make("Book", ["title": "counter", "pages": 0])
            try context.save()
            repeat {
                counter.setValue(cuts + 1, forKey: "pages")
                let author = context.make("Author", ["name": "author \(cuts)"])
                let tag = context.make("Tag", ["name": "tag \(cuts)"])
                context.make("Novel", ["title": "novel \(cuts)", "author": author, "tags": NSSet(object: tag)])
                proxy.cut(after: cuts, forwards: forwards)
                try context.save()
                cuts += 1
            } while proxy.disarm()
        }
        // Messages of a whole save: beginnings, statements, their ends, the commit.
        #expect(cuts > 15)
        #expect(server.psql(database, "SELECT pages FROM book WHERE title = 'counter'") == "\(cuts)")
        let links = """
            SELECT count(*), count(DISTINCT b.title) FROM book b JOIN author a ON a.id = b.author_id \
            JOIN book_tags j ON j.book_id = b.id JOIN tag t ON t.id = j.tag_id
            """
        #expect(server.psql(database, links) == "\(cuts)|\(cuts)")
        #expect(server.psql(database, "SELECT count(*) FROM tag") == "\(cuts)")
        #expect(server.psql(database, "SELECT count(*) FROM coredata.transactions") == "\(cuts + 1)")
        try coordinator.persistentStores.forEach { try coordinator.remove($0) }
    }
}
#endif
