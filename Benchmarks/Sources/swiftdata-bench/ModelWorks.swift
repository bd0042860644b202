import SwiftData

/// The works by models.
enum ModelWorks {
    /// Opens a store, or makes it.
    static func container(_ store: URL) throws -> ModelContainer {
        try ModelContainer(
            for: Models.Author.self, Models.Book.self, configurations: ModelConfiguration(url: store))
    }

    static func run(_ work: ComparedWork, store: URL, data: SourceData) throws -> Measurement {
        if work == .enumeration || work == .structure { return try readStops(work) }
        if work == .container { return try openManyModels(store) }
        let context = ModelContext(try container(store))
        switch work {
        case .readAll: return try readAll(in: context)
        case .insert: return try insert(SwiftRows(data), into: context)
        case .update: return try update(in: context)
        case .readByID: return try readByID(data.shuffledIndexes, in: context)
        case .readByISBN: return try readByISBN(data.shuffledIndexes, of: SwiftRows(data), in: context)
        case .readByRange: return try readByRange(SwiftRows(data).ranges, in: context)
        case .countByRange: return try countByRange(in: context)
        case .append: return try append(data.bookCount, toEach: 1, in: context)
        case .appendThousands:
            let authors = data.bookCount / ComparedWork.fewMembers
            return try append(ComparedWork.fewMembers, toEach: authors, in: context)
        case .insertGenerated: return try insertGenerated(data.bookCount, into: context)
        case .enumerate: return try enumerate(in: context)
        case .results: return try ModelResults.read(in: context)
        case .changedResults: return try ModelResults.change(in: context)
        case .history: return try readHistory(in: context)
        case .container, .enumeration, .structure, .stall:
            throw BenchmarkFailure(description: "\(work.rawValue) makes its own context")
        }
    }

    // MARK: Books

    private static func readAll(in context: ModelContext) throws -> Measurement {
        // One book first, so that statements, layouts and classes are not counted as books.
        var one = FetchDescriptor<Models.Book>()
        one.fetchLimit = 1
        _ = try context.fetch(one).first?.fieldSum
        return try Measurement.of(countingHeap: true) {
            let books = try context.fetch(FetchDescriptor<Models.Book>())
            return (books, books.count, books.reduce(0) { $0 + $1.fieldSum })
        }
    }

    private static func insert(_ rows: SwiftRows, into context: ModelContext) throws -> Measurement {
        try Measurement.of {
            let authors = rows.authors.map { row in
                let author = Models.Author(name: row.name, joined: row.joined, active: row.active)
                context.insert(author)
                return author
            }
            for row in rows.books {
                let book = Models.Book(
                    title: row.title, isbn: row.isbn, pages: row.pages, price: row.price, published: row.published,
                    rating: row.rating, note: row.note, author: authors[row.author])
                context.insert(book)
            }
            try context.save()
            return ((), rows.authors.count + rows.books.count, 0)
        }
    }

    private static func update(in context: ModelContext) throws -> Measurement {
        try Measurement.of {
            let books = try context.fetch(FetchDescriptor<Models.Book>())
            for book in books {
                book.pages += 1
                book.price += 0.25
            }
            try context.save()
            return (books, books.count, 0)
        }
    }

    private static func readByID(_ indexes: [Int], in context: ModelContext) throws -> Measurement {
        let ids = try context.fetchIdentifiers(FetchDescriptor<Models.Book>())
        let wanted = indexes.map { ids[$0] }
        return Measurement.of {
            var sum = 0.0
            for id in wanted {
                guard let book = context.model(for: id) as? Models.Book else { continue }
                sum += book.fieldSum
            }
            return ((), wanted.count, sum)
        }
    }

