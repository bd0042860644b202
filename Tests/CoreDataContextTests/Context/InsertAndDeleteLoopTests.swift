import CoreData
import Foundation
import Testing
import TestSupport

@testable import CoreDataTestSupport

/// The loop by which people find out about queues: an object is inserted and deleted again and again, from a background
/// queue. As it is written first it is wrong; there are two ways to put it right.
///
/// `bin/test --long` lets the right ones run for a minute each; with `--tsan` the thread sanitizer watches.
@Suite("Inserting and deleting in a loop", .leavesNothingBehind, .onEveryKindOfStore)
struct InsertAndDeleteLoopTests {
    @Test(
        "The first wrong access to the main context from a background queue stops the process with a reason",
        .onStores(.sqlite))
    func wrongQueue() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            setenv("OPENCOREDATA_CONCURRENCY_DEBUG", "1", 1)
            let library = try Library()
            let loop = try PersonLoop(.background, library, .mainContext, .passes(50), announces: true)
            await loop.run()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("__Multithreading_Violation_AllThatIsLeftToUsIsHonor__"), "\(text)")
        #expect(text.contains("people"), "the context is not named: \(text)")
        #expect(text.contains("on no context's queue; it belongs to the main queue"), "\(text)")
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        let passes = output.split(separator: "\n").filter { $0.hasPrefix("pass") }
        #expect(passes == ["pass 1 begins", "pass 1 ends", "pass 2 begins"], "not the first wrong access: \(output)")
    }

    @Test(
        "An object used off its queue stops the process with the object, its context and both queues",
        .onStores(.sqlite))
    func wrongObject() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            setenv("OPENCOREDATA_CONCURRENCY_DEBUG", "1", 1)
            let library = try Library()
            let context = library.context()
            let other = library.context()
            other.performAndWait { other.name = "export" }
            let author = context.performAndWait {
                context.name = "people"
                return Held(context.make("Author", ["name": "A"]))
            }
            other.performAndWait { _ = author.value.value(forKey: "name") }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for part in ["The object <Author", "people", "the queue of", "export", "it belongs to its own queue"] {
            #expect(text.contains(part), "'\(part)' is not in: \(text)")
        }
    }

    @Test("A loop on the main queue, where the context belongs, leaves no object")
    func mainQueue() async throws {
        let library = try Library()
        let loop = try PersonLoop(.main, library, .mainContext, .chosen)
        await loop.run()
        #expect(try loop.remaining() == 0)
        #expect(loop.passes >= 100)
    }

    @Test("A loop in a private child, saved up to the store, leaves no object while the main context reads")
    func privateChild() async throws {
        let library = try Library()
        let loop = try PersonLoop(.background, library, .privateChild, .chosen)
        await loop.run()
        #expect(try loop.remaining() == 0)
        #expect(loop.passes >= 100)
        #expect(try library.saved("Author", "name") == [])
    }

    /// An object carried where it must not go.
    private final class Held: @unchecked Sendable {  // wrong on purpose: the process stops when it is used
        let value: NSManagedObject
        init(_ value: NSManagedObject) { self.value = value }
    }
}

/// The loop, on the queue of choice and through the context of choice.
// @unchecked Sendable: the counter is used by one pass at a time, the contexts on their queues where the loop is right.
private final class PersonLoop: @unchecked Sendable {
    enum Queue { case main, background }
    enum Way { case mainContext, privateChild }

    enum Length {
        case passes(Int)
        case seconds(Double)

        static var chosen: Length {
            ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] == nil ? .passes(100) : .seconds(60)
        }
    }

    private let queue: DispatchQueue
    private let main: NSManagedObjectContext
    private let child: NSManagedObjectContext
    private let way: Way
    private let length: Length
    /// Whether each pass prints a line on standard output.
    private let announces: Bool
    private let begin = Date()
    private(set) var passes = 0

    init(_ queue: Queue, _ library: Library, _ way: Way, _ length: Length, announces: Bool = false) throws {
        self.announces = announces
        self.queue = queue == .main ? .main : .global(qos: .background)
        self.way = way
        self.length = length
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.performAndWait {
            main.persistentStoreCoordinator = library.coordinator
            main.name = "people"
        }
        self.main = main
        child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.performAndWait { child.parent = main }
    }

    private var isOver: Bool {
        switch length {
        case .passes(let count): passes >= count
        case .seconds(let seconds): Date().timeIntervalSince(begin) >= seconds
        }
    }

    /// The first pass is on the main queue, as in a view that has loaded; ends when the last pass has.
    func run() async {
        await withCheckedContinuation { (end: CheckedContinuation<Void, Never>) in
            DispatchQueue.main.async { self.doSomething { end.resume() } }
        }
    }

    private func doSomething(then end: @escaping @Sendable () -> Void) {
        if isOver { return end() }
        passes += 1
        if announces { announce("pass \(passes) begins") }
        insert(person: "Person \(passes)")
        delete(person: "Person \(passes)")
        if announces { announce("pass \(passes) ends") }
        if way == .privateChild { main.perform { self.look() } }
        queue.asyncAfter(deadline: .now() + 0.001) { self.doSomething(then: end) }
    }

    private func announce(_ text: String) {
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }

    private func insert(person name: String) {
        switch way {
        case .mainContext:
            main.make("Author", ["name": name])
            save { try main.save() }
        case .privateChild:
            child.performAndWait {
                child.make("Author", ["name": name])
                synchronize()
            }
        }
    }

    private func delete(person name: String) {
        switch way {
        case .mainContext:
            save {
                for person in try main.all("Author", "name == %@", name) { main.delete(person) }
                try main.save()
            }
        case .privateChild:
            child.performAndWait {
                save { for person in try child.all("Author", "name == %@", name) { child.delete(person) } }
                synchronize()
            }
        }
    }

    private func synchronize() {
        save {
            try child.save()
            try main.performAndWait { try main.save() }
        }
    }

    private func save(_ body: () throws -> Void) {
        do { try body() } catch { Issue.record(error) }
    }

    /// The reads of a list on the screen between the saves.
    private func look() {
        save { _ = try main.all("Author").map { $0.value(forKey: "name") as? String } }
    }

    func remaining() throws -> Int { try main.performAndWait { try main.all("Author").count } }
}
