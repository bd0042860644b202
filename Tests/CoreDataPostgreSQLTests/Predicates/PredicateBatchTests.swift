#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// Batches over an entity with subentities, by conditions and values that the server does not compute.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PredicateBatchTests {
    @Test(
        "Batches change and delete the same rows in both stores",
        arguments: ["title CONTAINS[c] 'a' OR pages * 2 > 3", "pages > 1", "genre != nil", "title LIKE[cd] '*a*'"])
    func sameRows(format: String) throws {
        func changed(_ kind: StoreKind) throws -> [String] {
            let library = try PredicateLibrary(kind, seed: 5)
            return try library.context.performAndWait {
                let update = NSBatchUpdateRequest(entityName: "Book")
                update.predicate = NSPredicate(format: format)
                update.propertiesToUpdate = [
                    "pages": CoreData.NSExpression(format: "pages + 1"),
                    "note": CoreData.NSExpression(format: "uppercase:(title)"),
                ]
                update.resultType = .updatedObjectsCountResultType
                let updated = try library.context.execute(update) as? NSBatchUpdateResult
                let doomed = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
                // Some are left, to be seen.
                doomed.predicate = NSPredicate(format: "(\(format)) AND (grade == nil OR grade < 3)")
                let delete = NSBatchDeleteRequest(fetchRequest: doomed)
                delete.resultType = .resultTypeCount
                let deleted = try library.context.execute(delete) as? NSBatchDeleteResult
                library.context.reset()
                let left = try library.context.all("Book").map { book in
                    ["isbn", "pages", "note"].map { "\(book.value(forKey: $0) ?? "nil")" }.joined(separator: " ")
                }
                let counts = [updated?.result, deleted?.result].map { "\($0 ?? "nothing")" }
                return counts + left.sorted()
            }
        }
        let expected = try changed(.sqlite)
        #expect(try changed(.postgreSQL) == expected)
        #expect(expected.count > 3 && expected[0] != "0" && expected[1] != "0")
    }
}
#endif