    private static func readByISBN(
        _ indexes: [Int], of rows: SwiftRows, in context: ModelContext
    ) throws -> Measurement {
        try Measurement.of {
            var (count, sum) = (0, 0.0)
            for index in indexes {
                let isbn = rows.books[index].isbn
                var descriptor = FetchDescriptor<Models.Book>(predicate: #Predicate { $0.isbn == isbn })
                descriptor.fetchLimit = 1
                guard let book = try context.fetch(descriptor).first else { continue }
                count += 1
                sum += book.fieldSum
            }
            return ((), count, sum)
        }
    }

    private static func readByRange(_ ranges: [Range<String>], in context: ModelContext) throws -> Measurement {
        try Measurement.of {
            var (count, sum) = (0, 0.0)
            for range in ranges {
                let (low, high) = (range.lowerBound, range.upperBound)
                let predicate = #Predicate<Models.Book> { $0.isbn >= low && $0.isbn < high }
                let books = try context.fetch(FetchDescriptor(predicate: predicate))
                count += books.count
                sum += books.reduce(0) { $0 + $1.fieldSum }
            }
            return ((), count, sum)
        }
    }

    private static func countByRange(in context: ModelContext) throws -> Measurement {
        try Measurement.of {
            var sum = 0
            for number in 0..<ComparedWork.translations {
                let (low, high) = ("~\(number)", "~")
                let predicate = #Predicate<Models.Book> { $0.isbn >= low && $0.isbn < high }
                sum += try context.fetchCount(FetchDescriptor(predicate: predicate))
            }
            return ((), ComparedWork.translations, Double(sum))
        }
    }

    private static func enumerate(in context: ModelContext) throws -> Measurement {
        try Measurement.of {
            var (count, sum) = (0, 0.0)
            try context.enumerate(FetchDescriptor<Models.Book>()) { book in
                count += 1
                sum += book.fieldSum
            }
            return ((), count, sum)
        }
    }

    private static func readHistory(in context: ModelContext) throws -> Measurement {
        try Measurement.of {
            let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            var (count, sum) = (0, 0.0)
            for change in transactions.lazy.flatMap(\.changes) {
                count += 1
                switch change {
                case .insert(let change as DefaultHistoryInsert<Models.Book>):
                    sum += Double(change.changeIdentifier)
                case .update(let change as DefaultHistoryUpdate<Models.Book>):
                    sum += Double(change.changeIdentifier) + 1
                case .delete(let change as DefaultHistoryDelete<Models.Book>):
                    sum += Double(change.changeIdentifier) + 2
                default: break
                }
            }
            return (transactions, count, sum)
        }
    }

    private static func openManyModels(_ store: URL) throws -> Measurement {
        try Measurement.of {
            let container = try ModelContainer(
                for: Schema(ManyModels.types), configurations: ModelConfiguration(url: store))
            return (container, container.schema.entities.count, 0)
        }
    }

    // MARK: New books

    /// A book whose values follow from a number.
    private static func book(_ number: Int, of author: Models.Author?) -> Models.Book {
        Models.Book(
            title: GeneratedBook.title(number), isbn: GeneratedBook.isbn(number), pages: Int64(number % 900),
            price: Double(number % 5_000) / 100, published: Date(timeIntervalSinceReferenceDate: Double(number)),
            rating: Float(number % 50) / 10, note: nil, author: author)
    }

    private static func insertGenerated(_ count: Int, into context: ModelContext) throws -> Measurement {
        try Measurement.of {
            for number in 0..<count { context.insert(book(number, of: nil)) }
            try context.save()
            return ((), count, 0)
        }
    }

    /// Appends new books to the relationships of authors, one author after the other.
    private static func append(_ count: Int, toEach authors: Int, in context: ModelContext) throws -> Measurement {
        let owners = (0..<authors).map { Models.Author(name: "author \($0)", joined: .now, active: true) }
        owners.forEach(context.insert)
        try context.save()
        return Measurement.of {
            var number = 0
            for author in owners {
                for _ in 0..<count {
                    author.books.append(book(number, of: nil))
                    number += 1
                }
            }
            return (owners, number, Double(owners.reduce(0) { $0 + $1.books.count }))
        }
    }

    // MARK: Stops

    private static func readStops(_ work: ComparedWork) throws -> Measurement {
        let container = try ModelContainer(
            for: Models.Stop.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let maker = ModelContext(container)
        for number in 0..<ComparedWork.stops {
            let place = Models.Place(
                name: GeneratedBook.title(number), latitude: Double(number), floor: number, isOpen: number % 2 == 0)
            maker.insert(Models.Stop(kind: StopKind.allCases[number % 3], place: place))
        }
        try maker.save()
        let context = ModelContext(container)
        let stops = try context.fetch(FetchDescriptor<Models.Stop>())
        var sum = stops.reduce(0) { $0 + $1.place.floor }
        return Measurement.of {
            sum = 0
            for _ in 0..<ComparedWork.stopReads {
                if work == .enumeration {
                    for stop in stops where stop.kind == .far { sum += 1 }
                } else {
                    for stop in stops {
                        let place = stop.place
                        sum += place.name.utf8.count + Int(place.latitude) + place.floor + (place.isOpen ? 1 : 0)
                    }
                }
            }
            return (stops, stops.count * ComparedWork.stopReads, Double(sum))
        }
    }
}
