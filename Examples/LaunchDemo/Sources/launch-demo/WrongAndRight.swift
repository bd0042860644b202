import CoreData
import CoreDataManager

/// What three of the articles warn against and what they advise, each in a child process.
@MainActor
enum WrongAndRight {
    // MARK: - The manager pattern

    /// The ordinary stack on a store of another version; then check, forecast, migration.
    static func pattern(store: URL, version: MailModel) async throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: version.make())
        do {
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: store, options: nil)
            Announcement.note("wrong: the ordinary stack opened it").say()
        } catch {
            let code = (error as NSError).code
            Announcement.note("wrong: the ordinary stack, opened unasked, fails with \(code); articles call abort()")
                .say()
        }
        let manager = CoreDataManager(mail: version, storeURL: store)
        var start = DispatchTime.now()
        let isRequired = try manager.isMigrationRequired()
        Announcement.note(
            "right: isMigrationRequired() says \(isRequired) after \(ChildLaunches.seconds(since: start).milliseconds) ms"
        ).say()
        start = DispatchTime.now()
        let report = try await manager.forecast().report
        let took = ChildLaunches.seconds(since: start)
        let verdict = report.split(separator: "\n").first ?? ""
        Announcement.note("       forecast() says after \(took.milliseconds) ms: \(verdict)").say()
        start = DispatchTime.now()
        try await manager.migrate()
        Announcement.note(
            "       migrate() took \(ChildLaunches.seconds(since: start).seconds) s; "
                + "isMigrationRequired() says \(try manager.isMigrationRequired())"
        ).say()
    }

    // MARK: - The chain

    /// One main-queue context on the coordinator takes the whole import and saves it.
    static func importOnMain(store: URL, version: MailModel, count: Int) async throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: version.make())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: store, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let probe = LaunchProbe()
        probe.start()
        await Task.yield()
        for number in 0..<count {
            let message = NSEntityDescription.insertNewObject(forEntityName: "Message", into: context)
            MailText.fill(message, number: 2_000_000 + number)
        }
        try context.save()
        Announcement.stall(phase: "import on the main thread", seconds: probe.stop().longestStall).say()
    }

    /// Runs the import through the manager, in the background.
    static func importInBackground(store: URL, version: MailModel, count: Int) async throws {
        let manager = CoreDataManager(mail: version, storeURL: store)
        try await manager.launch()
        let probe = LaunchProbe()
        probe.start()
        for first in stride(from: 0, to: count, by: DailyWork.batchSize) {
            try await manager.performBackground { context in
                for number in first..<min(first + DailyWork.batchSize, count) {
                    let message = NSEntityDescription.insertNewObject(forEntityName: "Message", into: context)
                    MailText.fill(message, number: 2_000_000 + number)
                }
            }
        }
        Announcement.stall(phase: "import in the background", seconds: probe.stop().longestStall).say()
    }

    // MARK: - The rules

    /// Carries an object past the compiler, which refuses it otherwise.
    // @unchecked Sendable: the wrong way, on purpose.
    private struct Smuggled: @unchecked Sendable {
        let object: NSManagedObject
    }

    /// An object of the main context, used on a background queue.
    static func crossing(store: URL, version: MailModel) async throws {
        let manager = CoreDataManager(mail: version, storeURL: store)
        let smuggled = try await manager.performMain { Smuggled(object: try firstMessage(in: $0)) }
        try await manager.performBackground { _ in smuggled.object.setValue("crossed", forKey: "subject") }
        Announcement.note("wrong: nothing stopped it").say()
    }

    /// Passes an object to another context by a reference.
    static func reference(store: URL, version: MailModel) async throws {
        let manager = CoreDataManager(mail: version, storeURL: store)
        let reference = try await manager.performMain { try ObjectReference(firstMessage(in: $0)) }
        try await manager.performBackground { context in
            try reference.object(in: context).setValue("crossed", forKey: "subject")
        }
        let subject = try await manager.performMain { context in
            try reference.object(in: context).value(forKey: "subject") as? String
        }
        Announcement.note("right: an ObjectReference crossed; the main context shows \"\(subject ?? "")\"").say()
    }

    private nonisolated static func firstMessage(in context: NSManagedObjectContext) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Message")
        request.fetchLimit = 1
        guard let message = try context.fetch(request).first else { throw DemoFailure("there is no message") }
        return message
    }
}
