import CoreData
import Dispatch
import Foundation

/// Measures how long a child waits for what it reads while its root saves: the known weakness of a main context above a
/// private root.
struct NestedReport {
    let books: Int

    func run() throws {
        let templates = try TemplateStore()
        defer { templates.remove() }
        let filled = try templates.filled(with: SourceData(authors: 100, books: 1_000), name: "nested")
        try templates.withStore(copiedFrom: filled) { url in try measure(url) }
    }

    private func measure(_ url: URL) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookModel.make())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        root.persistentStoreCoordinator = coordinator
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = root
        root.performAndWait {
            for number in 0..<books {
                Book(context: root).fill(with: number, title: "new book \(number)", isbn: "new \(number)")
            }
        }
        let saved = DispatchGroup()
        // Written and read by the root's queue, and after the group by this thread.
        nonisolated(unsafe) var saveSeconds = 0.0
        // The same.
        nonisolated(unsafe) var failure: (any Error)?
        saved.enter()
        root.perform {
            let start = DispatchTime.now()
            do { try root.save() } catch { failure = error }
            saveSeconds = seconds(since: start)
            saved.leave()
        }
        var waits: [Double] = []
        while saved.wait(timeout: .now()) == .timedOut {
            try child.performAndWait {
                let request = NSFetchRequest<Author>(entityName: "Author")
                request.fetchLimit = 20
                let start = DispatchTime.now()
                for author in try child.fetch(request) { _ = author.name }
                waits.append(seconds(since: start))
                child.reset()
            }
        }
        if let failure { throw failure }
        waits.sort()
        print("a root saves \(books) new books; its child fetches 20 authors over and over\n")
        printTable([
            ["save, ms", "reads meanwhile", "median, ms", "longest, ms"],
            [
                (saveSeconds * 1_000).printed(0), String(waits.count),
                ((waits.isEmpty ? 0 : waits[waits.count / 2]) * 1_000).printed(2),
                ((waits.last ?? 0) * 1_000).printed(1),
            ],
        ])
    }
}

private func seconds(since start: DispatchTime) -> Double {
    Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
}
