import CoreData
import CoreDataManager
import Foundation
import TestSupport
import Testing

/// Edits on the main queue, four importers, a fetched-results controller and a history consumer, all at once. A few
/// rounds in an ordinary run; a minute in a long one. Meant for the thread sanitizer (`bin/test --tsan`).
@Suite("Mixed load", .serialized)
struct MixedLoadTests {
    private static let model = """
        entity Board
          edits int64! = 0
          import0 int64! = 0
          import1 int64! = 0
          import2 int64! = 0
          import3 int64! = 0
        entity Item
          importer int32! = 0
          number int32! = 0
        """
    private static let importers = 4
    private static let batch = 10

    /// Decides how long the workers continue.
    private struct Clock: Sendable {
        let end = ContinuousClock.now + .seconds(60)

        func goesOn(after rounds: Int) -> Bool { isLong ? ContinuousClock.now < end : rounds < 8 }
    }

    // @unchecked Sendable: made, called and read on the main queue only.
    private final class Listener: NSObject, NSFetchedResultsControllerDelegate, @unchecked Sendable {
        var changes = 0
        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            changes += 1
        }
    }

    @Test(
        "Nothing is lost, and all contexts see the same in the end, whether the root takes saves over at once or later",
        arguments: [false, true])
    func chain(isLater: Bool) async throws { try await everybodyAtOnce(.chain, isLater: isLater) }

    @Test("Nothing is lost among siblings either, and all contexts see the same in the end")
    func siblings() async throws { try await everybodyAtOnce(.siblings, isLater: false) }

    private func everybodyAtOnce(_ layout: ContextLayout, isLater: Bool) async throws {
        try await withTemporaryFolder { folder in
            var configuration = CoreDataManager.Configuration()
            configuration.storeOptions = [NSPersistentHistoryTrackingKey: true]
            configuration.layout = layout
            let failures = Box<[String]>([])
            configuration.unattendedErrorHandler = { error in failures.update { $0.append("\(error)") } }
            let manager = CoreDataManager(
                model: ModelText.model(Self.model), storeURL: folder.appendingPathComponent("n.sqlite"),
                configuration: configuration)
            try await manager.launch()
            if isLater {
                try await manager.performMain { main in
                    guard let root = main.parent else { return }
                    root.performAndWait { root.thresholds.childSaveSizeToWait = 0 }
                }
            }
            let board = try await manager.performBackground { context in
                try ObjectReference(NSEntityDescription.insertNewObject(forEntityName: "Board", into: context))
            }
            let clock = Clock()
            let (list, listener) = try await manager.performMain { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.sortDescriptors = [
                    NSSortDescriptor(key: "importer", ascending: true),
                    NSSortDescriptor(key: "number", ascending: true),
                ]
                let controller = NSFetchedResultsController(
                    fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
                let listener = Listener()
                controller.delegate = listener
                try controller.performFetch()
                return (Held(controller), listener)
            }

            let editing = Task { try await Self.edit(board, manager, clock) }
            let importing = (0..<Self.importers).map { number in
                Task { try await Self.importItems(number, board, manager, clock) }
            }
            let isOver = Box(false)
            let consuming = Task { try await Self.consumeHistory(manager, until: isOver) }

            let edits = try await editing.value
            var rounds: [Int] = []
            for task in importing { rounds.append(try await task.value) }
            try await manager.saveMain()
            isOver.value = true
            let inserted = try await consuming.value
            #expect(failures.value.isEmpty, "\(failures.value)")

            let items = rounds.reduce(0, +) * Self.batch
            #expect(inserted == items, "the history tells of \(inserted) of \(items) items")
            let shownItems = try await manager.performMain { _ in
                #expect(listener.changes > 0)
                list.value.delegate = nil
                return (list.value.fetchedObjects ?? []).map { item -> [Int] in
                    [item.value(forKey: "importer") as? Int ?? -1, item.value(forKey: "number") as? Int ?? -1]
                }
            }
            var expectedItems: [[Int]] = []
            for (importer, count) in rounds.enumerated() {
                expectedItems += (0..<count * Self.batch).map { [importer, $0] }
            }
            #expect(shownItems == expectedItems)
            // No update of the shared object was lost: neither in the contexts nor in the file.
            let expected = [edits] + rounds
            let keys = ["edits"] + (0..<Self.importers).map { "import\($0)" }
            let shown = try await manager.performMain { context in
                try keys.map { try board.object(in: context).value(forKey: $0) as? Int ?? -1 }
            }
            #expect(shown == expected)
            let database = try RawDatabase(manager.storeURL)
            let columns = keys.map { "Z\($0.uppercased())" }.joined(separator: ", ")
            let stored = try database.rows("SELECT \(columns) FROM ZBOARD").first?.map { $0.int.map(Int.init) ?? -1 }
            #expect(stored == expected)
            #expect(try database.rows("SELECT COUNT(*) FROM ZITEM").first?.first?.int == Int64(items))
        }
    }

    /// One tap after the other on the main queue, each saved without waiting.
    private static func edit(
        _ board: ObjectReference<NSManagedObject>, _ manager: CoreDataManager, _ clock: Clock
    ) async throws -> Int {
        var count = 0
        while clock.goesOn(after: count / 4) {
            count += 1
            let value = count
            try await manager.performMain { context in
                try board.object(in: context).setValue(value, forKey: "edits")
                try manager.save(wait: false)
            }
        }
        return count
    }

    private static func importItems(
        _ importer: Int, _ board: ObjectReference<NSManagedObject>, _ manager: CoreDataManager, _ clock: Clock
    ) async throws -> Int {
        var round = 0
        while clock.goesOn(after: round) {
            let first = round * batch
            try await manager.performBackground { context in
                for number in first..<first + batch {
                    let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
                    item.setValue(importer, forKey: "importer")
                    item.setValue(number, forKey: "number")
                }
                let object = try board.object(in: context)
                let key = "import\(importer)"
                object.setValue((object.value(forKey: key) as? Int ?? 0) + 1, forKey: key)
            }
            round += 1
        }
        return round
    }

    /// Reads the history from token to token; returns how many insertions of items it contains, each once.
    private static func consumeHistory(_ manager: CoreDataManager, until isOver: Box<Bool>) async throws -> Int {
        let coordinator = try await manager.performMain { context in
            var top = context
            while let parent = top.parent { top = parent }
            return top.persistentStoreCoordinator
        }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        var token: NSPersistentHistoryToken?
        var last: Int64 = 0
        var seen: Set<NSManagedObjectID> = []
        while true {
            // The flag is read before the history: a save before the end is read after it.
            let isLast = isOver.value
            let after = Held(token)
            let (inserted, numbers, next) = try await context.perform {
                let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: after.value))
                let history = (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction] ?? []
                var ids: [NSManagedObjectID] = []
                for change in history.flatMap({ $0.changes ?? [] }) where change.changeType == .insert {
                    if change.changedObjectID.entity.name == "Item" { ids.append(change.changedObjectID) }
                }
                return (ids, history.map(\.transactionNumber), Held(history.last?.token))
            }
            for number in numbers {
                #expect(number > last)
                last = number
            }
            for id in inserted { #expect(seen.insert(id).inserted) }
            token = next.value ?? token
            if isLast { return seen.count }
            await Task.yield()
        }
    }
}
