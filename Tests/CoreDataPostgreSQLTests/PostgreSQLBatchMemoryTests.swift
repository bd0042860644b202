#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// The memory that batches take in a process, by the number of rows.
@Suite(
    .serialized, .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLBatchMemoryTests {
    private static let isLong = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil

    /// Each book has a title of two kilobytes: 50,000 are 100 MB.
    private static func fill(_ library: Library, books: Int) throws {
        let rows = """
            INSERT INTO author (name) SELECT number FROM generate_series(1, \(books)) number; \
            INSERT INTO book (title, pages, entity, author_id, version) \
            SELECT repeat('a title ' || id, 200), id, 'Book', id, 1 FROM author
            """
        let server = try PostgreSQLServer.shared.get()
        #expect(server.psql(library.database, rows) != nil)
    }

    /// The output of a process that ran a batch: its most memory in kilobytes.
    private static func peak(of way: String, _ library: Library, rows: Int) throws -> Int {
        let url = try #require(library.store.url)
        let start = ContinuousClock.now
        let output = try ChildProgram("postgresql-child", [url.absoluteString, "batch", way]).wait().output
        #expect(way == "purge" || output.hasPrefix("rows \(rows)\n"), "\(output)")
        let peak = output.split(separator: "\n").last { $0.hasPrefix("peak ") }?.split(separator: " ")[1]
        print("\(way), \(rows) rows: \(ContinuousClock.now - start), peak \(peak ?? "?") kB")
        return try #require(peak.flatMap { Int($0) })
    }

    @Test(
        """
        Ten times as many rows take no more memory: what is read in batches, what the server computes, what the
        program does, deletions
        """)
    func constantMemory() throws {
        let ways = ["walk", "stored", "computed", "deletion", "purge"]
        let sizes = Self.isLong ? [100_000, 1_000_000] : [800, 8_000]
        // A process's other memory differs by some hundred kilobytes from run to run, and only ever adds: the least
        // of several runs counts. The memory of rows is in each of them.
        var least = try Self.peaks(of: ways, sizes)
        for _ in 0..<2 where zip(least[0], least[1]).contains(where: { $1 >= $0 + Self.bound }) {
            least = zip(least, try Self.peaks(of: ways, sizes)).map { zip($0, $1).map(min) }
        }
        for (way, (few, many)) in zip(ways, zip(least[0], least[1])) {
            #expect(many < few + Self.bound, "\(way): \(few) kB, and \(many) kB of ten times as many")
        }
    }

    /// Kilobytes: of the least number of rows that are more, 58 bytes for each, which has two kilobytes.
    private static let bound = 2_560

    /// The peaks of all ways, by sizes.
    private static func peaks(of ways: [String], _ sizes: [Int]) throws -> [[Int]] {
        let server = try PostgreSQLServer.shared.get()
        return try sizes.map { size in
            let library = try Library(.postgreSQL, options: [NSPersistentHistoryTrackingKey: true])
            let database = library.database
            try Self.fill(library, books: size)
            return try ways.map { way in
                let peak = try Self.peak(of: way, library, rows: size)
                switch way {
                case "computed":
                    // Each row was read once as it was, and written once, by each of the two.
                    let right = """
                        SELECT count(*) FROM book WHERE pages = author_id + 2 AND version = 3 \
                        AND note = upper(title)
                        """
                    #expect(server.psql(database, right) == "\(size)")
                case "deletion":
                    #expect(server.psql(database, "SELECT count(*) FROM book, author") == "0")
                    let gone = "SELECT count(*) FROM coredata.changes WHERE \"type\" = 2"
                    #expect(server.psql(database, gone) == "\(2 * size)")
                case "purge": #expect(server.psql(database, "SELECT count(*) FROM coredata.changes") == "0")
                default: break
                }
                return peak
            }
        }
    }
}
#endif
