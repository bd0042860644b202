import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Results that are made a batch at a time", .leavesNothingBehind, .onEveryKindOfStore)
struct FetchedObjectsTests {
    /// 90 books, every third one a novel, of nine authors; the prices of ten are the same.
    private let library: Library
    private let context: NSManagedObjectContext

    init() throws {
        library = try Library()
        let writer = library.context()
        try writer.performAndWait {
            let authors = (0..<9).map { writer.make("Author", ["name": "a\($0)"]) }
            for number in 0..<90 {
                writer.make(
                    number % 3 == 0 ? "Novel" : "Book",
                    [
                        "title": "t\(number)", "pages": number * 7 % 90, "copies": number / 10,
                        "author": authors[number % 9],
                    ])
            }
            try writer.save()
            writer.reset()
        }
        context = library.context()
    }

    private func books(_ format: String? = nil, by keys: String...) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: true) }
        return request
    }

    private func titles(_ objects: some Sequence<NSManagedObject>) -> [String] {
        objects.map { $0.text("title") ?? "nil" }
    }

    /// The collection is what the array is, for several requests; a request without an order may give any.
    private func expectSame(
        _ context: NSManagedObjectContext, _ place: SourceLocation = #_sourceLocation
    ) throws {
        let requests = [
            books(by: "pages", "title"), books("pages < 40", by: "copies", "title"), books("pages > 1000", by: "title"),
            books("author.name == 'a3'", by: "title"), books(), books("copies == 2"),
        ]
        for (number, request) in requests.enumerated() {
            for (offset, limit) in [(0, 0), (3, 0), (0, 20), (5, 11), (200, 3)] {
                let isOrdered = request.sortDescriptors?.isEmpty == false
                if !isOrdered, offset + limit > 0 { continue }
                (request.fetchOffset, request.fetchLimit) = (offset, limit)
                let expected = try context.fetch(request)
                // A batch for each object is a statement for each: of few objects it shows what it does of many.
                let sizes = expected.count > 20 ? [7, 1000] : [1, 7, 1000]
                for size in Sample.slice(sizes, oneIn: 2, "\(number) \(offset)") {
                    let found = try context.fetch(request, batchSize: size)
                    #expect(found.count == expected.count, sourceLocation: place)
                    if isOrdered {
                        #expect(Array(found) == expected, sourceLocation: place)
                        #expect(found.indices.map { found[$0] } == expected, sourceLocation: place)
                        #expect(found.reversed() == expected.reversed(), sourceLocation: place)
                    } else {
                        #expect(Set(found) == Set(expected), sourceLocation: place)
                    }
                }
            }
        }
    }

    // MARK: Elements

    @Test(
        "It has the objects of a fetch in the fetch's order, with any batches",
        arguments: Sample.slice([0, 1, 2], oneIn: 3, "batches"))
    func contents(depth: Int) throws {
        var context = context
        for _ in 0..<depth { context = library.child(of: context) }
        try context.performAndWait {
            try expectSame(context)
            let found = try context.fetch(books(by: "pages"), batchSize: 10)
            #expect(found.first?.number("pages") == 0 && found.last?.number("pages") == 89)
            #expect(found[40..<43].map { $0.number("pages") } == [40, 41, 42])
            #expect(found.firstIndex { $0.number("pages") == 31 } == 31)
            #expect(found.lazy.filter { $0.entity.name == "Novel" }.count == 30)
        }
    }

    @Test("Requests for a subentity, or without subentities, give those objects alone")
    func entities() throws {
        try context.performAndWait {
            let novels = NSFetchRequest<NSManagedObject>(entityName: "Novel")
            let found = try context.fetch(novels, batchSize: 4)
            #expect(found.allSatisfy { $0.entity.name == "Novel" })
            #expect(found.count == 30)
            let plain = books(by: "title")
            plain.includesSubentities = false
            let all = try context.fetch(plain)
            #expect(try Array(context.fetch(plain, batchSize: 4)) == all)
        }
    }

    @Test(
        "Unsaved objects count as in a fetch: new, changed and deleted ones",
        arguments: Sample.slice([0, 1, 2], oneIn: 3, "unsaved"))
    func unsaved(childrenAbove: Int) throws {
        try context.performAndWait {
            for book in try context.all("Book") {
                let number = book.number("pages") ?? 0
                if number % 11 == 0 { context.delete(book) }
                if number % 13 == 1 { book.setValue(number + 35, forKey: "pages") }
                if number % 17 == 2 { book.setValue(2, forKey: "copies") }
            }
            for number in 0..<60 {
                context.make(
                    number % 2 == 0 ? "Novel" : "Book",
                    ["title": "new \(number)", "pages": number * 3, "copies": number % 4])
            }
            try expectSame(context)
            let saved = books(by: "title")
            saved.includesPendingChanges = false
            #expect(try context.fetch(saved, batchSize: 8).count == 90)
        }
        var lower = context
        for _ in 0..<childrenAbove {
            lower = library.child(of: lower)
            try lower.performAndWait {
                try expectSame(lower)
                try #require(try lower.all("Book", "pages == 30").first).setValue(1, forKey: "pages")
                lower.make("Book", ["title": "newer", "pages": 5, "copies": 2])
                try expectSame(lower)
            }
        }
    }

    @Test("A store in memory decides object by object, too", .onStores(.inMemory))
    func judged() throws {
        try context.performAndWait {
            let request = books(by: "pages")
            request.predicate = NSPredicate { object, _ in (object as? NSManagedObject)?.number("pages") ?? 0 < 12 }
            let numbers = try context.fetch(request, batchSize: 5).map { $0.number("pages") }
            #expect(numbers == Array(0..<12))
            context.make("Book", ["title": "new", "pages": 11])
            #expect(try context.fetch(request, batchSize: 5).count == 13)
        }
    }

    // MARK: Objects in memory

    @Test("It holds the objects of one batch, their rows are dropped with them", .onStores(.sqlite, .inMemory))
    func holding() throws {
        let cached = { [library] in library.coordinator.cachedRowCount }
        try context.performAndWait {
            let found = try context.fetch(books(by: "pages"), batchSize: 10)
            #expect(cached() == 0 && context.registeredObjects.isEmpty)
            weak let early = found[3]
            #expect(early?.text("title") != nil)
            #expect(cached() == 10 && context.registeredObjects.count == 10)
            #expect(found[19].number("pages") == 19)
            #expect(early == nil && context.registeredObjects.count == 10)
            for (number, book) in found.enumerated() {
                #expect(book.number("pages") == number)
                #expect(context.registeredObjects.count <= 20)
            }
            // The table of the row cache holds so many rows before it is swept.
            #expect(cached() <= 64)
            #expect(context.registeredObjects.count == 10)
        }
        context.performAndWait { #expect(context.registeredObjects.isEmpty) }
    }

    @Test("An object that is still referenced is the same at the next access, with its unsaved changes")
    func identity() throws {
        try context.performAndWait {
            let found = try context.fetch(books(by: "pages"), batchSize: 10)
            let held = found[5]
            found[6].setValue("mine", forKey: "note")
            _ = found[80]
            #expect(found[5] === held)
            #expect(found[6].text("note") == "mine" && found[6].hasChanges)
            #expect(context.updatedObjects.count == 1)
            let other = try context.fetch(books(by: "pages"), batchSize: 3)
            #expect(other[5] === held)
        }
    }

    @Test("Several iterators have batches of their own: each batch is read once", .onStores(.sqlite, .incremental))
    func iterators() throws {
        let context = library.context()
        try context.performAndWait {
            let found = try context.fetch(books(by: "pages"), batchSize: 10)
            var pairs = 0
            for (first, second) in zip(found, found.dropFirst(30)) {
                #expect(second.number("pages") == (first.number("pages") ?? 0) + 30)
                pairs += 1
            }
            #expect(pairs == 60)
        }
    }

    @Test("It holds its context")
    func contextHeld() throws {
        weak var known: NSManagedObjectContext?
        var found: FetchedObjects<NSManagedObject>?
        do {
            let context = library.context()
            known = context
            found = try context.performAndWait { try Held(context.fetch(books(), batchSize: 10)) }.value
        }
        known?.performAndWait { #expect(found?.first?.text("title") != nil) }
        #expect(known != nil)
        found = nil
        #expect(known == nil)
    }

    // MARK: Changes in between

    @Test("A loop may save and reset as it goes")
    func savingAndResetting() throws {
        try context.performAndWait {
            for (number, book) in try context.fetch(books(by: "pages"), batchSize: 7).enumerated() {
                book.setValue("\(number)", forKey: "note")
                if number % 10 == 9 {
                    try context.save()
                    context.reset()
                }
            }
            #expect(!context.hasChanges)
            let notes = try context.fetch(books(by: "pages"), batchSize: 9).map { $0.text("note") }
            #expect(notes == (0..<90).map { "\($0)" })
            context.checkInvariants()
        }
    }

    @Test(
        "Order and count stay; values are those of the moment when the batch is read",
        .onStores(.sqlite, .incremental))
    func changesOfOthers() throws {
        try context.performAndWait {
            let found = try context.fetch(books(by: "pages"), batchSize: 10)
            #expect(found[0].number("pages") == 0)
            let other = try library.beside().context()
            try other.performAndWait {
                for book in try other.all("Book", "pages >= 50") { book.setValue(-1, forKey: "pages") }
                other.make("Book", ["pages": 3])
                try other.save()
            }
            #expect(found.count == 90)
            #expect(found[49].number("pages") == 49)
            #expect(found[50].number("pages") == -1)
        }
    }

    @Test("An object that is deleted in between keeps its place, without values", arguments: [false, true])
    func deletions(isOwn: Bool) throws {
        try context.performAndWait {
            let found = try context.fetch(books(by: "pages"), batchSize: 10)
            let ids = found.map(\.objectID)
            #expect(found[0].number("pages") == 0)
            // An atomic store does not read its file again.
            let writer = isOwn ? context : try (library.kind == .atomic ? library : library.beside()).context()
            try writer.performAndWait {
                for book in try writer.all("Book", "pages IN {35, 36}") { writer.delete(book) }
                if isOwn { #expect(found[35].isDeleted) }
                try writer.save()
            }
            #expect(found.count == 90)
            #expect(found[34].number("pages") == 34 && found[37].number("pages") == 37)
            #expect(found[35].number("pages") == nil && found[35].isDeleted)
            #expect(found[36].objectID == ids[36])
            var seen = 0
            for book in found where book.text("title") != nil { seen += 1 }
            #expect(seen == 88)
            context.checkInvariants()
        }
    }

    @Test("New objects are followed when they are saved, in children when they hear of it", arguments: [0, 1, 2])
    func newObjects(depth: Int) throws {
        var chain = [context]
        for level in 0..<depth { chain.append(library.child(of: chain[level])) }
        let made = chain[0]
        made.performAndWait {
            for number in 0..<30 { made.make("Book", ["title": "new \(number)", "pages": 1000 + number]) }
        }
        let lowest = chain[depth]
        let found = try lowest.performAndWait {
            let found = try lowest.fetch(books(by: "pages"), batchSize: 8)
            #expect(found[95].objectID.isTemporaryID && found[95].number("pages") == 1005)
            return Held(found)
        }
        try made.performAndWait {
            try made.save()
            made.reset()
        }
        try lowest.performAndWait {
            let found = found.value
            #expect(found.count == 120)
            #expect(found[0].number("pages") == 0)
            for place in 90..<120 {
                #expect(!found[place].objectID.isTemporaryID)
                #expect(found[place].text("title") == "new \(place - 90)")
            }
            #expect(lowest.fetchState.fetchesOfNew.isEmpty)
            lowest.checkInvariants()
            let ids = try lowest.fetch(books(by: "pages"), batchSize: 8).map(\.objectID)
            #expect(ids == found.map(\.objectID))
        }
    }

    @Test("A new object that is taken back has no values any more", arguments: [false, true])
    func rolledBack(isReset: Bool) throws {
        try context.performAndWait {
            context.make("Book", ["title": "new", "pages": -5])
            let found = try context.fetch(books(by: "pages"), batchSize: 8)
            #expect(found[0].text("title") == "new")
            if isReset { context.reset() } else { context.rollback() }
            #expect(found.count == 91)
            #expect(found[1].number("pages") == 0)
            #expect(found[0].text("title") == nil)
            #expect(found[90].number("pages") == 89)
        }
    }

    // MARK: Requests

    @Test("Prefetching, faults and values are as the request specifies, batch by batch", .onStores(.sqlite))
    func options() throws {
        try context.performAndWait {
            let request = books(by: "pages")
            #expect(try context.fetch(request, batchSize: 10)[4].isFault)
            context.reset()
            request.includesPropertyValues = false
            let bare = try context.fetch(request, batchSize: 10)
            _ = bare[4]
            #expect(library.coordinator.cachedRowCount == 0)
            #expect(bare[4].number("pages") == 4)
            context.reset()
            request.includesPropertyValues = true
            request.returnsObjectsAsFaults = false
            request.relationshipKeyPathsForPrefetching = ["author.books"]
            let whole = try context.fetch(request, batchSize: 10)
            #expect(!whole[14].isFault && !whole[10].isFault)
            try RawDatabase(library.storeURL).execute("DELETE FROM ZAUTHOR")
            try RawDatabase(library.storeURL).execute("DELETE FROM ZBOOK")
            let author = try #require(whole[14].value(forKey: "author") as? NSManagedObject)
            #expect(author.text("name")?.count == 2 && author.texts("books", "title").count == 10)
        }
    }

    @Test("Objects in memory take the values of the store where the request specifies it", .onStores(.sqlite))
    func refreshing() throws {
        try context.performAndWait {
            let request = books(by: "pages")
            let known = try context.fetch(request)
            #expect(known[3].text("note") == nil)
            let other = try library.beside().context()
            try other.performAndWait {
                for book in try other.all("Book") { book.setValue("theirs", forKey: "note") }
                try other.save()
            }
            #expect(try context.fetch(request, batchSize: 10)[3].text("note") == nil)
            request.shouldRefreshRefetchedObjects = true
            #expect(try context.fetch(request, batchSize: 10)[3].text("note") == "theirs")
        }
    }

    @Test("A batch that cannot be read gives faults, and reading them throws where it can", .onStores(.sqlite))
    func unreadable() throws {
        try context.performAndWait {
            let found = try context.fetch(books(by: "pages"), batchSize: 10)
            try RawDatabase(library.storeURL).execute("ALTER TABLE ZBOOK RENAME TO ELSEWHERE")
            let book = found[12]
            #expect(book.isFault && !book.objectID.isTemporaryID)
            #expect(throws: NSError.self) { try context.fulfillFaults(of: [book]) }
            #expect(throws: NSError.self) { try context.fetch(books(), batchSize: 10) }
            try RawDatabase(library.storeURL).execute("ALTER TABLE ELSEWHERE RENAME TO ZBOOK")
            #expect(book.number("pages") == 12)
        }
    }

    @Test("An entity that is not there is an error")
    func unknownEntity() throws {
        context.performAndWait {
            _ = #expect(throws: NSError.self) {
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Nobody"), batchSize: 10)
            }
        }
    }

    @Test("A place that is not there, an empty batch, and a request for something else than objects stop the process")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            let context = try Library(.sqlite).context()
            try context.performAndWait {
                _ = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"), batchSize: 10)[0]
            }
        }
        await #expect(processExitsWith: .failure) {
            let context = try Library(.sqlite).context()
            try context.performAndWait {
                _ = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"), batchSize: 0)
            }
        }
        await #expect(processExitsWith: .failure) {
            let context = try Library(.sqlite).context()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.resultType = .dictionaryResultType
            try context.performAndWait { _ = try context.fetch(request, batchSize: 1) }
        }
    }
}
