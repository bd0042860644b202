#if canImport(CHTTPD)
import CoreData
import CoreDataManager
import WebServer

/// What the service answers. Each request has a context of its own, on the thread of its connection.
struct Bookshop: Sendable {
    let manager: CoreDataManager
    private let feeds: BookFeeds

    init(manager: CoreDataManager) { (self.manager, feeds) = (manager, BookFeeds(manager: manager)) }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        do {
            switch (request.method, request.path.first, request.path.count) {
            case ("GET", "health", 1): return try health()
            case ("GET", "books", 1): return try search(request)
            case ("POST", "books", 1): return try create(JSONDecoder().decode(BookChange.self, from: request.body))
            case ("GET", "books", 2) where request.path[1] == "events": return try follow(request)
            case ("GET", "books", 2):
                return try inContext { try json(BookText(book(request, in: $0))) }
            case ("PATCH", "books", 2): return try change(request)
            case ("DELETE", "books", 2): return try delete(request)
            case (_, "health", 1), (_, "books", 1...2): throw Refusal(405, "\(request.method) is not possible here")
            default: throw Refusal(404, "there is nothing here")
            }
        } catch {
            let refusal = Refusal(error)
            var response = (try? json(refusal, status: refusal.status)) ?? HTTPResponse(status: 500)
            if refusal.status == 503 { response.headers["Retry-After"] = "1" }
            return response
        }
    }

    // MARK: Requests

    private struct Health: Encodable {
        var state: String
        var fraction: Double?
        /// The number of clients that follow a query.
        var streams: Int?
    }

    /// Answers from the first moment on, whatever the store is doing.
    private func health() throws -> HTTPResponse {
        switch manager.state {
        case .ready:
            let streams = feeds.clientCount
            return try json(Health(state: "ready", streams: streams == 0 ? nil : streams))
        case .migrating(let status):
            return try json(Health(state: "migrating", fraction: status.fractionCompleted), status: 503)
        case .failed: return try json(Health(state: "failed"), status: 503)
        case .idle, .checking, .opening: return try json(Health(state: "opening"), status: 503)
        }
    }

    private struct Page: Encodable {
        let count: Int
        let books: [BookText]
    }

    private func search(_ request: HTTPRequest) throws -> HTTPResponse {
        let found = try BookQuery(request).fetchRequest()
        return try inContext { context in
            let all = NSFetchRequest<Book>(entityName: "Book")
            all.predicate = found.predicate
            return try json(Page(count: context.count(for: all), books: context.fetch(found).map(BookText.init)))
        }
    }

    /// Answers with an event for the present books, and another one whenever they change.
    private func follow(_ request: HTTPRequest) throws -> HTTPResponse {
        let headers = ["Content-Type": "text/event-stream", "Cache-Control": "no-store"]
        return try HTTPResponse(status: 200, headers: headers, events: feeds.follow(BookQuery(request)))
    }

    private func create(_ wanted: BookChange) throws -> HTTPResponse {
        try inContext { context in
            let book = Book(context: context)
            try book.apply(wanted)
            try context.save()
            var response = try json(BookText(book), status: 201)
            response.headers["Location"] = "/books/\(book.id)"
            return response
        }
    }

    private func change(_ request: HTTPRequest) throws -> HTTPResponse {
        let wanted = try JSONDecoder().decode(BookChange.self, from: request.body)
        guard let version = wanted.version else { throw Refusal(400, "version: say which one you have read") }
        return try inContext { context in
            let book = try book(request, in: context)
            guard book.version == version else { throw Refusal(409, "the book has version \(book.version) now") }
            try book.apply(wanted)
            book.version += 1
            // This throws if another request or process has changed the book since it was read.
            try context.save()
            return try json(BookText(book))
        }
    }

    private func delete(_ request: HTTPRequest) throws -> HTTPResponse {
        let version = request.query("version").flatMap { Int64($0) }
        return try inContext { context in
            let book = try book(request, in: context)
            guard book.version == version ?? book.version else {
                throw Refusal(409, "the book has version \(book.version) now")
            }
            context.delete(book)
            try context.save()
            return HTTPResponse(status: 204, headers: [:])
        }
    }

    // MARK: Parts of them

    /// Runs a block with a new context, on the calling thread.
    private func inContext(_ block: (NSManagedObjectContext) throws -> HTTPResponse) throws -> HTTPResponse {
        try manager.readyOrThrow()
        for _ in 0..<3 {
            let context = manager.newBackgroundContext()
            do {
                return try context.performAndWait {
                    context.mergePolicy = NSMergePolicy.error
                    do { return try block(context) } catch { throw Refusal(error) }
                }
            } catch let refusal as Refusal where refusal.isWorthRepeating {}
        }
        throw Refusal(503, "too many others make the same author")
    }

    private func book(_ request: HTTPRequest, in context: NSManagedObjectContext) throws -> Book {
        let found = NSFetchRequest<Book>(entityName: "Book")
        if let id = UUID(uuidString: request.path[1]) {
            found.predicate = NSPredicate(format: "id == %@", id)
            if let book = try context.fetch(found).first { return book }
        }
        throw Refusal(404, "there is no such book")
    }

    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    private func json(_ value: some Encodable, status: Int = 200) throws -> HTTPResponse {
        HTTPResponse(status: status, body: try Self.encoder.encode(value) + Data("\n".utf8))
    }
}
#endif
