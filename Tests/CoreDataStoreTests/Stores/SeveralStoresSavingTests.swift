import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Saves to several stores of one coordinator", .leavesNothingBehind)
struct SeveralStoresSavingTests {
    /// Two stores on one coordinator, and a context on it.
    private struct Stack {
        let library: Library
        let context: NSManagedObjectContext
        let urls: [URL]

        init(_ first: StoreKind, _ second: StoreKind) throws {
            library = try Library(first)
            let folder = library.folder.url.appendingPathComponent("second")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let url = second == .incremental ? URL(string: "records://\(UUID().uuidString)") : second.url(in: folder)
            try library.coordinator.addPersistentStore(
                ofType: second.type, configurationName: nil, at: url, options: nil)
            urls = library.coordinator.persistentStores.compactMap(\.url)
            context = library.context()
        }

        /// A new book for each store.
        func insert() {
            for (number, store) in library.coordinator.persistentStores.enumerated() {
                let book = context.make("Book", ["title": "\(number)"])
                context.assign(book, to: store)
            }
        }

        /// The titles that each store has, from a new context.
        func titles() throws -> [[String]] {
            try library.coordinator.persistentStores.map { store in
                let context = library.context()
                return try context.performAndWait {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                    request.affectedStores = [store]
                    return try context.fetch(request).compactMap { $0.value(forKey: "title") as? String }
                }
            }
        }
    }

    @Test("An object cannot be assigned to a store of another coordinator, or to one that was removed")
    func foreignStore() async {
        let foreign = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let stack = try Stack(.sqlite, .sqlite)
            let other = try Library(.sqlite)
            let store = try #require(other.coordinator.persistentStores.first)
            stack.context.performAndWait { stack.context.assign(stack.context.make("Book"), to: store) }
        }
        #expect(foreign.said("to a store that is not in the context's coordinator"))
        let removed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let stack = try Stack(.sqlite, .sqlite)
            let store = try #require(stack.library.coordinator.persistentStores.last)
            try stack.library.coordinator.remove(store)
            stack.context.performAndWait { stack.context.assign(stack.context.make("Book"), to: store) }
        }
        #expect(removed.said("to a store that is not in the context's coordinator"))
    }

    @Test("Requests that name different stores are not equal, and the order of the names does not count")
    func equalRequests() throws {
        let stores = try Stack(.sqlite, .sqlite).library.coordinator.persistentStores
        func request(_ stores: [NSPersistentStore]?) -> NSFetchRequest<NSManagedObject> {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.affectedStores = stores
            return request
        }
        #expect(request(nil) == request(nil))
        #expect(request(stores) == request(stores.reversed()))
        #expect(request([stores[0]]) != request([stores[1]]))
        #expect(request([stores[0]]) != request(stores))
        #expect(request(nil) != request([]))
    }

    @Test("The other stores are as they were when one SQLite store refuses; the repeated save writes each object once")
    func refusal() throws {
        for refusing in 0..<2 {
            let stack = try Stack(.sqlite, .sqlite)
            try RawDatabase(stack.urls[refusing]).execute(
                "CREATE TRIGGER refusal BEFORE INSERT ON ZBOOK BEGIN SELECT RAISE(ABORT, 'no'); END")
            stack.context.performAndWait {
                stack.insert()
                #expect(throws: (any Error).self) { try stack.context.save() }
                #expect(stack.context.insertedObjects.count == 2)
            }
            #expect(try stack.titles() == [[], []])
            try RawDatabase(stack.urls[refusing]).execute("DROP TRIGGER refusal")
            try stack.context.performAndWait { try stack.context.save() }
            #expect(try stack.titles() == [["0"], ["1"]])
        }
    }

    @Test("A conflict in one store leaves all other stores as they were, and the policy's second attempt writes all")
    func conflict() throws {
        for (policy, expected) in [
            (NSMergePolicy.error, [["0"], ["other"]]), (.mergeByPropertyObjectTrump, [["0+"], ["1+"]]),
        ] {
            for changed in 0..<2 {
                let stack = try Stack(.sqlite, .sqlite)
                try stack.context.performAndWait {
                    stack.insert()
                    try stack.context.save()
                    stack.context.mergePolicy = policy
                }
                try stack.context.performAndWait {
                    for book in try stack.context.all("Book") {
                        let title = try #require(book.value(forKey: "title") as? String)
                        book.setValue(title + "+", forKey: "title")
                    }
                    try RawDatabase(stack.urls[changed]).execute(
                        "UPDATE ZBOOK SET ZTITLE = 'other', Z_OPT = Z_OPT + 1")
                    if policy === NSMergePolicy.error {
                        let error = #expect(throws: NSError.self) { try stack.context.save() }
                        #expect(error?.code == NSManagedObjectMergeError)
                    } else {
                        try stack.context.save()
                    }
                }
                let found = try stack.urls.map { url in
                    try RawDatabase(url).rows("SELECT ZTITLE FROM ZBOOK").map { "\($0[0])" }
                }
                #expect(
                    found
                        == (changed == 1 || policy !== NSMergePolicy.error ? expected : [["other"], ["1"]]).map {
                            $0.map { "\(RawDatabase.Value.text($0))" }
                        })
            }
        }
    }

    @Test("A store of a program's own that refuses keeps the SQLite stores from writing, too")
    func programsStore() throws {
        let stack = try Stack(.incremental, .sqlite)
        let service = stack.library.service
        try stack.context.performAndWait {
            stack.insert()
            try stack.context.obtainPermanentIDs(for: Array(stack.context.insertedObjects))
            service.setDown(true)
            #expect(throws: (any Error).self) { try stack.context.save() }
            #expect(stack.context.insertedObjects.count == 2)
            #expect(try RawDatabase(stack.urls[1]).rows("SELECT 1 FROM ZBOOK").isEmpty)
            service.setDown(false)
            try stack.context.save()
        }
        #expect(try stack.titles() == [["0"], ["1"]])
    }

    @Test("The part of a save that one store takes before the next one refuses stays, and is not written again")
    func written() throws {
        let stack = try Stack(.atomic, .incremental)
        let service = RecordService.at(stack.urls[1])
        let saves = Locked(0)
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: stack.context, queue: nil
        ) { _ in saves.withLock { $0 += 1 } }
        defer { NotificationCenter.default.removeObserver(token) }
        try stack.context.performAndWait {
            stack.insert()
            try stack.context.obtainPermanentIDs(for: Array(stack.context.insertedObjects))
            service.setDown(true)
            #expect(throws: (any Error).self) { try stack.context.save() }
            #expect(stack.context.insertedObjects.map { $0.value(forKey: "title") as? String } == ["1"])
            #expect(saves.withLock { $0 } == 1)
            service.setDown(false)
            try stack.context.save()
            #expect(saves.withLock { $0 } == 2)
            #expect(!stack.context.hasChanges)
        }
        #expect(try stack.titles() == [["0"], ["1"]])
    }
}
