import Foundation
import Observation
import SwiftData
import TestSupport
import Testing

/// The counter of transactions as they are committed.
@Suite("Observers of SwiftData's history")
@MainActor struct SwiftDataHistoryObserverTests {
    private func withContainer(_ body: (ModelContainer, URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shelf.store")
            try await body(try Self.container(url), url)
        }
    }

    nonisolated private static func container(_ url: URL) throws -> ModelContainer {
        try ModelContainer(
            for: ShelfBook.self, ShelfAtlas.self, ShelfOwner.self, configurations: ModelConfiguration(url: url))
    }

    private func save(_ context: ModelContext, by author: String? = nil, _ models: any PersistentModel...) throws {
        context.author = author
        for model in models { insert(model, into: context) }
        try context.save()
    }

    private func insert<M: PersistentModel>(_ model: M, into context: ModelContext) { context.insert(model) }

    /// Waits until a counter has a value.
    private func wait(for value: Int, of observer: HistoryObserver) async {
        while true {
            let (events, continuation) = AsyncStream<Void>.makeStream()
            let count = withObservationTracking {
                observer.eventCounter
            } onChange: {
                MainActor.preconditionIsolated("The observer is the main actor's")
                continuation.yield()
            }
            if count >= value { return #expect(count == value) }
            for await _ in events { break }
        }
    }

    @Test("Transactions count from the making of the observer, by class and author")
    func filters() async throws {
        try await withContainer { container, _ in
            let context = ModelContext(container)
            try save(context, ShelfBook("before", "novel"))
            let all = try HistoryObserver(modelContainer: container)
            let books = try HistoryObserver(observedModels: [ShelfBook.self], modelContainer: container)
            let atlases = try HistoryObserver(observedModels: [ShelfAtlas.self], modelContainer: container)
            let owners = try HistoryObserver(
                observedModels: [ShelfOwner.self], authors: ["a", "b"], modelContainer: container)
            #expect(all.eventCounter == 0 && all.observedModels.isEmpty && all.authors.isEmpty)
            #expect(owners.authors == ["a", "b"] && owners.modelContainer === container)
            try save(context, by: "a", ShelfBook("b", "novel"))
            try save(context, by: "b", ShelfAtlas("c"))
            try save(context, by: "a", ShelfOwner("A"), ShelfBook("d", "novel"))
            try save(context, by: "c", ShelfOwner("B"))
            try save(context, ShelfOwner("C"))
            await wait(for: 5, of: all)
            await wait(for: 3, of: books)
            await wait(for: 1, of: atlases)
            await wait(for: 1, of: owners)
        }
    }

    @Test("Transactions of another process count")
    func otherProcess() async throws {
        try await withContainer { container, url in
            let observer = try HistoryObserver(modelContainer: container)
            await #expect(processExitsWith: .success) { [url = url as URL] in
                let context = ModelContext(try Self.container(url))
                context.insert(ShelfBook("theirs", "novel"))
                try context.save()
            }
            await wait(for: 1, of: observer)
        }
    }

    @Test("Transactions count from a token; a token of another store or type throws")
    func tokens() async throws {
        try await withContainer { container, _ in
            let context = ModelContext(container)
            for number in 0..<3 { try save(context, ShelfBook("\(number)", "novel")) }
            let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            let store = history[0].storeIdentifier
            let observer = try HistoryObserver(historyTokens: [store: history[0].token], modelContainer: container)
            await wait(for: 2, of: observer)
            let now = try HistoryObserver(historyTokens: [:], modelContainer: container)
            try save(context, ShelfBook("3", "novel"))
            await wait(for: 3, of: observer)
            await wait(for: 1, of: now)
            #expect(throws: SwiftDataError.historyTokenExpired) {
                try HistoryObserver(historyTokens: ["other": history[0].token], modelContainer: container)
            }
            #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
                try HistoryObserver(historyTokens: [store: ForeignToken(tokenValue: 1)], modelContainer: container)
            }
            #expect(throws: SwiftDataError.unknownSchema) {
                try HistoryObserver(observedModels: [Cabinet.self], modelContainer: container)
            }
        }
    }

    @Test("Deleted history that was not read counts once, and later transactions count on")
    func deletedHistory() async throws {
        try await withContainer { container, _ in
            let context = ModelContext(container)
            for number in 0..<4 { try save(context, ShelfBook("\(number)", "novel")) }
            let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            let token = history[2].token
            try context.deleteHistory(
                HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token < token }))
            let observer = try HistoryObserver(
                historyTokens: [history[0].storeIdentifier: history[0].token], modelContainer: container)
            await wait(for: 1, of: observer)
            try save(context, ShelfBook("4", "novel"))
            await wait(for: 2, of: observer)
        }
    }

    @Test("An observer that is let go is released")
    func release() async throws {
        try await withContainer { container, _ in
            var observer: HistoryObserver? = try HistoryObserver(modelContainer: container)
            try save(ModelContext(container), ShelfBook("a", "novel"))
            await wait(for: 1, of: try #require(observer))
            weak let gone = observer
            observer = nil
            #expect(gone == nil)
        }
    }
}

private struct ForeignToken: HistoryToken {
    let tokenValue: Int?

    static func < (lhs: ForeignToken, rhs: ForeignToken) -> Bool { lhs.tokenValue ?? 0 < rhs.tokenValue ?? 0 }
}
