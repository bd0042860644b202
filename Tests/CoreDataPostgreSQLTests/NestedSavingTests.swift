#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct NestedSavingTests {
    /// A batch of 600 rows, in the middle of which its handler saves in a context of the same coordinator.
    ///
    /// - Parameter fails: whether the batch itself fails behind that.
    private func batch(
        _ inner: NSManagedObjectContext, fails: Bool, _ failure: Locked<NSError?>
    ) -> NSBatchInsertRequest {
        let count = Locked(0)
        return NSBatchInsertRequest(
            entityName: "Tag",
            dictionaryHandler: { row in
                let number = count.withLock { count -> Int in
                    count += 1
                    return count
                }
                if number > 600 { return true }
                row["name"] = fails && number == 599 ? 5 : "outer"
                if number == 300 {
                    inner.performAndWait {
                        inner.make("Tag", ["name": "inner"])
                        do { try inner.save() } catch { failure.withLock { $0 = error as NSError } }
                    }
                }
                return false
            })
    }

    @Test(
        "A save from within a batch's handler is refused, and the batch is whole, or nothing of it is there",
        arguments: [StoreKind.sqlite, .postgreSQL], [false, true])
    func handler(kind: StoreKind, fails: Bool) throws {
        let library = try Library(kind)
        let (context, inner) = (library.context(), library.context())
        let failure = Locked<NSError?>(nil)
        let request = batch(inner, fails: fails, failure)
        context.performAndWait {
            let error = Result { try context.execute(request) }
            if case .failure = error { #expect(fails) } else { #expect(!fails) }
        }
        let refusal = try #require(failure.withLock { $0 })
        #expect(refusal.code == NSPersistentStoreSaveError)
        #expect(refusal.localizedDescription.contains("batch"))
        #expect(try library.saved("Tag", "name") == Array(repeating: "outer", count: fails ? 0 : 600))
        // It is saved when the batch is done.
        try inner.performAndWait { try inner.save() }
        #expect(try library.saved("Tag", "name").filter { $0 == "inner" }.count == 1)
    }
}
#endif
