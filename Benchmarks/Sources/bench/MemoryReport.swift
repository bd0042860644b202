import CoreData
import Foundation

/// Measures how much memory large results and large saves take.
struct MemoryReport {
    let isQuick: Bool

    enum Step: String, CaseIterable {
        case batchedArray = "batched-array"
        case walkedArray = "walked-array"
        case forgottenArrays = "forgotten-arrays"
        case changed
        case insertedAtOnce = "inserted-at-once"
        case changedAtOnce = "changed-at-once"
        case walked
        case walkedInOrder = "walked-in-order"

        var title: String {
            switch self {
            case .batchedArray: "fetchBatchSize 100, as it is fetched"
            case .walkedArray: "the same, every object read and held"
            case .forgottenArrays: "100 such fetches that nobody keeps: growth"
            case .changed: "fetch(_:batchSize: 500), every object changed; saved and reset every 10,000"
            case .insertedAtOnce: "as many new objects, of generated values, in one save"
            case .changedAtOnce: "every object fetched and changed, in one save"
            case .walked: "fetch(_:batchSize: 500), every object read"
            case .walkedInOrder: "the same, sorted by an attribute with an index"
            }
        }

        /// How many million books.
        var millions: Int { self == .walked || self == .walkedInOrder ? 5 : 1 }

        /// The most bytes of heap for an object of the array; nil where it is not measured.
        var heapBar: Double? { self == .batchedArray ? 96 : nil }

        /// The most megabytes; nil where there is no limit.
        var bar: Double? {
            switch self {
            case .batchedArray: 150
            case .walkedArray: nil
            case .forgottenArrays: 10
            case .changed: 150
            case .insertedAtOnce, .changedAtOnce: 700
            case .walked, .walkedInOrder: 100
            }
        }
    }

    /// - Returns: whether the bars hold.
    func run() throws -> Bool {
        let templates = try TemplateStore()
        defer { templates.remove() }
        var rows = [["work", "books", "s", "MB", "bar", "heap, bytes each", "bar", "verdict"]]
        var holds = true
        for (millions, steps) in Dictionary(grouping: Step.allCases, by: \.millions).sorted(by: { $0.key < $1.key }) {
            let count = millions * (isQuick ? 100_000 : 1_000_000)
            let filled = try templates.filled(with: SourceData(authors: 1_000, books: count), name: "books-\(count)")
            for step in steps {
                let measured = try templates.withStore(copiedFrom: filled) { store in
                    try ChildProcess.run(["child-memory", step.rawValue, store.path, String(count)])
                }
                let megabytes = measured.peakBytes / 1e6
                let isHeld =
                    step.bar.map { megabytes <= $0 } ?? true && step.heapBar.map { measured.bytesPerBook <= $0 } ?? true
                holds = holds && isHeld
                rows.append([
                    step.title, String(count), measured.seconds.printed(2), megabytes.printed(1),
                    step.bar?.printed(0) ?? "", step.heapBar == nil ? "" : measured.bytesPerBook.printed(0),
                    step.heapBar?.printed(0) ?? "", step.bar == nil ? "" : isHeld ? "holds" : "BROKEN",
                ])
            }
            try FileManager.default.removeItem(at: filled)
        }
        print("the highest resident set of a process; the heap of an array's faults, which have no rows\n")
        printTable(rows)
        return holds
    }

    /// One step in a child process.
    static func measure(_ step: String, store: String, count: Int) throws -> Measurement {
        guard let step = Step(rawValue: step) else { throw BenchmarkFailure(description: "unknown step \(step)") }
        let context = Library.context(try Library.opened(store))
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.fetchBatchSize = 100
        var measurement = Measurement()
        let start = Stopwatch()
        switch step {
        case .batchedArray, .walkedArray:
            try context.performAndWait {
                let heap = Memory.heapBytes
                let books = try context.fetch(request)
                measurement.bytesPerBook = Double(Memory.heapBytes - heap) / Double(max(books.count, 1))
                if step == .walkedArray { for book in books { measurement.checksum += book.fieldSum } }
                measurement.count = books.count
                withExtendedLifetime(books) {}
            }
        case .changed:
            try context.performAndWait {
                for book in try context.fetch(request, batchSize: 500) {
                    book.pages += 1
                    book.note = "changed"
                    measurement.count += 1
                    if measurement.count % 10_000 == 0 {
                        try context.save()
                        context.reset()
                    }
                }
                try context.save()
            }
        case .insertedAtOnce:
            measurement.count = try context.performAndWait { try insertAtOnce(count, in: context) }
        case .changedAtOnce:
            request.fetchBatchSize = 0
            request.returnsObjectsAsFaults = false
            try context.performAndWait {
                let books = try context.fetch(request)
                for book in books {
                    book.pages += 1
                    book.price += 0.25
                }
                try context.save()
                measurement.count = books.count
            }
        case .walked, .walkedInOrder:
            try context.performAndWait {
                if step == .walkedInOrder { request.sortDescriptors = [NSSortDescriptor(key: "isbn", ascending: true)] }
                for book in try context.fetch(request, batchSize: 500) {
                    measurement.checksum += book.fieldSum
                    measurement.count += 1
                }
            }
        case .forgottenArrays:
            var first = 0 as Int64
            for number in 0..<100 {
                try context.performAndWait { measurement.count = try context.fetch(request).count }
                if number == 1 { first = Memory.highestResidentBytes }
            }
            start.stop(into: &measurement)
            measurement.peakBytes = Double(Memory.highestResidentBytes - first)
            return measurement
        }
        start.stop(into: &measurement)
        measurement.peakBytes = Double(Memory.highestResidentBytes)
        guard measurement.count == count else {
            throw BenchmarkFailure(description: "\(step.rawValue) found \(measurement.count) books")
        }
        return measurement
    }

    /// Makes books beside those that are there, and saves them. Nothing but their context holds them.
    private static func insertAtOnce(_ count: Int, in context: NSManagedObjectContext) throws -> Int {
        let authors = try context.fetch(NSFetchRequest<Author>(entityName: "Author"))
        let note = String(repeating: "a note of some length ", count: 4)
        for number in 0..<count {
            let book = Book(context: context)
            book.fill(with: number, title: "The book with number \(number)", isbn: "979\(10_000_000 + number)")
            if number % 2 == 0 { book.note = note + String(number % 10) }
            book.author = authors[number % authors.count]
        }
        try context.save()
        return try context.count(for: NSFetchRequest<Book>(entityName: "Book")) - count
    }
}
