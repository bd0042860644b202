#if PostgreSQL
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Fetches whose objects the program sorts, because the server has no such order: keys are read first, then rows.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLSortedFetchTests {
    private static var order: NSSortDescriptor {
        NSSortDescriptor(key: "name", ascending: true, selector: .localizedCaseInsensitiveCompare)
    }

    private func run(_ statement: String, _ library: Library) throws {
        let database = library.database
        #expect(try PostgreSQLServer.shared.get().psql(database, statement) != nil)
    }

    @Test("A fetch sees no half of a save between two of its reads: all is of one state")
    func oneState() throws {
        let library = try Library(.postgreSQL)
        let store = try #require(library.store as? SQLStore)
        let tag = try #require(store.layout.layout(named: "Tag"))
        try run("INSERT INTO tag (name) SELECT to_char(n, 'FM0000') FROM generate_series(1, 1200) n", library)
        var names: [String] = []
        let name = try #require(tag.slots.firstIndex { $0.name == "name" })
        let request = StoreFetch(
            layout: tag, predicate: nil, sortDescriptors: [Self.order], limit: 0, offset: 0)
        var reads = 0
        try store.fetchRows(request) { rows in
            names += rows.map { $0.string(name) }
            reads += 1
            if reads > 1 { return }
            // After the first rows: later rows are changed or deleted, and must not be confused with new ones.
            try run(
                "UPDATE tag SET name = 'changed' WHERE name > '0600'; DELETE FROM tag WHERE id % 3 = 0;"
                    + "INSERT INTO tag (name) VALUES ('0700')", library)
        }
        #expect(reads > 1)
        #expect(names == (1...1200).map { String("000\($0)".suffix(4)) })
    }

    @Test("A row that another program has changed comes as it is, though the store has kept it as it was")
    func newestRows() throws {
        let library = try Library(.postgreSQL)
        let first = library.context()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.sortDescriptors = [Self.order]
        try first.performAndWait {
            for name in ["b", "A", "c"] { first.make("Tag", ["name": name]) }
            try first.save()
            let held = try first.fetch(request)
            #expect(held.map { $0.value(forKey: "name") as? String } == ["A", "b", "c"])
            try run("UPDATE tag SET name = 'D' WHERE name = 'b'", library)
            let other = library.context()
            try other.performAndWait {
                let found = try other.fetch(request)
                #expect(found.map { $0.value(forKey: "name") as? String } == ["A", "c", "D"])
            }
        }
    }
}
#endif
