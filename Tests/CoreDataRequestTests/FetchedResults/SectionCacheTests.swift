import Testing
import TestSupport

@testable import CoreData
@testable import CoreDataTestSupport

@Suite(
    "The section cache of a fetched-results controller", .leavesNothingBehind,
    .onStores(.sqlite, .binary, .xml, .atomic))
struct SectionCacheTests {
    /// Runs the body on a library with three books in two sections, and a cache name of its own.
    private func withLibrary(_ body: (Library, NSManagedObjectContext, String) throws -> Void) throws {
        let library = try Library()
        let context = library.context()
        let name = "test \(UUID().uuidString)"
        defer { SectionCache.remove(named: name) }
        try context.performAndWait {
            for title in ["a1", "b1", "b2"] {
                context.make("Book", ["title": title, "note": String(title.prefix(1))])
            }
            try context.save()
            try body(library, context, name)
        }
    }

    private func controller(
        _ context: NSManagedObjectContext, _ name: String, predicate: NSPredicate? = nil
    ) -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [
            NSSortDescriptor(key: "note", ascending: true), NSSortDescriptor(key: "title", ascending: true),
        ]
        request.predicate = predicate
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "note", cacheName: name)
    }

    @Test("It is written by a fetch and read by the next one, which reads only the borders of the sections")
    func reuse() throws {
        try withLibrary { library, context, name in
            try controller(context, name).performFetch()
            var cache = try #require(SectionCache.read(named: name))
            #expect(cache.names == ["a", "b"])
            #expect(cache.counts == [1, 2])
            // A cache that is consistent at its borders is used: the results show its contents.
            let later = library.context()
            try later.performAndWait {
                for index in 0..<3 { later.make("Book", ["title": "b\(index)", "note": "b"]) }
                try later.save()
            }
            let fresh = controller(context, name)
            try fresh.performFetch()
            #expect(fresh.sections?.map(\.numberOfObjects) == [1, 5])
            cache = try #require(SectionCache.read(named: name))
            #expect(cache.counts == [1, 5])
        }
    }

    @Test("One that is wrong, damaged, or of another request is made anew")
    func invalid() throws {
        try withLibrary { _, context, name in
            let first = controller(context, name)
            try first.performFetch()
            var cache = try #require(SectionCache.read(named: name))
            cache.counts = [2, 1]
            cache.write(named: name)
            try first.performFetch()
            #expect(first.sections?.map(\.numberOfObjects) == [1, 2])
            #expect(SectionCache.read(named: name)?.counts == [1, 2])

            try Data("not json".utf8).write(to: SectionCache.file(named: name))
            try first.performFetch()
            #expect(first.sections?.map(\.numberOfObjects) == [1, 2])

            let other = controller(context, name, predicate: NSPredicate(format: "title != 'b1'"))
            try other.performFetch()
            #expect(other.sections?.map(\.numberOfObjects) == [1, 1])
        }
    }

    @Test("A store without a file has none, and the sections are right without it", .onStores(.inMemory, .incremental))
    func withoutFile() throws {
        try withLibrary { _, context, name in
            for _ in 0..<2 {
                let controller = controller(context, name)
                try controller.performFetch()
                #expect(controller.sections?.map(\.numberOfObjects) == [1, 2])
                #expect(SectionCache.read(named: name) == nil)
            }
        }
    }

    @Test("A save replaces it, unsaved changes are never in it, and it can be deleted")
    func lifecycle() throws {
        try withLibrary { _, context, name in
            let tracked = controller(context, name)
            try tracked.performFetch()
            let delegate = RecordingDelegate(copying: tracked)
            tracked.delegate = delegate
            context.make("Book", ["title": "c1", "note": "c"])
            context.processPendingChanges()
            #expect(tracked.sections?.count == 3)
            #expect(SectionCache.read(named: name)?.names == ["a", "b"])
            try context.save()
            #expect(SectionCache.read(named: name)?.names == ["a", "b", "c"])
            NSFetchedResultsController<NSFetchRequestResult>.deleteCache(withName: name)
            #expect(SectionCache.read(named: name) == nil)
        }
    }
}
