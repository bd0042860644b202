import CoreData
import CoreDataManager

/// What a mail program does all day, with a heartbeat on the main thread all the while.
@MainActor
enum DailyWork {
    /// Messages that one background context takes before it saves. A save of more costs the main queue more.
    nonisolated static let batchSize = 50

    static func run(store: URL, version: MailModel, imports: Int) async throws {
        let manager = CoreDataManager(mail: version, storeURL: store)
        try await manager.launch()
        let probe = LaunchProbe()
        probe.start()

        try await phase("background import of \(imports) messages in child contexts", probe) {
            try await importAll(0..<imports, manager)
        }
        try await phase("the same again, while the main thread fetches its list over and over", probe) {
            let list = Task { try await keepShowingList(in: manager.mainContext) }
            try await importAll(imports..<2 * imports, manager)
            list.cancel()
            let times = try await list.value
            Announcement.note("the list was fetched \(times) times meanwhile").say()
        }
        try await phase("the first 50 messages and a count, fetched on the main thread", probe) {
            try showList(in: manager.mainContext)
        }
        try await phase("edits on the main thread, saved down the chain without waiting", probe) {
            try await edit(manager)
        }
        try await phase("a last save that is waited for, away from the main thread", probe) {
            try await manager.saveMain(wait: true)
        }
        probe.stop()
    }

    private static func phase(
        _ name: String, _ probe: LaunchProbe, _ work: @MainActor () async throws -> Void
    ) async throws {
        probe.resetStalls()
        let start = DispatchTime.now()
        try await work()
        let stall = probe.report.longestStall
        let took = ChildLaunches.seconds(since: start)
        Announcement.note("\(name): \(took.milliseconds) ms, longest stall \(stall.milliseconds) ms").say()
        Announcement.stall(phase: name, seconds: stall).say()
    }

    static func importAll(_ numbers: Range<Int>, _ manager: CoreDataManager) async throws {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: batchSize) {
            try await importMessages(start..<min(start + batchSize, numbers.upperBound), manager)
        }
    }

    /// Imitates scrolling: fetches the list, leaves the main queue to other work, fetches it again, until it is
    /// cancelled.
    static func keepShowingList(in context: NSManagedObjectContext) async throws -> Int {
        var times = 0
        while !Task.isCancelled {
            _ = try context.fetch(newestMessages(50)).compactMap { $0.value(forKey: "subject") as? String }
            times += 1
            await Task.yield()
        }
        return times
    }

    static func newestMessages(_ count: Int) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Message")
        request.sortDescriptors = [NSSortDescriptor(key: "received", ascending: false)]
        request.fetchLimit = count
        return request
    }

    /// One batch, in a child of the main context: it is shown at once, and in the store when this returns.
    private static func importMessages(_ numbers: Range<Int>, _ manager: CoreDataManager) async throws {
        try await manager.performBackground { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Folder")
            request.fetchLimit = 1
            let folder = try context.fetch(request).first
            for number in numbers {
                let message = NSEntityDescription.insertNewObject(forEntityName: "Message", into: context)
                MailText.fill(message, number: 1_000_000 + number)
                message.setValue(folder, forKey: "folder")
            }
        }
    }

    /// What a list shows: fifty rows by an index, and how many there are in the folder.
    private static func showList(in context: NSManagedObjectContext) throws {
        let newest = try context.fetch(newestMessages(50))
        let subjects = newest.compactMap { $0.value(forKey: "subject") as? String }
        guard subjects.count == 50 else { throw DemoFailure("\(subjects.count) messages in the list instead of 50") }
        let folder = newest.first?.value(forKey: "folder") as? NSManagedObject
        let inFolder = NSFetchRequest<NSManagedObject>(entityName: "Message")
        inFolder.predicate = folder.map { NSPredicate(format: "folder == %@", $0) }
        let count = try context.count(for: inFolder)
        Announcement.note("newest: \"\(subjects[0])\"; \(count) messages in its folder").say()
    }

    /// Twenty messages marked unread, one after the other, each saved as a tap on the screen would.
    private static func edit(_ manager: CoreDataManager) async throws {
        let context = manager.mainContext
        for message in try context.fetch(newestMessages(20)) {
            message.setValue(false, forKey: "isRead")
            try manager.save(wait: false)
            await Task.yield()
        }
    }
}

extension Double {
    /// Seconds as milliseconds with one decimal.
    var milliseconds: String { String(format: "%.1f", self * 1_000) }
}
