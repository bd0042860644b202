import CoreData
import Testing
import TestSupport

@testable import CoreDataTestSupport

@Suite("Many queues at once", .leavesNothingBehind, .onEveryKindOfStore)
struct ConcurrencyTests {
    @Test("Contexts on one coordinator write and read side by side, and no row is lost")
    func siblings() async throws {
        let library = try Library()
        let writers = 4
        let batches = Sample.isWhole ? 15 : 8
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    let context = library.context()
                    for batch in 0..<batches {
                        try await context.perform {
                            let author = context.make("Author", ["name": "\(writer)-\(batch)"])
                            for number in 0..<20 { context.make("Book", ["pages": number, "author": author]) }
                            try context.save()
                        }
                    }
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    let context = library.context()
                    for _ in 0..<batches {
                        try await context.perform {
                            for author in try context.all("Author") {
                                // Every author is saved together with its books, so a reader sees all of them or no
                                // author.
                                #expect((author.value(forKey: "books") as? NSSet)?.count == 20)
                            }
                            context.reset()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let context = library.context()
        let counts = try await context.perform { (try context.all("Author").count, try context.all("Book").count) }
        #expect(counts.0 == writers * batches)
        #expect(counts.1 == writers * batches * 20)
        await context.perform { context.checkInvariants() }
    }

    @Test("A block of a coordinator may wait for another one, also in blocks of a context and another coordinator")
    func nestedBlocksOfCoordinator() async throws {
        let library = try Library()
        let coordinator = library.coordinator
        let other = NSPersistentStoreCoordinator()
        let context = library.context()
        let inner: Int = coordinator.performAndWait {
            coordinator.performAndWait {
                other.performAndWait { context.performAndWait { coordinator.performAndWait { 1 } } }
            }
        }
        #expect(inner == 1)
        let later: Int = await coordinator.perform { coordinator.performAndWait { 2 } }
        #expect(later == 2)
        await withCheckedContinuation { continuation in
            coordinator.perform { coordinator.performAndWait { continuation.resume() } }
        }
    }

    @Test("Children of the main context import while the main queue edits and the root saves")
    func chain() async throws {
        let library = try Library()
        let root = library.context()
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.parent = root
        let batches = Sample.isWhole ? 10 : 5
        try await withThrowingTaskGroup(of: Void.self) { group in
            for importer in 0..<3 {
                group.addTask {
                    let child = library.child(of: main)
                    for batch in 0..<batches {
                        try await child.perform {
                            for number in 0..<10 { child.make("Book", ["title": "\(importer).\(batch).\(number)"]) }
                            try child.save()
                        }
                        try await main.perform { try main.save() }
                        try await root.perform { try root.save() }
                    }
                }
            }
            group.addTask {
                for number in 0..<3 * batches {
                    try await main.perform {
                        main.make("Tag", ["name": "\(number)"])
                        _ = try main.all("Book", "title BEGINSWITH '1.'")
                    }
                }
            }
            try await group.waitForAll()
        }
        try await main.perform { try main.save() }
        try await root.perform { try root.save() }
        let beside = library.context()
        let counts = try await beside.perform { (try beside.all("Book").count, try beside.all("Tag").count) }
        #expect(counts.0 == 30 * batches)
        #expect(counts.1 == 3 * batches)
        for context in [root, main] { await context.perform { context.checkInvariants() } }
    }

    @Test("Objects may be released on any thread while their context works")
    func releaseAnywhere() async throws {
        let library = try Library()
        let context = library.context()
        let count = Sample.isWhole ? 500 : 200
        try await context.perform {
            for number in 0..<count { context.make("Book", ["pages": number]) }
            try context.save()
            context.reset()
        }
        for _ in 0..<20 {
            let objects = try await context.perform { Held(try context.all("Book")) }
            let release = Task.detached { withExtendedLifetime(objects) {} }
            #expect(try await context.perform { try context.all("Book").count } == count)
            await release.value
            await context.perform { context.checkInvariants() }
        }
    }
}
