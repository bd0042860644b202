import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Memory of batches", .withoutThreadSanitizer)
struct BatchMemoryTests {
    private typealias NSExpression = CoreData.NSExpression

    /// Runs in a process of its own: other tests use memory, too.
    @Test("Rows are inserted, updated and deleted in much less memory than they take")
    func constantMemory() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let text = "entity Tag\n name string\n rank int64"
            let stack = try TextStack(text, options: [NSPersistentHistoryTrackingKey: true])
            // A small batch takes the memory that any batch needs.
            _ = try BatchMemoryTests.run(1_000, stack)
            let (rows, most) = Sample.isWhole ? (200_000, 60_000) : (60_000, 50_000)
            let added = try BatchMemoryTests.run(rows, stack)
            let figures = "kB added: " + added.map { "\($0.name) \($0.added)" }.joined(separator: ", ")
            FileHandle.standardError.write(Data((figures + "\n").utf8))
            // The texts of the rows alone take a kilobyte each. The rest are pages that SQLite keeps, up to a limit.
            precondition(added.allSatisfy { $0.added < most }, "A batch kept its rows: \(figures)")
        }
        let report = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(report.contains("kB added"), "\(report.prefix(2000))")
        print(report, terminator: "")
    }

    /// The memory that each kind of batch added at its peak, in kB.
    private static func run(_ count: Int, _ stack: TextStack) throws -> [(name: String, added: Int)] {
        let context = stack.context()
        var peaks: [(name: String, added: Int)] = []
        let text = String(repeating: "the name of a tag ", count: 56)
        func measure(_ name: String, _ request: NSPersistentStoreRequest) throws {
            let watch = Watch()
            let result = try context.performAndWait { try context.execute(request) }
            peaks.append((name, watch.end()))
            let affected = (result as? NSBatchInsertResult)?.result ?? (result as? NSBatchUpdateResult)?.result
            precondition((affected ?? (result as? NSBatchDeleteResult)?.result) as? Int == count)
        }
        let ways = Sample.slice([false, true], oneIn: 2)
        for handsObjects in ways {
            var row = 0
            let insertion =
                handsObjects
                ? NSBatchInsertRequest(entityName: "Tag") { (tag: NSManagedObject) in
                    tag.setValue(text + "\(row)", forKey: "name")
                    row += 1
                    return row > count
                }
                : NSBatchInsertRequest(entityName: "Tag") { (values: NSMutableDictionary) in
                    values["name"] = text + "\(row)"
                    row += 1
                    return row > count
                }
            insertion.resultType = .count
            try measure(handsObjects ? "objects" : "dictionaries", insertion)
            let update = NSBatchUpdateRequest(entityName: "Tag")
            update.propertiesToUpdate = ["name": NSExpression(format: "uppercase:(name)"), "rank": 5]
            update.resultType = .updatedObjectsCountResultType
            try measure("update", update)
            let deletion = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Tag"))
            deletion.resultType = .resultTypeCount
            try measure("deletion", deletion)
        }
        let watch = Watch()
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        request.resultType = .count
        let changes = try context.performAndWait { try context.execute(request) as? NSPersistentHistoryResult }
        peaks.append(("history count", watch.end()))
        precondition((changes?.result as? Int ?? 0) >= count * 3 * ways.count)
        return peaks
    }

    /// Measures the memory of the process, mapped files left out, every other millisecond.
    private final class Watch: @unchecked Sendable {  // guarded by `lock`
        private let lock = NSLock()
        private let start = ProcessMemory.resident
        private var peak = 0
        private var hasEnded = false

        init() {
            peak = start
            Thread { [self] in
                while !lock.withLock({ hasEnded }) {
                    let now = ProcessMemory.resident
                    lock.withLock { peak = max(peak, now) }
                    usleep(2_000)
                }
            }.start()
        }

        /// How many kB there were more at the peak than at the beginning.
        func end() -> Int {
            let now = ProcessMemory.resident
            return lock.withLock {
                hasEnded = true
                return (max(peak, now) - start) / 1024
            }
        }
    }
}
