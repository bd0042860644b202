import CoreData
import Foundation

/// The works by objects of `@NSManaged` classes, in stores that the models have made: with history, and with equal
/// tables and indexes.
enum ObjectWorks {
    /// Opens a store with the `@NSManaged` classes.
    static func opened(_ store: URL) throws -> NSPersistentStoreCoordinator {
        let kept = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: store)
        guard let model = kept.copy() as? NSManagedObjectModel else {
            throw BenchmarkFailure(description: "the store's model cannot be copied")
        }
        model.entitiesByName["Author"]?.managedObjectClassName = NSStringFromClass(Author.self)
        model.entitiesByName["Book"]?.managedObjectClassName = NSStringFromClass(Book.self)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: store,
            options: [NSPersistentHistoryTrackingKey: true])
        return coordinator
    }

    static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    static func run(_ work: ComparedWork, store: URL, data: SourceData) throws -> Measurement {
        if work == .enumeration || work == .structure { return try readStops(work) }
        let context = context(try opened(store))
        return try context.performAndWait {
            switch work {
            case .readAll: try readAll(in: context)
            case .insert: try insert(SwiftRows(data), into: context)
            case .update: try update(in: context)
            case .readByID: try readByID(data.shuffledIndexes, in: context)
            case .readByISBN: try readByISBN(data.shuffledIndexes, of: SwiftRows(data), in: context)
            case .readByRange: try readByRange(SwiftRows(data).ranges, in: context)
            case .countByRange: try countByRange(in: context)
            case .insertGenerated: try insertGenerated(data.bookCount, into: context)
            case .results: try ObjectResults.read(in: context)
            case .changedResults: try ObjectResults.change(in: context)
            case .history: try readHistory(in: context)
            case .append, .appendThousands, .container, .enumerate, .enumeration, .structure, .stall:
                throw BenchmarkFailure(description: "objects do not do \(work.rawValue)")
            }
        }
    }

    private static var allBooks: NSFetchRequest<Book> {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.returnsObjectsAsFaults = false
        return request
    }

    private static func readAll(in context: NSManagedObjectContext) throws -> Measurement {
        let one = allBooks
        one.fetchLimit = 1
        _ = try context.fetch(one).first?.fieldSum
        return try Measurement.of(countingHeap: true) {
            let books = try context.fetch(allBooks)
            return (books, books.count, books.reduce(0) { $0 + $1.fieldSum })
        }
    }

    private static func insert(_ rows: SwiftRows, into context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of {
            rows.makeObjects(in: context)
            try context.save()
            return ((), rows.authors.count + rows.books.count, 0)
        }
    }

    private static func update(in context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of {
            let books = try context.fetch(allBooks)
            for book in books {
                book.pages += 1
                book.price += 0.25
            }
            try context.save()
            return (books, books.count, 0)
        }
    }

    private static func readByID(_ indexes: [Int], in context: NSManagedObjectContext) throws -> Measurement {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        request.resultType = .managedObjectIDResultType
        let ids = try context.fetch(request)
        let wanted = indexes.map { ids[$0] }
        return Measurement.of {
            var sum = 0.0
            for id in wanted {
                guard let book = context.object(with: id) as? Book else { continue }
                sum += book.fieldSum
            }
            return ((), wanted.count, sum)
        }
    }

    private static func readByISBN(
        _ indexes: [Int], of rows: SwiftRows, in context: NSManagedObjectContext
    ) throws -> Measurement {
        let request = allBooks
        request.fetchLimit = 1
        return try Measurement.of {
            var (count, sum) = (0, 0.0)
            for index in indexes {
                request.predicate = NSPredicate(format: "isbn == %@", rows.books[index].isbn)
                guard let book = try context.fetch(request).first else { continue }
                count += 1
                sum += book.fieldSum
            }
            return ((), count, sum)
        }
    }

    private static func readByRange(_ ranges: [Range<String>], in context: NSManagedObjectContext) throws -> Measurement
    {
        let request = allBooks
        return try Measurement.of {
            var (count, sum) = (0, 0.0)
            for range in ranges {
                request.predicate = NSPredicate(
                    format: "isbn >= %@ AND isbn < %@", range.lowerBound, range.upperBound)
                let books = try context.fetch(request)
                count += books.count
                sum += books.reduce(0) { $0 + $1.fieldSum }
            }
            return ((), count, sum)
        }
    }

    private static func countByRange(in context: NSManagedObjectContext) throws -> Measurement {
        let request = allBooks
        return try Measurement.of {
            var sum = 0
            for number in 0..<ComparedWork.translations {
                request.predicate = NSPredicate(format: "isbn >= %@ AND isbn < %@", "~\(number)", "~")
                sum += try context.count(for: request)
            }
            return ((), ComparedWork.translations, Double(sum))
        }
    }

    private static func insertGenerated(_ count: Int, into context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of {
            for number in 0..<count {
                Book(context: context)
                    .fill(with: number, title: GeneratedBook.title(number), isbn: GeneratedBook.isbn(number))
            }
            try context.save()
            return ((), count, 0)
        }
    }

    // MARK: History

    /// Saves another number of pages for each book, in ten saves.
    static func makeHistory(of store: URL) throws {
        let context = context(try opened(store))
        try context.performAndWait {
            let books = try context.fetch(allBooks)
            let part = max(books.count / 10, 1)
            for start in stride(from: 0, to: books.count, by: part) {
                for book in books[start..<min(start + part, books.count)] { book.pages += 1 }
                try context.save()
            }
        }
    }

    private static func readHistory(in context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
            var (count, sum) = (0, 0.0)
            for change in transactions.lazy.flatMap({ $0.changes ?? [] })
            where change.changedObjectID.entity.name == "Book" {
                count += 1
                sum += Double(change.changeID) + Double(change.changeType.rawValue)
            }
            return (transactions, count, sum)
        }
    }

    // MARK: Stops

    private static func readStops(_ work: ComparedWork) throws -> Measurement {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ManagedStop.makeModel())
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let maker = context(coordinator)
        try maker.performAndWait {
            for number in 0..<ComparedWork.stops {
                let stop = ManagedStop(context: maker)
                stop.kind = StopKind.allCases[number % 3]
                stop.name = GeneratedBook.title(number)
                stop.latitude = Double(number)
                stop.floor = number
                stop.isOpen = number % 2 == 0
            }
            try maker.save()
        }
        let context = context(coordinator)
        return try context.performAndWait {
            let request = NSFetchRequest<ManagedStop>(entityName: "ManagedStop")
            request.returnsObjectsAsFaults = false
            let stops = try context.fetch(request)
            var sum = stops.reduce(0) { $0 + $1.floor }
            return Measurement.of {
                sum = 0
                for _ in 0..<ComparedWork.stopReads {
                    if work == .enumeration {
                        for stop in stops where stop.kind == .far { sum += 1 }
                    } else {
                        for stop in stops {
                            sum += stop.name.utf8.count + Int(stop.latitude) + stop.floor + (stop.isOpen ? 1 : 0)
                        }
                    }
                }
                return (stops, stops.count * ComparedWork.stopReads, Double(sum))
            }
        }
    }
}

/// Texts of a book that follow from its number.
enum GeneratedBook {
    static func title(_ number: Int) -> String { "The book with number \(number)" }
    static func isbn(_ number: Int) -> String { "979\(10_000_000 + number)" }
}
