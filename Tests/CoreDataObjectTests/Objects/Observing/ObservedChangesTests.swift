import Foundation
import Observation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// The table of the article 'Observing': each way to change a value, with a tracker on every property.
///
/// The tests run one after the other, because two of them measure the memory of the process.
@Suite("Trackings of Observation see every change of an object, before it, on the context's queue", .serialized)
struct ObservedChangesTests {
    @Test("Each way to change a value fires exactly the properties that differ, once", .onEveryKindOfStore)
    func ways() throws {
        #expect(ObservedWay.all.count >= 40)
        try ObservedWay.playAll()
    }

    /// With `OPENCOREDATA_RENEW` in the environment the table goes into the article.
    @Test("The article has the table of this suite")
    func article() throws {
        let file = Toolchain.package.appendingPathComponent("Sources/CoreData/CoreData.docc/Observing.md")
        var text = try String(contentsOf: file, encoding: .utf8)
        let rows = ObservedWay.all.map { way in
            let fires = way.fires.map { "`\($0)`" }.joined(separator: ", ")
            return "| \(way.name) | \(fires.isEmpty ? "nothing" : fires) |"
        }
        let table = (["| change | fires, once each |", "|---|---|"] + rows).joined(separator: "\n")
        if ProcessInfo.processInfo.environment["OPENCOREDATA_RENEW"] != nil,
            let start = text.range(of: "| change | fires, once each |"),
            let end = text.range(of: "\n\n", range: start.lowerBound..<text.endIndex)
        {
            text.replaceSubrange(start.lowerBound..<end.lowerBound, with: table)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(text.contains(table + "\n\n"), "The table of the suite is:\n\(table)")
    }

    private func inContext(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let context = try Library().context()
        try context.performAndWait {
            context.observesProperties = true
            try body(context)
        }
    }

    private func count(of body: () -> Void, _ change: () throws -> Void) rethrows -> Int {
        let fired = Locked(0)
        withObservationTracking(body) { fired.withLock { $0 += 1 } }
        try change()
        return fired.withLock { $0 }
    }

    @Test("Without the setting nothing is tracked, and objects get no record")
    func off() throws {
        let context = try Library().context()
        context.performAndWait {
            let book = context.make("Book", ["title": "a"])
            #expect(count(of: { _ = book.value(forKey: "title") }) { book.setValue("b", forKey: "title") } == 0)
            #expect(book.flags.isDisjoint(with: [.tracksReads, .watched]))
            #expect(book.binding.observation == nil)
            // Set later, it holds for the objects that are there; taken back, it no longer does.
            context.observesProperties = true
            #expect(count(of: { _ = book.value(forKey: "title") }) { book.setValue("c", forKey: "title") } == 1)
            context.observesProperties = false
            #expect(count(of: { _ = book.value(forKey: "title") }) { book.setValue("d", forKey: "title") } == 0)
        }
    }

    @Test("A read outside of a tracking makes no registrar, and a read inside tracks that property alone")
    func reads() throws {
        try inContext { context in
            let book = context.make("Book", ["title": "a"])
            _ = book.value(forKey: "title")
            #expect(!book.flags.contains(.watched))
            let title = ManagedSlot("title")
            #expect(count(of: { _ = book.string(title) }) { book.setValue(7, forKey: "pages") } == 0)
            #expect(count(of: { _ = book.string(title) }) { book.set(title, string: "b") } == 1)
            #expect(book.flags.contains(.watched))
        }
    }

    /// What an observer does in the middle of a change.
    enum Work: CaseIterable, Sendable {
        case read, write, save, delete, reset, rollBack, undo, refresh, fetch
    }

    @Test("An observer may read, change, save, delete and reset", arguments: Work.allCases)
    func observers(work: Work) throws {
        let library = try Library()
        for change in Kind.allCases {
            let context = library.context()
            try context.performAndWait {
                context.observesProperties = true
                context.undoManager = UndoManager()
                let author = context.make("Author", ["name": "a"])
                let second = context.make("Author", ["name": "b"])
                let book = context.make("Book", ["title": "t", "author": author])
                try context.save()
                let ran = Locked(0)
                let held = TestSupport.Held((context: context, book: book, author: second))
                for key in ["title", "author", "isDeleted"] {
                    withObservationTracking {
                        _ = book.value(forKey: key)
                        _ = author.value(forKey: "books")
                    } onChange: {
                        ran.withLock { $0 += 1 }
                        Self.carryOut(work, held.value)
                    }
                }
                Self.make(change, context, book, second)
                #expect(ran.withLock { $0 } > 0)
                context.processPendingChanges()
                context.checkInvariants()
                context.reset()
                #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) >= 2)
            }
        }
    }

    /// A change by the program, with an observer in its middle.
    enum Kind: CaseIterable {
        case attribute, toOne, toMany, deletion, rollback, reset, refresh
    }

    private static func make(
        _ kind: Kind, _ context: NSManagedObjectContext, _ book: NSManagedObject, _ author: NSManagedObject
    ) {
        switch kind {
        case .attribute: book.setValue("x", forKey: "title")
        case .toOne: book.setValue(author, forKey: "author")
        case .toMany: author.mutableSetValue(forKey: "books").add(book)
        case .deletion: context.delete(book)
        case .rollback:
            book.setValue("x", forKey: "note")
            book.setValue("x", forKey: "title")
            context.rollback()
        case .reset: context.reset()
        case .refresh:
            book.setValue("x", forKey: "title")
            context.refresh(book, mergeChanges: false)
        }
    }

    private static func carryOut(
        _ work: Work, _ objects: (context: NSManagedObjectContext, book: NSManagedObject, author: NSManagedObject)
    ) {
        let (context, book, author) = objects
        switch work {
        case .read:
            _ = book.value(forKey: "title")
            _ = author.value(forKey: "books")
        case .write: if book.managedObjectContext != nil { book.setValue("other", forKey: "note") }
        case .save: try? context.save()
        case .delete: if book.managedObjectContext != nil { context.delete(book) }
        case .reset: context.reset()
        case .rollBack: context.rollback()
        case .undo: context.undo()
        case .refresh: context.refreshAllObjects()
        case .fetch: _ = try? context.all("Book")
        }
    }

    @Test("Where an observer changes a relationship, the change that follows informs the objects that it concerns then")
    func changesByObservers() throws {
        try inContext { context in
            let ann = context.make("Author", ["name": "a"])
            let bob = context.make("Author", ["name": "b"])
            let eve = context.make("Author", ["name": "c"])
            let book = context.make("Book", ["title": "t", "author": ann])
            let (heldBook, heldEve) = (TestSupport.Held(book), TestSupport.Held(eve))
            withObservationTracking {
                _ = book.value(forKey: "author")
            } onChange: {
                heldBook.value.setValue(heldEve.value, forKey: "author")
            }
            let fired = count(of: { _ = eve.value(forKey: "books") }) { book.setValue(bob, forKey: "author") }
            #expect(fired == 1)
            #expect(book.value(forKey: "author") as? NSManagedObject === bob)
            #expect((eve.value(forKey: "books") as? NSSet)?.count == 0)
        }
    }

    @Test("An observer may begin another tracking, of another property and of its own")
    func trackingsByObservers() throws {
        try inContext { context in
            let book = context.make("Book", ["title": "t", "pages": 1])
            let (held, fired) = (TestSupport.Held(book), Locked<[String]>([]))
            @Sendable func track(_ key: String, then next: [String]) {
                withObservationTracking {
                    _ = held.value.value(forKey: key)
                } onChange: {
                    fired.withLock { $0.append(key) }
                    for key in next { track(key, then: []) }
                }
            }
            track("title", then: ["title", "pages"])
            book.setValue("u", forKey: "title")
            book.setValue(2, forKey: "pages")
            book.setValue("v", forKey: "title")
            book.setValue(3, forKey: "pages")
            #expect(fired.withLock { $0 } == ["title", "pages", "title"])
        }
    }

    @Test("A computed property, a predicate and a sort in a tracking track what they read")
    func derivedReads() throws {
        try inContext { context in
            let author = context.make("Author", ["name": "a"])
            let book = context.make("Book", ["title": "t", "pages": 1, "author": author])
            let predicate = NSPredicate(format: "pages > 3 AND author.name == 'b'")
            let read = { _ = predicate.evaluate(with: book) }
            #expect(count(of: read) { book.setValue(7, forKey: "pages") } == 1)
            #expect(count(of: read) { author.setValue("b", forKey: "name") } == 1)
            let number = { _ = author.mutableSetValue(forKey: "books").count }
            #expect(count(of: number) { context.delete(book) } == 0)
            #expect(count(of: number) { context.processPendingChanges() } == 1)
            #expect(count(of: number) { _ = context.make("Book", ["author": author]) } == 1)
        }
    }

    @Test("Observations gives each state of a main-queue context's object")
    @MainActor
    func sequence() async throws {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        let library = try Library()
        context.persistentStoreCoordinator = library.coordinator
        context.observesProperties = true
        let author = context.make("Author", ["name": "a"])
        let values = Observations { (author.value(forKey: "books") as? NSSet)?.count ?? -1 }
        var seen: [Int] = []
        for await value in values {
            seen.append(value)
            if seen.count == 4 { break }
            _ = context.make("Book", ["author": author])
        }
        #expect(seen == [0, 1, 2, 3])
    }

    @Test("The source of trackings compiles in both language modes", arguments: [5, 6])
    func modes(mode: Int) throws {
        let folder = try TemporaryFolder()
        let text = """
            import CoreData
            import Observation
            final class Note: NSManagedObject {}
            func follow(_ note: Note, _ context: NSManagedObjectContext) -> NSKeyValueObservation {
                context.observesProperties = true
                withObservationTracking { _ = note.value(forKey: "title") } onChange: {}
                let token = context.observe(\\.hasChanges, options: [.new, .initial]) { context, change in
                    let isChanged: Bool? = change.newValue
                    _ = (context.hasChanges, isChanged)
                }
                token.invalidate()
                return note.observe(\\.isDeleted, options: [.old, .prior]) { (note: Note, change) in
                    if change.isPrior, change.kind == .setting { _ = change.oldValue }
                }
            }
            @MainActor func states(of note: Note) -> Observations<Bool, Never> { Observations { note.isDeleted } }
            """
        let file = folder.url.appendingPathComponent("Program.swift")
        try Data(text.utf8).write(to: file)
        let outcome = try Toolchain.run(
            try #require(Toolchain.program("swiftc")),
            ["-swift-version", "\(mode)", "-typecheck", "-parse-as-library"] + Toolchain.importing + [file.path])
        #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome.text)")
    }

    /// Alone in a process it is 1,178 bytes. Other suites of the process take memory at the same time.
    @Test("A tracked object takes at most 2,000 bytes more than one that was only read", .withoutThreadSanitizer)
    func memoryOfObjects() throws {
        try inContext { context in
            func bytes(_ number: Int, _ read: (NSManagedObject) -> Void) -> Int {
                let objects = (0..<number).map { _ in context.make("Tag", ["name": "t"]) }
                let before = ProcessMemory.resident
                for object in objects { read(object) }
                let growth = ProcessMemory.resident - before
                context.reset()
                return growth / number
            }
            let name = ManagedSlot("name")
            let track: (NSManagedObject) -> Void = { object in
                withObservationTracking {
                    _ = object.string(name)
                } onChange: {
                }
            }
            // The first round also takes the memory that later rounds use again.
            let least = bytes(20_000, track)
            #expect(least <= 2_000)
            print("a tracked object: \(least) bytes")
            let clock = ContinuousClock()
            let object = context.make("Tag", ["name": "t"])
            let plain = clock.measure { for _ in 0..<10_000 { _ = object.string(name) } }
            let first = clock.measure {
                withObservationTracking {
                    for _ in 0..<10_000 { _ = object.string(name) }
                } onChange: {
                }
            }
            let watched = clock.measure { for _ in 0..<10_000 { _ = object.string(name) } }
            print("10,000 reads: \(plain), tracked \(first), afterwards \(watched)")
        }
    }

    @Test("Tracked reads leave no memory behind; a million with --long", .withoutThreadSanitizer)
    func memory() throws {
        try inContext { context in
            let rounds = Sample.isWhole ? 1_000_000 : 1_000
            let title = ManagedSlot("title")
            let book = context.make("Book", ["title": "a"])
            func play(_ rounds: Int) {
                for round in 0..<rounds {
                    let object = round % 2 == 0 ? book : context.make("Book", ["title": "b"])
                    withObservationTracking {
                        _ = object.string(title)
                    } onChange: {
                    }
                    object.set(title, string: "\(round)")
                    if object !== book { context.delete(object) }
                    if round % 500 == 499 { context.reset() }
                }
                context.reset()
            }
            play(1_000)
            #expect(context.settings.observation?.count == 0)
            let before = ProcessMemory.resident
            play(rounds)
            #expect(context.settings.observation?.count == 0)
            let growth = ProcessMemory.resident - before
            #expect(growth < 8 << 20, "\(growth) bytes stayed after \(rounds) rounds")
        }
    }
}
