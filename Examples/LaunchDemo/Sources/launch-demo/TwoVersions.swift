#if PostgreSQL
import CoreData
import CoreDataPostgreSQL

/// A program about tickets in two versions, which work on one store beside each other.
enum TwoVersions: String, Sendable {
    case older, newer

    /// In the newer version a ticket is an issue, its title a summary, and votes are counted in 64 bits. Each has a
    /// state besides, which must not be empty.
    private func model() -> NSManagedObjectModel {
        func attribute(_ name: String, _ type: NSAttributeType, was former: String? = nil) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.renamingIdentifier = former
            return attribute
        }
        let entity = NSEntityDescription()
        switch self {
        case .older:
            entity.name = "Ticket"
            entity.properties = [
                attribute("title", .stringAttributeType), attribute("votes", .integer16AttributeType),
            ]
        case .newer:
            entity.name = "Issue"
            entity.renamingIdentifier = "Ticket"
            let state = attribute("state", .stringAttributeType)
            state.isOptional = false
            state.defaultValue = "open"
            entity.properties = [
                attribute("summary", .stringAttributeType, was: "title"),
                attribute("votes", .integer64AttributeType), state,
            ]
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    private var entity: String { self == .older ? "Ticket" : "Issue" }
    private var title: String { self == .older ? "title" : "summary" }

    /// Opens the store. The newer program migrates it unless another process has done so, while other programs
    /// continue.
    private func context(_ store: URL) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        var options: [AnyHashable: Any] = [NSPostgreSQLOnlineMigrationOption: true, NSPostgreSQLLeaseOption: 3]
        if self == .newer {
            options[NSMigratePersistentStoresAutomaticallyOption] = true
            options[NSInferMappingModelAutomaticallyOption] = true
            options[NSMigrationKnownVersionsOption] = [TwoVersions.older.model()]
        }
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: store, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        return context
    }

    /// Makes the store with so many tickets.
    static func fill(_ store: URL, tickets: Int) throws {
        let context = try TwoVersions.older.context(store)
        try context.performAndWait {
            let rows = (0..<tickets).map { ["title": "ticket \($0)", "votes": $0 % 100] as [String: Any] }
            try context.execute(NSBatchInsertRequest(entityName: "Ticket", objects: rows))
        }
    }

    /// Opens the store, and ends: what a deployment does first.
    static func migrate(_ store: URL) throws {
        let start = DispatchTime.now()
        try withExtendedLifetime(TwoVersions.newer.context(store)) {}
        Announcement.note("the migration took \(ChildLaunches.seconds(since: start).seconds) s").say()
    }

    /// Makes, votes for and counts tickets until a file exists, and checks that each ticket is as it was written.
    func work(_ store: URL, until stop: String) throws {
        let context = try context(store)
        var (saves, longest) = (0, 0.0)
        try context.performAndWait {
            while !FileManager.default.fileExists(atPath: stop) {
                let ticket = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                ticket.setValue("by a program of the \(self) version", forKey: title)
                for votes in [1, 2] {
                    ticket.setValue(votes, forKey: "votes")
                    let start = DispatchTime.now()
                    try context.save()
                    longest = max(longest, ChildLaunches.seconds(since: start))
                    saves += 1
                }
                context.refresh(ticket, mergeChanges: false)
                guard ticket.value(forKey: "votes") as? Int == 2 else {
                    throw DemoFailure("a ticket lost its votes")
                }
                context.reset()
            }
        }
        Announcement.note("\(self) version: \(saves) saves, no error, the longest \(longest.milliseconds) ms").say()
    }
}
#endif
