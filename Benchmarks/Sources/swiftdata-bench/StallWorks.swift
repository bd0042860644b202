import CoreData
import CoreDataManager
import SwiftData

/// Measures how long the main queue does not answer while another queue saves books that the main queue holds, until it
/// has merged them.
enum StallWorks {
    /// Runs one side on the main queue and ends the process.
    static func runChild(_ side: Side, store: URL) -> Never {
        Task { @MainActor in
            do {
                print(try await side == .models ? saveModels(store).line : saveObjects(store).line)
                exit(0)
            } catch {
                print(error)
                exit(1)
            }
        }
        dispatchMain()
    }

    private static let newPages: Int64 = 7_777

    @MainActor
    private static func saveModels(_ store: URL) async throws -> Measurement {
        let container = try ModelWorks.container(store)
        let changer = BookChanger(modelContainer: container)
        let books = try container.mainContext.fetch(BookChanger.changedBooks)
        try await changer.change(to: newPages)
        return try await measure(save: { try await changer.save() }) {
            books.reduce(0) { $0 + ($1.pages == newPages ? 1 : 0) }
        }
    }

    @MainActor
    private static func saveObjects(_ store: URL) async throws -> Measurement {
        let coordinator = try ObjectWorks.opened(store)
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.persistentStoreCoordinator = coordinator
        main.automaticallyMergesChangesFromParent = true
        func request() -> NSFetchRequest<Book> {
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.fetchLimit = ComparedWork.changes
            request.returnsObjectsAsFaults = false
            return request
        }
        let books = try main.fetch(request())
        let changer = ObjectWorks.context(coordinator)
        let changed = request()
        let pages = newPages
        try await changer.perform {
            for book in try changer.fetch(changed) { book.pages = pages }
        }
        return try await measure(save: { try await changer.perform { try changer.save() } }) {
            books.reduce(0) { $0 + ($1.pages == newPages ? 1 : 0) }
        }
    }

    /// - Parameter merged: how many books show their new values.
    @MainActor
    private static func measure(
        save: @MainActor () async throws -> Void, merged: @MainActor () -> Int
    ) async throws -> Measurement {
        guard merged() == 0 else { throw BenchmarkFailure(description: "the books have their new values already") }
        let probe = LaunchProbe()
        probe.start()
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        probe.resetStalls()
        let start = Stopwatch()
        try await save()
        var measurement = Measurement()
        // The merge is one event of the main queue.
        var turns = 0
        while merged() < ComparedWork.changes {
            turns += 1
            if turns > 10_000 { throw BenchmarkFailure(description: "\(merged()) books are merged") }
            try await Task.sleep(nanoseconds: 1_000_000)
        }
        start.stop(into: &measurement)
        measurement.highLatency = probe.stop().longestStall
        measurement.count = merged()
        return measurement
    }
}

/// The actor that changes books and saves them.
@ModelActor
actor BookChanger {
    static var changedBooks: FetchDescriptor<Models.Book> {
        var descriptor = FetchDescriptor<Models.Book>()
        descriptor.fetchLimit = ComparedWork.changes
        return descriptor
    }

    private var books: [Models.Book] = []

    func change(to pages: Int64) throws {
        books = try modelContext.fetch(Self.changedBooks)
        for book in books { book.pages = pages }
    }

    func save() throws { try modelContext.save() }
}
