#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport

/// Runs a batch over all rows, and prints their number and the memory that it took.
func runBatch(_ way: String, _ url: URL) throws {
    let context = try makeContext(url, history: true)
    if way == "walk" {
        say("rows \(try context.performAndWait { try walk(context) })")
        return sayPeak()
    }
    let request: NSPersistentStoreRequest
    switch way {
    case "deletion":
        let authors = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
        let deletion = NSBatchDeleteRequest(fetchRequest: authors)
        deletion.resultType = .resultTypeCount
        request = deletion
    case "purge":
        request = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
    default:
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.propertiesToUpdate = [
            "note": CoreData.NSExpression(format: way == "stored" ? "title" : "uppercase:(title)"),
            "pages": CoreData.NSExpression(format: "pages + 1"),
        ]
        update.resultType = .updatedObjectsCountResultType
        request = update
    }
    let result = try context.performAndWait { try context.execute(request) }
    let count = (result as? NSBatchUpdateResult)?.result ?? (result as? NSBatchDeleteResult)?.result
    say("rows \(count ?? "none")")
    sayPeak()
}

/// Reads all books, a batch at a time; how many there were.
private func walk(_ context: NSManagedObjectContext) throws -> Int {
    var count = 0
    for book in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"), batchSize: 100)
    where book.value(forKey: "title") != nil {
        count += 1
    }
    return count
}

private func sayPeak() {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }?.split(separator: " ")
    say("peak \(peak?.dropFirst().first ?? "?") kB")
}
#endif
