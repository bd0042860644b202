import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Fetches over several stores of one coordinator", .leavesNothingBehind)
struct SeveralStoresTests {
    /// A coordinator with several stores of the kinds, each with books of an author of its own. Titles are dealt out in
    /// turn: a0 to the first store, a1 to the second, and so on.
    private struct Stack {
        let library: Library
        let context: NSManagedObjectContext
        let stores: [NSPersistentStore]

        init(_ kinds: [StoreKind], books: Int) throws {
            library = try Library(kinds[0])
            for (number, kind) in kinds.enumerated().dropFirst() {
                let folder = library.folder.url.appendingPathComponent("\(number)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                // Services are distinguished by the last part of the folder's name.
                let url = kind == .incremental ? URL(string: "records://\(UUID().uuidString)") : kind.url(in: folder)
                try library.coordinator.addPersistentStore(
                    ofType: kind.type, configurationName: nil, at: url, options: nil)
            }
            let stores = library.coordinator.persistentStores
            self.stores = stores
            context = library.context()
            try context.performAndWait { [context] in
                let authors = stores.enumerated().map { number, store in
                    let author = context.make("Author", ["name": "author \(stores.count - number)"])
                    context.assign(author, to: store)
                    return author
                }
                for number in 0..<books {
                    let book = context.make(
                        "Book",
                        [
                            "title": String(format: "a%02d", number), "pages": number / 4,
                            "author": authors[number % stores.count],
                        ])
                    context.assign(book, to: stores[number % stores.count])
                }
                try context.save()
            }
        }

        func expect(
            _ request: NSFetchRequest<NSManagedObject>, _ titles: [String], _ place: SourceLocation = #_sourceLocation
        ) throws {
            let found = try context.fetch(request).compactMap { $0.value(forKey: "title") as? String }
            #expect(found == titles, sourceLocation: place)
            let inBatches = try context.fetch(request, batchSize: 3).compactMap { $0.value(forKey: "title") as? String }
            #expect(inBatches == titles, sourceLocation: place)
        }
    }

    private static let mixtures: [[StoreKind]] = [
        [.sqlite, .sqlite], [.sqlite, .inMemory, .sqlite], [.binary, .xml], [.sqlite, .atomic],
        [.incremental, .sqlite],
        [.incremental, .atomic, .inMemory],
    ]

    private func request(_ keys: (String, Bool)...) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = keys.map { NSSortDescriptor(key: $0.0, ascending: $0.1) }
        return request
    }

    private func expected(_ range: some Sequence<Int>) -> [String] { range.map { String(format: "a%02d", $0) } }

    @Test(
        "A sorted fetch has the objects of all stores in one order, with offset, limit and batches over all",
        arguments: mixtures)
    func sorted(kinds: [StoreKind]) throws {
        let stack = try Stack(kinds, books: 20)
        try stack.context.performAndWait {
            let all = request(("title", false))
            try stack.expect(all, expected((0..<20).reversed()))
            all.fetchOffset = 3
            all.fetchLimit = 7
            try stack.expect(all, expected((10..<17).reversed()))
            all.fetchBatchSize = 2
            try stack.expect(all, expected((10..<17).reversed()))
            all.fetchOffset = 18
            try stack.expect(all, ["a01", "a00"])
            all.fetchOffset = 30
            try stack.expect(all, [])
            let two = request(("pages", false), ("title", true))
            two.predicate = NSPredicate(format: "pages > 0 AND pages < 4")
            try stack.expect(two, expected([12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7]))
            two.affectedStores = [stack.stores[0]]
            let own = [12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7].filter { $0 % kinds.count == 0 }
            try stack.expect(two, expected(own))
        }
    }

    @Test("Key paths over relationships decide, too; the last store's author comes first", arguments: mixtures)
    func keyPaths(kinds: [StoreKind]) throws {
        let stack = try Stack(kinds, books: 8)
        try stack.context.performAndWait {
            let byAuthor = request(("author.name", true), ("title", true))
            let order = (0..<8).sorted { ($1 % kinds.count, $0) < ($0 % kinds.count, $1) }
            try stack.expect(byAuthor, expected(order))
        }
    }

