#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// Several processes at work on one database.
@Suite(
    .serialized, .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLProcessTests {
    private static let isLong = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil

    private static func coordinator(
        _ url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: url, options: options)
        return coordinator
    }

    private static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        return context
    }

    @Test(
        "Eight processes count together to the exact sum, by repeating and by a policy that adds",
        arguments: Sample.slice(["error", "adding"], oneIn: 2, "counting"))
    func counting(way: String) throws {
        let server = try PostgreSQLServer.shared.get()
        let database = "count-\(UUID().uuidString)".lowercased()
        let url = server.url(ofDatabase: database)
        let context = try Self.context(Self.coordinator(url))
        try context.performAndWait {
            context.make("Book", ["title": "counter", "pages": 0])
            try context.save()
        }
        let rounds = Self.isLong ? 1_000 : 20
        let children = try (0..<8).map { _ in
            try ChildProgram("postgresql-child", [url.absoluteString, "count", "\(rounds)", "2", way])
        }
        for child in children {
            let end = child.wait()
            #expect(end.output.hasPrefix("saved \(rounds) "), "\(end.output)")
        }
        #expect(server.psql(database, "SELECT pages FROM book") == "\(8 * rounds)")
    }

    @Test("A reader of history gets each transaction once, in one order, while eight processes write it")
    func history() throws {
        let server = try PostgreSQLServer.shared.get()
        let url = server.url(ofDatabase: "history-\(UUID().uuidString)".lowercased())
        let coordinator = try Self.coordinator(url, options: [NSPersistentHistoryTrackingKey: true])
        let context = Self.context(coordinator)
        // In the long form for ten minutes.
        let (rounds, seconds) = Self.isLong ? (1, 600) : (30, 0)
        let saved = Locked<[String: Int]>([:])
        for writer in 0..<8 {
            let child = try ChildProgram(
                "postgresql-child", [url.absoluteString, "tag", "writer \(writer)", "\(rounds)", "\(seconds)"])
            Thread.detachNewThread {
                let words = child.wait().output.split(whereSeparator: \.isWhitespace)
                saved.withLock { $0["writer \(writer)"] = words.last.flatMap { Int($0) } ?? -1 }
            }
        }
        var token: NSPersistentHistoryToken?
        var seen: [String: [Int64]] = [:]
        var changes = Set<String>()
        func read() throws {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
            for transaction in transactions {
                seen[transaction.author ?? "", default: []].append(transaction.transactionNumber)
                for change in transaction.changes ?? [] {
                    changes.insert("\(change.changedObjectID.uriRepresentation())")
                }
            }
            if let last = transactions.last { token = last.token }
        }
        try context.performAndWait {
            while saved.withLock({ $0.count }) < 8 { try read() }
            server.awaitHistory(of: url.lastPathComponent)
            try read()
        }
        let counts = saved.withLock { $0 }
        let sum = counts.values.reduce(0, +)
        if Self.isLong { print("eight writers saved \(sum) transactions in \(seconds) seconds") }
        #expect(counts.values.allSatisfy { $0 >= rounds })
        #expect(seen.mapValues(\.count) == counts)
        for numbers in seen.values { #expect(numbers == Array(Set(numbers)).sorted()) }
        #expect(Set(seen.values.joined()).count == sum)
        #expect(changes.count == sum)
        let rest = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let left = try context.performAndWait {
            (try context.execute(rest) as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
        }
        #expect(left?.isEmpty == true)
    }

    @Test("No save is lost or halved while server processes, the server and clients are killed")
    func kills() throws {
        let server = try PostgreSQLServer.ownServer()
        let database = "killed"
        let url = server.url(ofDatabase: database)
        let context = try Self.context(Self.coordinator(url, options: [NSPersistentHistoryTrackingKey: true]))
        try context.performAndWait {
            context.make("Book", ["title": "counter", "pages": 0])
            try context.save()
        }
        var random = SplitMix(state: 18)
        let said = Locked<[String]>([])
        let ends = DispatchSemaphore(value: 0)
        var names = 0
        func start() throws -> ChildProgram {
            names += 1
            let child = try ChildProgram("postgresql-child", [url.absoluteString, "link", "client \(names)"])
            Thread.detachNewThread {
                let output = child.wait().output
                said.withLock { $0.append(output) }
                ends.signal()
            }
            return child
        }
        var children = try (0..<4).map { _ in try start() }
        let kills = Self.isLong ? 200 : 6
        for kill in 0..<kills {
            // A random number of saves passes between two kills.
            let before = Int(server.psql(database, "SELECT pages FROM book WHERE title = 'counter'") ?? "") ?? 0
            let wanted = before + Int.random(in: 1...5, using: &random)
            while Int(server.psql(database, "SELECT pages FROM book WHERE title = 'counter'") ?? "") ?? 0 < wanted {
            }
            switch kill % 10 {
            case 9: server.crash()
            case 0, 4, 7:
                let place = Int.random(in: 0..<children.count, using: &random)
                children[place].kill()
                children[place] = try start()
            default:
                _ = server.psql(
                    database,
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                        + "AND pid <> pg_backend_pid() ORDER BY random() LIMIT 2")
            }
        }
        for child in children { child.kill() }
        for _ in 0..<names { ends.wait() }
        let lines = said.withLock { $0 }.flatMap { $0.split(separator: "\n").map(String.init) }
        #expect(lines.allSatisfy { !$0.hasPrefix("unknown") })
        let saved = lines.filter { $0.hasPrefix("saved ") }.map { String($0.dropFirst(6)) }
        #expect(saved.count > kills)
        // The server may be on its way up.
        while server.psql(database, "SELECT 1") == nil {}
        func column(_ statement: String) -> [String] {
            (server.psql(database, statement) ?? "").split(separator: "\n").map(String.init)
        }
        let tags = column("SELECT name FROM tag")
        #expect(Set(saved).subtracting(tags) == [])
        #expect(Set(tags).count == tags.count)
        #expect(column("SELECT pages FROM book WHERE title = 'counter'") == ["\(tags.count)"])
        let links = """
            SELECT t.name FROM tag t JOIN book_tags j ON j.tag_id = t.id \
            JOIN book b ON b.id = j.book_id AND b.title = t.name \
            JOIN author a ON a.id = b.author_id AND a.name = t.name
            """
        #expect(column(links).sorted() == tags.sorted())
        #expect(column("SELECT count(*) FROM book") == ["\(tags.count + 1)"])
        #expect(column("SELECT count(*) FROM coredata.transactions") == ["\(tags.count + 1)"])
        #expect(column("SELECT count(*) FROM coredata.changes WHERE type = 0") == ["\(3 * tags.count + 1)"])
    }
}
#endif
