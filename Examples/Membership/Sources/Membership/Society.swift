import CoreData
import os

/// The members of a society, in a store of SQLite.
@MainActor public final class Society {
    private let container: NSPersistentContainer
    private let log = Logger(subsystem: "org.example.membership", category: "Society")

    /// Opens the store.
    ///
    /// - Parameter url: Where it lies.
    /// - Throws: The error of the store.
    public init(url: URL) throws {
        guard let model = Bundle.module.url(forResource: "Membership", withExtension: "momd").flatMap(Self.model) else {
            throw CocoaError(.fileReadNoSuchFile)
        }
        container = NSPersistentContainer(name: "Membership", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: url)
        description.shouldAddStoreAsynchronously = false
        container.persistentStoreDescriptions = [description]
        var failure: Error?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        log.info("opened \(url.lastPathComponent, privacy: .public)")
    }

    private static func model(_ url: URL) -> NSManagedObjectModel? { NSManagedObjectModel(contentsOf: url) }

    /// Adds a member and saves.
    ///
    /// - Parameters:
    ///   - name: The member's name.
    ///   - email: The address, if there is one.
    /// - Throws: An error of validation, after which nothing has changed.
    public func add(_ name: String, email: String? = nil) throws {
        let context = container.viewContext
        let member = Fellow(context: context)
        member.name = name
        member.email = email
        member.joined = Date()
        do {
            try context.save()
        } catch {
            log.error("\(name, privacy: .private) was not added: \(error.localizedDescription, privacy: .public)")
            context.rollback()
            throw error
        }
    }

    /// The members by name.
    ///
    /// - Throws: The error of the store.
    public func fellows() throws -> [Fellow] {
        let request = NSFetchRequest<Fellow>(entityName: "Fellow")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Fellow.name, ascending: true)]
        return try container.viewContext.fetch(request)
    }

    /// The first members by name whose address is of a server.
    ///
    /// - Parameters:
    ///   - server: What follows the @.
    ///   - limit: How many at most.
    /// - Throws: The error of the store.
    public func fellows(at server: String, limit: Int) throws -> [Fellow] {
        let request: NSFetchRequest<NSFetchRequestResult> = Fellow.fetchRequest()
        request.predicate = NSPredicate(format: "email ENDSWITH %@", "@" + server)
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        Self.limit(request, to: limit)
        return try container.viewContext.fetch(request) as? [Fellow] ?? []
    }

    /// A request of one type of result casts to that type on both systems, and to no other on Linux.
    private static func limit(_ request: NSPersistentStoreRequest, to count: Int) {
        guard let request = request as? NSFetchRequest<NSFetchRequestResult> else { return }
        request.fetchLimit = count
    }

    /// Removes all fellows.
    ///
    /// - Throws: The error of the store.
    public func dissolve() throws {
        let context = container.viewContext
        let request = NSBatchDeleteRequest(fetchRequest: Fellow.fetchRequest())
        request.resultType = .resultTypeCount
        let result = try context.execute(request) as? NSBatchDeleteResult
        context.reset()
        log.notice("removed \(result?.result as? Int ?? 0) members")
    }
}
