#if canImport(CHTTPD)
import CoreData
import CoreDataManager
import Synchronization
import WebServer

/// The books that the parameters of a request choose.
struct BookQuery: Hashable, Sendable {
    private static let mostBooks = 100
    let condition: String?
    let sort: String
    let limit: Int
    let offset: Int

    init(_ request: HTTPRequest) {
        condition = request.query("where")
        sort = request.query("sort") ?? "title"
        limit = min(max(request.query("limit").flatMap { Int($0) } ?? 20, 1), Self.mostBooks)
        offset = max(request.query("offset").flatMap { Int($0) } ?? 0, 0)
    }

    func fetchRequest() throws -> NSFetchRequest<Book> {
        let found = NSFetchRequest<Book>(entityName: "Book")
        // It throws where the text is no predicate; NSPredicate(format:) would stop the service.
        if let condition { found.predicate = try NSPredicate.parse(format: condition) }
        let key = sort.hasPrefix("-") ? String(sort.dropFirst()) : sort
        guard ["title", "year", "pages"].contains(key) else { throw Refusal(400, "sort: no \(key)") }
        found.sortDescriptors = [
            NSSortDescriptor(key: key, ascending: !sort.hasPrefix("-")), NSSortDescriptor(key: "id", ascending: true),
        ]
        found.fetchLimit = limit
        found.fetchOffset = offset
        found.relationshipKeyPathsForPrefetching = ["authors"]
        return found
    }
}

/// Queries whose results clients follow. However many clients follow a query, one task does, and all tasks share one
/// context.
final class BookFeeds: Sendable {
    /// Each client holds a connection, and requests need connections, too.
    private static let mostClients = 32

    private struct Feed {
        let number: Int
        var task: Task<Void, Never>?
        var clients: [Int: EventMailbox] = [:]
        var event: Data?
    }

    private struct State {
        var context: NSManagedObjectContext?
        var feeds: [BookQuery: Feed] = [:]
        var lastNumber = 0
        var clientCount: Int { feeds.values.reduce(0) { $0 + $1.clients.count } }
    }

    private let manager: CoreDataManager
    private let state = Mutex(State())

    init(manager: CoreDataManager) { self.manager = manager }

    var clientCount: Int { state.withLock { $0.clientCount } }

    /// Follows a query for one client, from its present result on.
    func follow(_ query: BookQuery) throws -> EventBody {
        try manager.readyOrThrow()
        guard let mailbox = EventMailbox() else { throw Refusal(503, "too many files are open") }
        let number = try state.withLock { state in
            guard state.clientCount < Self.mostClients else { throw Refusal(503, "too many clients follow books") }
            let context = state.context ?? followingContext()
            state.context = context
            state.lastNumber += 1
            let number = state.lastNumber
            var feed = state.feeds[query] ?? Feed(number: number)
            feed.clients[number] = mailbox
            if let event = feed.event { mailbox.put(event) }
            if feed.task == nil { feed.task = Task { [self] in await run(query, number: number, in: context) } }
            state.feeds[query] = feed
            return number
        }
        let body = EventBody(mailbox) { [self] in remove(number, of: query) }
        // A query that cannot be fetched has an error for its answer, and no events.
        try mailbox.waitForFirst()
        return body
    }

    /// A context that follows the saves of all requests, and of other processes.
    private func followingContext() -> NSManagedObjectContext {
        let context = manager.newBackgroundContext()
        context.performAndWait { context.automaticallyMergesChangesFromParent = true }
        return context
    }

    private func remove(_ client: Int, of query: BookQuery) {
        state.withLock { state in
            guard var feed = state.feeds[query], feed.clients.removeValue(forKey: client) != nil else { return }
            state.feeds[query] = feed.clients.isEmpty ? nil : feed
            if feed.clients.isEmpty { feed.task?.cancel() }
        }
    }

    private struct Books: Encodable { let books: [BookText] }

    /// Makes an event of each value, until the task is cancelled or the results end with an error.
    private func run(_ query: BookQuery, number: Int, in context: NSManagedObjectContext) async {
        do {
            var id = 0
            for try await value in try context.results(of: query.fetchRequest()) {
                let ids = value.objectIDs
                let json = try await context.perform {
                    // A book may have been deleted since the value came. The next value follows.
                    let books = ids.compactMap { context.registeredObject(for: $0) as? Book }.filter { !$0.isDeleted }
                    return try Bookshop.encoder.encode(Books(books: books.map(BookText.init)))
                }
                id += 1
                put(Data("id: \(id)\ndata: ".utf8) + json + Data("\n\n".utf8), query, number: number)
            }
        } catch { end(query, number: number, Refusal(error)) }
    }

    private func put(_ event: Data, _ query: BookQuery, number: Int) {
        state.withLock { state in
            guard var feed = state.feeds[query], feed.number == number else { return }
            feed.event = event
            for client in feed.clients.values { client.put(event) }
            state.feeds[query] = feed
        }
    }

    private func end(_ query: BookQuery, number: Int, _ refusal: Refusal) {
        state.withLock { state in
            guard let feed = state.feeds[query], feed.number == number else { return }
            for client in feed.clients.values { client.end(refusal) }
            state.feeds[query] = nil
        }
    }
}
#endif
