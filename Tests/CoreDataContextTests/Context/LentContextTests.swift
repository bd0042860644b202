import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

// A holder of a context that waits for one below it lends it to the blocks before its own in the other's queue.
@Suite("Waiting for a child", .leavesNothingBehind)
struct LentContextTests {
    /// Runs a body on the main queue. Fails where it does not come to its end.
    private func onMainQueue(_ body: @escaping @Sendable () throws -> Void) throws {
        try finishing { run in
            DispatchQueue.main.async(execute: run)
        } body: {
            try body()
        }
    }

    /// Starts a body by something that runs it elsewhere, and fails where it does not come to its end.
    private func finishing(
        _ start: (@escaping @Sendable () -> Void) -> Void, body: @escaping @Sendable () throws -> Void
    ) throws {
        let done = DispatchSemaphore(value: 0)
        let outcome = Outcome()
        start {
            outcome.result = Result { try body() }
            done.signal()
        }
        try #require(done.wait(timeout: .now() + .seconds(60)) == .success, "The contexts wait for each other.")
        try outcome.result?.get()
    }

    private final class Outcome: @unchecked Sendable {  // read after the semaphore's signal
        var result: Result<Void, any Error>?
    }

    private func main(_ library: Library) -> NSManagedObjectContext {
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.persistentStoreCoordinator = library.coordinator
        return main
    }

    @Test("A child that merges by itself has the main context's save when that waits for it")
    func mergingBelowMain() throws {
        let library = try Library()
        let main = main(library)
        let child = library.child(of: main)
        try onMainQueue {
            let book = main.make("Book", ["title": "0"])
            try main.save()
            let copy = try child.performAndWait {
                child.automaticallyMergesChangesFromParent = true
                return Held(try #require(try child.all("Book").first))
            }
            for number in 1...100 {
                book.setValue("\(number)", forKey: "title")
                try main.save()
                child.performAndWait { #expect(copy.value.text("title") == "\(number)") }
            }
        }
    }

    @Test("A child that merges by itself has a private parent's save when a block of that waits for it")
    func mergingBelowPrivate() throws {
        let library = try Library()
        let parent = library.context()
        let child = library.child(of: parent)
        try finishing { run in
            parent.perform(run)
        } body: {
            let book = parent.make("Book", ["title": "0"])
            try parent.save()
            let copy = try child.performAndWait {
                child.automaticallyMergesChangesFromParent = true
                return Held(try #require(try child.all("Book").first))
            }
            for number in 1...100 {
                book.setValue("\(number)", forKey: "title")
                try parent.save()
                child.performAndWait { #expect(copy.value.text("title") == "\(number)") }
            }
        }
    }

    @Test("A read through two contexts above runs while their holder waits, in any order")
    func readingThroughTwo() throws {
        let library = try Library()
        let root = library.context()
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.parent = root
        let child = library.child(of: main)
        let others = (0..<3).map { _ in library.child(of: main) }
        try root.performAndWait {
            root.make("Book", ["title": "T"])
            try root.save()
        }
        try onMainQueue {
            let counted = Counter()
            try root.performAndWait {
                for number in 1...100 {
                    let started = DispatchSemaphore(value: 0)
                    for context in [child] + others {
                        context.perform {
                            started.signal()
                            context.reset()
                            if let book = try? context.all("Book").first, book.text("title") == "T" { counted.add() }
                        }
                    }
                    if number % 2 == 0 { for _ in 0...others.count { started.wait() } }
                    try child.performAndWait {
                        let (below, above) = (try child.all("Book"), try main.all("Book"))
                        #expect(below.count == 1 && above.count == 1)
                    }
                    for other in others { other.performAndWait {} }
                }
            }
            #expect(counted.count == 400)
        }
    }

    @Test("A holder of the main queue that reads through a private context lends the queue to a block of that context")
    func readingBelowHeldMain() throws {
        let library = try Library()
        let main = main(library)
        let parent = library.child(of: main)
        let child = library.child(of: parent)
        try onMainQueue {
            main.make("Book", ["title": "T"])
            try main.save()
            let counted = Counter()
            for _ in 1...100 {
                let (isIn, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                parent.perform {
                    isIn.signal()
                    goesOn.wait()
                    parent.reset()
                    if let book = try? parent.all("Book").first, book.text("title") == "T" { counted.add() }
                }
                isIn.wait()
                try child.performAndWait {
                    child.reset()
                    goesOn.signal()
                    let book = try child.all("Book").first
                    #expect(book?.text("title") == "T")
                }
            }
            parent.performAndWait {}
            #expect(counted.count == 100)
        }
    }

    @Test("A holder of the root that reads through the main context lends the root to work on the main queue")
    func readingBelowHeldRoot() throws {
        let library = try Library()
        let root = library.context()
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.parent = root
        let child = library.child(of: main)
        let counted = Counter()
        let group = DispatchGroup()
        try finishing { run in
            root.perform(run)
        } body: {
            root.make("Book", ["title": "T"])
            try root.save()
            for _ in 1...100 {
                let isIn = DispatchSemaphore(value: 0)
                group.enter()
                main.perform {
                    isIn.signal()
                    main.reset()
                    if let book = try? main.all("Book").first, book.text("title") == "T" { counted.add() }
                    group.leave()
                }
                isIn.wait()
                try child.performAndWait {
                    child.reset()
                    let book = try child.all("Book").first
                    #expect(book?.text("title") == "T")
                }
                let books = try root.all("Book")
                #expect(books.count == 1)
            }
        }
        #expect(group.wait(timeout: .now() + .seconds(60)) == .success)
        #expect(counted.count == 100)
    }

    private final class Counter: @unchecked Sendable {  // guarded by `lock`
        private let lock = NSLock()
        private var value = 0
        var count: Int { lock.withLock { value } }
        func add() { lock.withLock { value += 1 } }
    }
}
