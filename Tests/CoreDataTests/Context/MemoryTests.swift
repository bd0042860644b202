import CoreData
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Memory")
struct MemoryTests {
    /// Runs in a process of its own: other tests use memory, too.
    @Test("Very many fetched faults give their memory back when they are let go")
    func faultsAreReleased() async {
        await #expect(processExitsWith: .success) {
            let count = 1_000_000
            let folder = try TemporaryFolder()
            let url = try MemoryTests.store(of: count, in: folder)
            let library = try Library(in: folder)
            func fetch(_ limit: Int) throws -> Int {
                let context = library.context()
                return try context.performAndWait {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                    request.fetchLimit = limit
                    let tags = try context.fetch(request)
                    precondition(tags.count == limit && tags.allSatisfy(\.isFault))
                    return MemoryTests.residentBytes()
                }
            }
            _ = try fetch(10_000)
            MemoryTests.trim()
            let start = MemoryTests.residentBytes()
            let peak = try fetch(count)
            MemoryTests.trim()
            let end = MemoryTests.residentBytes()
            print("resident: start \(start), peak \(peak), end \(end) bytes; store \(url.lastPathComponent)")
            precondition(peak > start * 3 / 2, "The faults took no memory: \(start), \(peak)")
            precondition(end <= start + start / 10, "Memory was kept: \(start) before, \(end) after")
        }
    }

    private static func store(of count: Int, in folder: TemporaryFolder) throws -> URL {
        let url = try Library(in: folder).storeURL
        let database = try RawDatabase(url)
        try database.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME)
            SELECT i, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'), 1, 'tag ' || i FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(count) WHERE Z_NAME = 'Tag';
            """)
        return url
    }

    /// Has the allocator give free pages back; the function is glibc's and not in Swift's module of it.
    private static func trim() {
        typealias Trim = @convention(c) (Int) -> Int32
        guard let found = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(found, to: Trim.self)(0)
    }

    /// The memory of this process that is in use, as the kernel counts it.
    private static func residentBytes() -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        return (Int(text.split(separator: " ")[1]) ?? 0) * Int(getpagesize())
    }
}
