import Foundation
import SwiftData

// A schema of its own for the tests of observers.

@Model class ShelfBook {
    var title: String
    var genre: String
    var room: String?
    var rank = 0
    @Relationship(inverse: \ShelfOwner.books) var owner: ShelfOwner?
    /// A property that no store knows.
    var isLong: Bool { title.count > 3 }

    init(_ title: String, _ genre: String, room: String? = nil, rank: Int = 0) {
        self.title = title
        self.genre = genre
        self.room = room
        self.rank = rank
    }
}

@available(macOS 26, iOS 26, *)
@Model final class ShelfAtlas: ShelfBook {
    var maps = 0

    init(_ title: String) { super.init(title, "atlas") }
}

@Model final class ShelfOwner {
    var name: String
    var books: [ShelfBook] = []

    init(_ name: String) { self.name = name }
}

@ModelActor actor ShelfKeeper {
    private var observer: ResultsObserver<ShelfBook, Never>?

    /// Begins to follow all books.
    func observe() throws -> Int {
        let new = try ResultsObserver<ShelfBook, Never>(
            sortBy: [SortDescriptor(\.title)], modelContext: modelContext)
        observer = new
        return new.results.count
    }

    /// The titles after the next change.
    func titlesAfterChange(_ ready: @Sendable () async throws -> Void) async throws -> [String] {
        let (events, continuation) = AsyncStream<Void>.makeStream()
        withObservationTracking {
            _ = observer?.results
        } onChange: {
            self.preconditionIsolated("The observer is this actor's")
            continuation.yield()
        }
        try await ready()
        for await _ in events { break }
        return observer?.results.map(\.title) ?? []
    }

    func add(_ title: String) throws {
        modelContext.insert(ShelfBook(title, "novel"))
        try modelContext.save()
    }
}
