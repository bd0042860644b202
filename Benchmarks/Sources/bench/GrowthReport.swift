import CBaseline
import CoreData
import Foundation

/// Measures works whose time for one object must not grow with the number of objects that a context holds.
struct GrowthReport {
    let counts: [Int]

    /// What has a bar: how the processor time for one object, or for one question, grows from the smallest number of
    /// objects to the greatest.
    static let bars = ["growth.find-or-create", "growth.next-use"]
    /// The numbers that the bars are for.
    static let barredCounts = [1_000, 10_000, 100_000]

    /// - Returns: whether every bar holds.
    func run(renewing: Bool) throws -> Bool {
        let templates = try TemplateStore()
        defer { templates.remove() }
        let empty = try templates.filled(with: SourceData(authors: 1, books: 1), name: "growth")
        func measured(
            _ work: (NSManagedObjectContext, Int) throws -> Double, _ count: Int, from template: URL? = nil
        ) throws -> Double {
            try templates.withStore(copiedFrom: template ?? empty) { url in
                let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookModel.make())
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
                context.persistentStoreCoordinator = coordinator
                return try work(context, count)
            }
        }
        var table = [
            [
                "objects", "find or create, µs each", "count beside an unsaved one, ms", "SELECT COUNT(*) in C, ms",
                "next use after a save above, ms",
            ]
        ]
        var found: [(create: Double, use: Double)] = []
        for count in counts {
            let create = try measured(findOrCreate, count) / Double(count)
            let use = try measured(nextUse, count)
            found.append((create, use))
            // Made before: a store that was just saved copies its `-wal`, which takes longer than counting.
            let filled = try templates.filled(with: SourceData(authors: 1, books: count), name: "growth-\(count)")
            func counting(_ work: (NSManagedObjectContext, Int) throws -> Double) throws -> String {
                (try measured(work, count, from: filled) * 1e3).printed(3)
            }
            table.append([
                String(count), (create * 1e6).printed(1), try counting(countBesideUnsaved), try counting(countInC),
                (use * 1e3).printed(3),
            ])
        }
        print("processor time; each on a SQLite store of its own\n")
        printTable(table)
        var bars = try BarCheck(renewing: renewing)
        if counts == Self.barredCounts, let first = found.first, let last = found.last {
            let growth = [last.create / first.create, last.use / first.use]
            print("")
            printTable(
                [["from \(counts[0]) to \(counts[counts.count - 1])", "times", "bar", "verdict"]]
                    + zip(Self.bars, growth).map { name, value in
                        [name, value.printed(2)] + bars.verdict(value, name, margin: 1.5)
                    })
        }
        try bars.finish()
        return bars.holds
    }

    private func make(_ number: Int, in context: NSManagedObjectContext) -> Book {
        let book = Book(context: context)
        book.fill(with: number, title: "book \(number)", isbn: "n\(number)")
        return book
    }

    /// An import that fetches each object to find out whether it exists, and saves at its end.
    private func findOrCreate(_ context: NSManagedObjectContext, _ count: Int) throws -> Double {
        try context.performAndWait {
            try processorSeconds {
                for number in 0..<count {
                    let request = NSFetchRequest<Book>(entityName: "Book")
                    request.predicate = NSPredicate(format: "isbn == %@", "n\(number)")
                    request.fetchLimit = 1
                    if try context.fetch(request).isEmpty { _ = make(number, in: context) }
                }
            }
        }
    }

    private static let countings = 100

    private func countBesideUnsaved(_ context: NSManagedObjectContext, _ count: Int) throws -> Double {
        try context.performAndWait {
            _ = make(count, in: context)
            let request = NSFetchRequest<Book>(entityName: "Book")
            // SQLite reads the pages once.
            _ = try context.count(for: request)
            return try processorSeconds {
                for _ in 0..<Self.countings { _ = try context.count(for: request) }
            } / Double(Self.countings)
        }
    }

    /// What SQLite takes to count the rows of such a store, without any context.
    private func countInC(_ context: NSManagedObjectContext, _ count: Int) throws -> Double {
        let store = context.performAndWait {
            context.persistentStoreCoordinator?.persistentStores.first?.url?.path ?? ""
        }
        return try PlainC.measurement(
            of: baseline_count_books(store, StoreSettings.cacheSize, Int64(Self.countings))
        ).cpuSeconds / Double(Self.countings)
    }

    /// A context holds many objects; one is saved through it into its parent, and by that one into the store.
    private func nextUse(_ root: NSManagedObjectContext, _ count: Int) throws -> Double {
        let main = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        main.parent = root
        let held = try main.performAndWait {
            let books = (0..<count).map { make($0, in: main) }
            try main.save()
            return Kept(books)
        }
        try root.performAndWait { try root.save() }
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.predicate = NSPredicate(format: "isbn == %@", "n1")
        try main.performAndWait {
            _ = try main.fetch(request)
            _ = make(count, in: main)
            try main.save()
        }
        try root.performAndWait { try root.save() }
        let seconds = try main.performAndWait { try processorSeconds { _ = try main.fetch(request) } }
        return withExtendedLifetime(held) { seconds }
    }

    /// Objects that are held while other contexts' blocks run, and not touched.
    private struct Kept: @unchecked Sendable {
        let books: [Book]
        init(_ books: [Book]) { self.books = books }
    }
}

private func processorSeconds(_ body: () throws -> Void) rethrows -> Double {
    let start = baseline_cpu_seconds()
    try body()
    return baseline_cpu_seconds() - start
}
