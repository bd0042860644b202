import CoreData
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Memory", .withoutThreadSanitizer)
struct MemoryTests {
    /// Runs in a process of its own: other tests use memory, too.
    @Test("Very many fetched faults give their memory back when they are released")
    func faultsAreReleased() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let count = Sample.isWhole ? 1_000_000 : 400_000
            let folder = try TemporaryFolder()
            try MemoryTests.store(of: count, in: folder)
            let library = try Library(in: folder)
            func fetch(_ limit: Int) throws -> Use {
                let context = library.context()
                return try context.performAndWait {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                    request.fetchLimit = limit
                    let tags = try context.fetch(request)
                    precondition(tags.count == limit && tags.allSatisfy(\.isFault))
                    return Use.now
                }
            }
            _ = try fetch(10_000)
            // SQLite keeps some of the file's pages, which has nothing to do with objects: it shall have them before.
            let context = library.context()
            let scanned = try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                request.predicate = NSPredicate(format: "name CONTAINS 'no such tag'")
                return try context.count(for: request)
            }
            precondition(scanned == 0)
            MemoryTests.trim()
            let start = Use.now
            let peak = try fetch(count)
            MemoryTests.trim()
            let end = Use.now
            let figures = "start \(start), peak \(peak), end \(end)"
            FileHandle.standardError.write(Data((figures + "\n").utf8))
            precondition(peak.allocated > start.allocated + count * 100, "The faults took no memory: \(figures)")
            precondition(end.allocated <= start.allocated * 11 / 10, "Allocations were kept: \(figures)")
            // The allocator keeps pages of which it has handed out a little; they are few beside those it gave back.
            let added = peak.resident - start.resident
            precondition(end.resident <= start.resident + added / 10, "Memory was kept: \(figures)")
            withExtendedLifetime(folder) {}
        }
        let report = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(report.contains("start"), "\(report.prefix(2000))")
        print(report.split(separator: "\n").first ?? "")
    }

    /// The memory of this process, in bytes.
    private struct Use: CustomStringConvertible {
        /// The bytes that the allocator has handed out and not got back, in all of its arenas.
        let allocated: Int
        /// The pages in use, as the kernel counts them; files that are mapped are left out.
        let resident: Int

        var description: String { "\(allocated / 1024) kB allocated, \(resident / 1024) kB resident" }

        static var now: Use { Use(allocated: allocatedBytes(), resident: ProcessMemory.resident) }

        private static func allocatedBytes() -> Int {
            // glibc's, and not in Swift's module of it.
            typealias Report = @convention(c) (Int32, UnsafeMutableRawPointer) -> Int32
            var text: UnsafeMutablePointer<CChar>?
            var size = 0
            guard let found = dlsym(nil, "malloc_info"), let stream = open_memstream(&text, &size) else { return 0 }
            _ = unsafeBitCast(found, to: Report.self)(0, UnsafeMutableRawPointer(stream))
            fclose(stream)
            defer { free(text) }
            // The totals of all arenas stand behind the last one.
            let report = text.map { String(cString: $0) } ?? ""
            let totals = report.components(separatedBy: "</heap>").last ?? ""
            func bytes(_ element: String) -> Int {
                guard let found = totals.range(of: element),
                    let value = totals[found.upperBound...].range(of: "size=\"")
                else { return 0 }
                return Int(totals[value.upperBound...].prefix { $0.isNumber }) ?? 0
            }
            return bytes("<system type=\"current\"") - bytes("<total type=\"fast\"") - bytes("<total type=\"rest\"")
                + bytes("<total type=\"mmap\"")
        }
    }

    private static func store(of count: Int, in folder: TemporaryFolder) throws {
        let database = try RawDatabase(try Library(in: folder).storeURL)
        try database.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME)
            SELECT i, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'), 1, 'tag ' || i FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(count) WHERE Z_NAME = 'Tag';
            """)
    }

    /// Has the allocator give free pages back; the function is glibc's and not in Swift's module of it.
    private static func trim() {
        typealias Trim = @convention(c) (Int) -> Int32
        guard let found = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(found, to: Trim.self)(0)
    }
}
