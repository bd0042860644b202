import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Fetches with thousands of conditions", .leavesNothingBehind)
struct LargePredicateTests {
    private func filled(_ kind: StoreKind) throws -> Library {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            for number in 0..<8 { context.make("Book", ["title": "title \(number)", "pages": number]) }
            context.make("Book", ["title": "none"])
            try context.save()
        }
        return library
    }

    private func titles(_ library: Library, _ predicate: NSPredicate) throws -> [String] {
        let context = library.context()
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = predicate
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let found = try context.fetch(request).map { $0.value(forKey: "title") as? String ?? "" }
            return found
        }
    }

    /// 5,000 conditions that no single list of values can stand for.
    private func conditions() -> [NSPredicate] {
        (0..<5000).map { number in
            switch number % 4 {
            case 0: NSPredicate(format: "pages == %d", number == 0 ? 0 : number + 100)
            case 1: NSPredicate(format: "title BEGINSWITH[c] %@", "TITLE \(number)")
            case 2: NSPredicate(format: "pages > %d AND pages < %d", number + 100, number + 200)
            default: NSPredicate(format: "pages == %d OR title == %@", number, "title \(number)")
            }
        }
    }

    @Test(
        "5,000 conditions joined two by two, to a list or in a balanced tree",
        arguments: Sample.slice(StoreKind.allCases, oneIn: 3))
    func many(kind: StoreKind) throws {
        let library = try filled(kind)
        let all = conditions()
        let chain = all.dropFirst().reduce(all[0]) { NSCompoundPredicate(orPredicateWithSubpredicates: [$0, $1]) }
        var level = all
        while level.count > 1 {
            level = stride(from: 0, to: level.count, by: 2).map {
                NSCompoundPredicate(orPredicateWithSubpredicates: Array(level[$0..<min($0 + 2, level.count)]))
            }
        }
        let expected = ["title 0", "title 1", "title 3", "title 5", "title 7"]
        for predicate in [chain, level[0]] {
            #expect(try titles(library, predicate) == expected)
        }
        let unequal = (2..<5000).reduce(NSPredicate(format: "pages != 1")) {
            NSCompoundPredicate(andPredicateWithSubpredicates: [$0, NSPredicate(format: "pages != %d", $1)])
        }
        // Where rows are evaluated one by one, a missing value is unequal to every other value; in SQL it is neither
        // equal nor unequal.
        #expect(try titles(library, unequal) == (kind.isDatabase ? ["title 0"] : ["none", "title 0"]))
    }

    @Test(
        "Equalities of one key are one list of values", arguments: Sample.slice(StoreKind.allCases, oneIn: 3, "a"))
    func equalities(kind: StoreKind) throws {
        let library = try filled(kind)
        func any(_ format: String, _ values: [Any]) -> NSPredicate {
            values.dropFirst().reduce(NSPredicate(format: format, argumentArray: [values[0]])) {
                NSCompoundPredicate(
                    orPredicateWithSubpredicates: [$0, NSPredicate(format: format, argumentArray: [$1])])
            }
        }
        let numbers = any("pages == %d", Array(3..<5003))
        #expect(try titles(library, numbers) == ["title 3", "title 4", "title 5", "title 6", "title 7"])
        #expect(try titles(library, any("%@ == title", (6..<5000).map { "title \($0)" })) == ["title 6", "title 7"])
        let context = library.context()
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "pages < 4 AND title != 'title 0'")
            let three = try context.fetch(request)
            #expect(three.count == 3)
            request.predicate = any("SELF == %@", Array((0..<400).map { _ in three }.joined()))
            #expect(try context.count(for: request) == 3)
        }
        // Not one of them: a missing value is none of them, either, where rows are evaluated one by one.
        let none = NSCompoundPredicate(notPredicateWithSubpredicate: numbers)
        #expect(
            try titles(library, none)
                == (kind.isDatabase ? [] : ["none"]) + ["title 0", "title 1", "title 2"])
    }

    @Test("The SQL of 5,000 equalities has one list")
    func listInSQL() throws {
        let library = try filled(.sqlite)
        let store = try #require(library.store as? SQLiteStore)
        let layout = try #require(store.layout.layout(named: "Book"))
        let translator = SQLFetchTranslator(schema: store.schema, layout: layout, storeNumber: 0)
        let chain = DeepShape.chain.make(5000, key: "pages").predicate
        guard case .or(let parts) = try translator.condition(chain, in: translator.frame(includesSubentities: true)),
            case .isInArray? = parts.first
        else {
            Issue.record("no list")
            return
        }
        #expect(parts.count == 1)
    }

    @Test(
        "50 levels are translated; more are asked of each object, or refused with the limit by SQLite stores",
        arguments: Sample.slice(StoreKind.allCases, oneIn: 3))
    func levels(kind: StoreKind) throws {
        let library = try filled(kind)
        for shape in DeepShape.allCases {
            for levels in [50, 51] {
                let (predicate, holds) = shape.make(levels, key: "pages")
                #expect(try titles(library, predicate).contains("title 0") == holds, "\(shape)")
            }
            // The tests of predicates ask object by object at more levels.
            let (deep, holds) = shape.make(kind.isDatabase ? DeepShape.levels : 2_000, key: "pages")
            let isFlat = [.chain, .tail, .negations, .single].contains(shape)
            guard kind.isDatabase, !isFlat else {
                #expect(try titles(library, deep).contains("title 0") == holds, "\(shape)")
                continue
            }
            let error = #expect(throws: NSError.self) { try titles(library, deep) }
            #expect(error?.code == NSCoreDataError)
            #expect(error?.localizedDescription.contains("levels of AND, OR and NOT within each other") == true)
        }
    }

    @Test("A predicate that is too large for SQLite's parser is an error that says so, in a SQLite store")
    func parserLimit() throws {
        let deep = (0..<150).reduce(NSExpression(forKeyPath: "pages")) { inner, _ in
            NSExpression(forFunction: "add:to:", arguments: [NSExpression(forConstantValue: 1), inner])
        }
        func predicate(_ sum: NSExpression) -> NSPredicate {
            NSComparisonPredicate(
                leftExpression: sum, rightExpression: NSExpression(forConstantValue: 151), modifier: .direct,
                type: .equalTo)
        }
        let chain = (0..<150).reduce(NSExpression(forKeyPath: "pages")) { inner, _ in
            NSExpression(forFunction: "add:to:", arguments: [inner, NSExpression(forConstantValue: 1)])
        }
        let library = try filled(.sqlite)
        #expect(try titles(library, predicate(chain)) == ["title 1"])
        #expect(try titles(filled(.inMemory), predicate(deep)) == ["title 1"])
        do {
            // Newer versions of SQLite take it.
            #expect(try titles(library, predicate(deep)) == ["title 1"])
        } catch let error as NSError {
            #expect(error.code == NSCoreDataError)
            #expect(error.localizedDescription.contains("more than one statement of SQLite can be"))
        }
    }

    @Test("Compounds made by chance find the same rows as asking each object", arguments: Sample.seeds(10, long: 30))
    func byChance(seed: Int) throws {
        var generator = SplitMix(state: UInt64(seed))
        let library = try filled(.inMemory)
        let context = library.context()
        try context.performAndWait {
            let books = try context.all("Book")
            for _ in 0..<10 {
                let predicate = RandomCompounds.make(6, key: "pages", &generator)
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.predicate = predicate
                let found = Set(try context.fetch(request))
                #expect(found == Set(books.filter { predicate.evaluate(with: $0) }), "\(predicate)")
            }
        }
    }

    @Test("Lists of 50,000 values of every type contain their values")
    func longLists() throws {
        let library = try filled(.sqlite)
        let context = library.context()
        let (day, identifier) = (Date(timeIntervalSinceReferenceDate: 0.125), UUID())
        try context.performAndWait {
            let book = try #require(context.all("Book").first { $0.value(forKey: "pages") as? Int == 3 })
            book.setValue(day, forKey: "published")
            book.setValue(identifier, forKey: "identifier")
            try context.save()
        }
        let numbers = 0..<50_000
        let lists: [(String, [Any])] = [
            ("published", numbers.map { Date(timeIntervalSinceReferenceDate: Double($0) + 0.125) }),
            ("identifier", numbers.map { $0 == 7 ? identifier : UUID() }),
            ("pages", numbers.map { $0 == 0 ? 3 : $0 + 100 }), ("title", numbers.map { "title \($0 + 3)" }),
        ]
        for (key, list) in Sample.slice(lists, oneIn: 2) {
            let found = try titles(library, NSPredicate(format: "%K IN %@ AND pages == 3", key, list as NSArray))
            #expect(found == ["title 3"], "\(key)")
        }
    }

    @Test("History is filtered by predicates of very many levels")
    func history() throws {
        let library = try Library(.sqlite, options: [NSPersistentHistoryTrackingKey: true])
        let context = library.context()
        try context.performAndWait {
            context.make("Book", ["title": "a"])
            try context.save()
            let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
            fetch.predicate = (0..<DeepShape.levels).reduce(NSPredicate(format: "author == 'x'")) { part, number in
                NSCompoundPredicate(
                    type: number % 2 == 0 ? .or : .and,
                    subpredicates: [part, NSPredicate(format: "author == nil")])
            }
            let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
            request.resultType = .transactionsOnly
            let result = try context.execute(request) as? NSPersistentHistoryResult
            #expect((result?.result as? [NSPersistentHistoryTransaction])?.count == 1)
        }
    }

    @Test("A batch update and a batch deletion take 5,000 conditions")
    func batches() throws {
        let library = try filled(.sqlite)
        let all = conditions()
        let chain = all.dropFirst().reduce(all[0]) { NSCompoundPredicate(orPredicateWithSubpredicates: [$0, $1]) }
        let context = library.context()
        try context.performAndWait { () throws in
            let update = NSBatchUpdateRequest(entityName: "Book")
            update.predicate = chain
            update.propertiesToUpdate = ["note": "found"]
            _ = try context.execute(update)
            let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
            fetch.predicate = chain
            _ = try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        }
        #expect(try library.saved("Book", "title") == ["none", "title 2", "title 4", "title 6"])
    }
}
