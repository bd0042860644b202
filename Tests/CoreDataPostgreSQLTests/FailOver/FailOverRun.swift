#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// Processes that save while the servers of a cluster fail, and their output (`FailingOver` in `postgresql-child`).
final class FailOverRun: Sendable {
    let cluster: PostgreSQLCluster
    let database = "run"
    let url: URL
    private let children: [ChildProgram]
    private let said: Heard

    /// One line of a process.
    struct Line {
        let what: String
        /// The process and the round.
        let label: String
        let name: String
        /// In seconds since 1970.
        let time: TimeInterval
        let text: String

        init?(_ text: Substring) {
            let words = text.split(separator: " ")
            guard words.count >= 4, let time = Double(words[3]) else { return nil }
            what = String(words[0])
            name = String(words[1])
            label = "\(words[1]) \(words[2])"
            self.time = time / 1_000
            self.text = String(text)
        }
    }

    /// The output of processes, line by line.
    private final class Heard: @unchecked Sendable {  // used under the condition's lock
        let condition = NSCondition()
        var lines: [Line] = []

        func hear(_ child: ChildProgram) {
            Thread.detachNewThread { [self] in
                while let text = child.line() {
                    guard let line = Line(text) else { continue }
                    condition.withLock {
                        lines.append(line)
                        condition.broadcast()
                    }
                }
            }
        }
    }

    init(_ cluster: PostgreSQLCluster, processes: Int = Sample.isWhole ? 8 : 3, options: String = "") throws {
        self.cluster = cluster
        try cluster.make(database: database)
        url = cluster.url(ofDatabase: database, options: options)
        // The first one makes the store.
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let store = try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: url,
            options: [NSPersistentHistoryTrackingKey: true])
        try coordinator.remove(store)
        let url = url
        children = try (0..<processes).map {
            try ChildProgram("postgresql-child", [url.absoluteString, "failover", "client\($0)"])
        }
        said = Heard()
        children.forEach(said.hear)
    }

    deinit { children.forEach { $0.kill() } }

    var lines: [Line] { said.condition.withLock { said.lines } }

    /// Waits until the lines that the processes have printed are enough.
    func wait(_ what: String, until isEnough: ([Line]) -> Bool) throws {
        let end = Date(timeIntervalSinceNow: 120)
        try said.condition.withLock {
            while !isEnough(said.lines) {
                try #require(said.condition.wait(until: end), "\(what): \(said.lines.suffix(5).map(\.text))")
            }
        }
    }

    /// Waits until each process has saved so often after a time.
    func waitForSaves(_ count: Int, after time: TimeInterval) throws {
        try wait("saves") { hasSaved(count, after: time, $0) }
    }

    /// Whether each process has saved so often after a time.
    func hasSaved(_ count: Int, after time: TimeInterval) -> Bool { hasSaved(count, after: time, lines) }

    private func hasSaved(_ count: Int, after time: TimeInterval, _ lines: [Line]) -> Bool {
        let counts = Dictionary(
            grouping: lines.filter { $0.what == "saved" && $0.time > time }, by: \.name
        ).mapValues(\.count)
        return children.indices.allSatisfy { counts["client\($0)", default: 0] >= count }
    }

    static var now: TimeInterval { Date().timeIntervalSince1970 }

    /// How long each process took until its first save after a time, in seconds.
    func firstSaves(after time: TimeInterval) -> [TimeInterval] {
        Dictionary(grouping: lines.filter { $0.what == "saved" && $0.time > time }, by: \.name)
            .values.compactMap { $0.map(\.time).min() }.map { $0 - time }
    }

    /// Ends the processes, so that they print no more lines.
    func end() {
        children.forEach { $0.kill() }
        children.forEach { $0.waitForEnd() }
    }

    func labels(_ what: String) -> [String] { lines.filter { $0.what == what }.map(\.label) }

    /// The first column that a statement gives on a server.
    func column(_ statement: String, on server: Int) -> [String] {
        (cluster.psql(server, database, statement) ?? "").split(separator: "\n").map(String.init)
    }

    /// Compares the printed lines with the rows, once the processes have ended.
    func check(on server: Int, _ location: SourceLocation = #_sourceLocation) {
        let tags = column("SELECT name FROM tag", on: server)
        let (saved, lost, unknown) = (Set(labels("saved")), Set(labels("lost")), labels("unknown"))
        let missing = saved.subtracting(lost).subtracting(tags)
        #expect(missing == [], "acknowledged, gone and not told", sourceLocation: location)
        #expect(lost.intersection(tags) == [], "told as lost, and there", sourceLocation: location)
        #expect(Set(tags).count == tags.count, "twice", sourceLocation: location)
        #expect(unknown == [], "unresolved", sourceLocation: location)
        // Whole, and counted once.
        let counters = """
            SELECT b.title FROM book b WHERE b.title LIKE 'counter %' AND b.pages <> \
            (SELECT count(*) FROM tag t WHERE t.name LIKE substr(b.title, 9) || ' %')
            """
        #expect(column(counters, on: server) == [], sourceLocation: location)
        // In one statement: the server may still commit the last save of a process that has ended.
        let withoutLinks = """
            SELECT (SELECT count(*) FROM tag) - count(*) FROM tag t JOIN book_tags j ON j.tag_id = t.id \
            JOIN book b ON b.id = j.book_id AND b.title = t.name \
            JOIN author a ON a.id = b.author_id AND a.name = t.name
            """
        #expect(column(withoutLinks, on: server) == ["0"], sourceLocation: location)
        // Of tags whose save no process has printed there is at most one for each process: the last one when it
        // ended.
        let extra = Set(tags).subtracting(saved)
        #expect(extra.count <= children.count, sourceLocation: location)
    }
}
#endif