    @Test("Unsaved changes, ids, and a child context's fetch follow the same order", arguments: mixtures)
    func unsavedAndChildren(kinds: [StoreKind]) throws {
        let stack = try Stack(kinds, books: 6)
        try stack.context.performAndWait {
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
            ids.resultType = .managedObjectIDResultType
            ids.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            ids.fetchLimit = 4
            let titles = try stack.context.fetch(ids).map {
                try stack.context.existingObject(with: $0).value(forKey: "title") as? String
            }
            #expect(titles == expected(0..<4))
        }
        let child = stack.library.child(of: stack.context)
        try child.performAndWait {
            let found = try child.fetch(request(("title", false)))
            #expect(found.compactMap { $0.value(forKey: "title") as? String } == expected((0..<6).reversed()))
        }
        try stack.context.performAndWait {
            let changed = try #require(try stack.context.all("Book", "title == 'a01'").first)
            changed.setValue("b", forKey: "title")
            stack.context.make("Book", ["title": "a035"])
            let all = request(("title", true))
            try stack.expect(all, ["a00", "a02", "a03", "a035", "a04", "a05", "b"])
            #expect(try stack.context.count(for: all) == 7)
            stack.context.rollback()
        }
    }

    @Test(
        "Dictionaries of several stores come in one order; a request over all rows together is error 134091",
        arguments: mixtures.filter { !$0.contains(.incremental) })
    func dictionaries(kinds: [StoreKind]) throws {
        let stack = try Stack(kinds, books: 9)
        try stack.context.performAndWait {
            let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
            rows.resultType = .dictionaryResultType
            rows.propertiesToFetch = ["title"]
            rows.sortDescriptors = [
                NSSortDescriptor(key: "pages", ascending: false), NSSortDescriptor(key: "title", ascending: true),
            ]
            rows.fetchOffset = 1
            rows.fetchLimit = 5
            let found = try stack.context.fetch(rows)
            #expect(found.map { $0["title"] as? String } == expected([4, 5, 6, 7, 0]))
            #expect(found.allSatisfy { $0.count == 1 })
            rows.fetchOffset = 0
            rows.fetchLimit = 0
            rows.returnsDistinctResults = true
            let invisible = #expect(throws: NSError.self) { _ = try stack.context.fetch(rows) }
            #expect(invisible?.code == NSPersistentStoreUnsupportedRequestTypeError)
            rows.propertiesToFetch = ["pages"]
            rows.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
            let pages = try stack.context.fetch(rows)
            #expect(pages.map { $0["pages"] as? Int } == [0, 1, 2])
            let sum = NSExpressionDescription()
            sum.name = "sum"
            sum.expression = NSExpression(format: "sum:(pages)")
            sum.expressionResultType = .integer64AttributeType
            rows.propertiesToFetch = [sum]
            rows.sortDescriptors = nil
            rows.returnsDistinctResults = false
            let grouped = #expect(throws: NSError.self) { _ = try stack.context.fetch(rows) }
            #expect(grouped?.code == NSPersistentStoreUnsupportedRequestTypeError)
            rows.affectedStores = [stack.stores[1]]
            #expect(try stack.context.fetch(rows).count == 1)
        }
    }

    @Test("A store is chosen for one object, in a child too, and for none that is made after it went")
    func assignment() throws {
        let stack = try Stack([.sqlite, .sqlite], books: 0)
        let (context, stores) = (stack.context, stack.stores)
        try context.performAndWait {
            context.assign(context.make("Tag", ["name": "gone"]), to: stores[1])
            context.rollback()
            let deleted = context.make("Tag", ["name": "gone"])
            context.assign(deleted, to: stores[1])
            context.delete(deleted)
            try context.save()
            for number in 0..<50 { context.make("Tag", ["name": "\(number)"]) }
            try context.save()
            let saved = try context.all("Tag")
            #expect(saved.count == 50 && saved.allSatisfy { $0.objectID.persistentStore === stores[0] })
        }
        let child = stack.library.child(of: context)
        try child.performAndWait {
            child.assign(child.make("Tag", ["name": "mine"]), to: stores[1])
            try child.save()
        }
        try context.performAndWait {
            try context.save()
            let mine = try #require(try context.all("Tag", "name == 'mine'").first)
            #expect(mine.objectID.persistentStore === stores[1])
        }
    }
}
