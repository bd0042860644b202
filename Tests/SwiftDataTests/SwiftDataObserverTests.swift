import CoreData
import Foundation
import Observation
import SwiftData
import TestSupport
import Testing

/// Results that follow their context, other contexts and other processes.
@Suite("Observers of SwiftData's results")
@MainActor struct SwiftDataObserverTests {
    private typealias Plain = ResultsObserver<ShelfBook, Never>
    private typealias Sectioned = ResultsObserver<ShelfBook, String>

    private static func container() throws -> ModelContainer {
        try ModelContainer(
            for: ShelfBook.self, ShelfAtlas.self, ShelfOwner.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    private static func file(_ folder: URL) throws -> ModelContainer {
        try ModelContainer(
            for: ShelfBook.self, ShelfAtlas.self, ShelfOwner.self,
            configurations: ModelConfiguration(url: folder.appendingPathComponent("shelf.store")))
    }

    /// Makes a change, and waits until what was read is signalled as changed.
    private func waitForChange(
        isIsolated: Bool = true, of read: () -> Void, after change: () async throws -> Void
    ) async rethrows {
        let (events, continuation) = AsyncStream<Void>.makeStream()
        withObservationTracking(read) {
            if isIsolated { MainActor.preconditionIsolated("The observer is the main actor's") }
            continuation.yield()
        }
        try await change()
        for await _ in events { break }
    }

    /// Whether a change is signalled at once.
    private func signals(_ read: () -> Void, _ change: () throws -> Void) rethrows -> Bool {
        let hasChanged = Locked(false)
        withObservationTracking(read) { hasChanged.withLock { $0 = true } }
        try change()
        return hasChanged.withLock { $0 }
    }

    // MARK: The own context

    @Test("Results are those of a fetch after each of many random changes, saves and rollbacks", arguments: 0..<3)
    func randomChanges(seed: UInt64) throws {
        var random = SplitMix(state: seed + 7)
        let context = ModelContext(try Self.container())
        let genres = ["novel", "poem", "essay"]
        func descriptor(_ change: (inout FetchDescriptor<ShelfBook>) -> Void = { _ in }) -> FetchDescriptor<ShelfBook> {
            var made = FetchDescriptor<ShelfBook>(sortBy: [SortDescriptor(\.rank), SortDescriptor(\.title)])
            change(&made)
            return made
        }
        let observers = try [
            descriptor(),
            descriptor { $0.predicate = #Predicate { $0.rank > 3 && $0.genre == "novel" } },
            descriptor { $0.predicate = #Predicate { $0.owner?.name == "A" } },
            descriptor { $0.predicate = #Predicate { $0.isLong } },
            descriptor { $0.fetchLimit = 3 },
            descriptor { $0.includePendingChanges = false },
        ].map { try Plain(fetchDescriptor: $0, modelContext: context) }
        let sectioned = try Sectioned(fetchDescriptor: descriptor(), sectionBy: \.genre, modelContext: context)
        let owner = ShelfOwner("A")
        context.insert(owner)
        for step in 0..<40 {
            let books = try context.fetch(FetchDescriptor<ShelfBook>(sortBy: [SortDescriptor(\.title)]))
            switch Int.random(in: 0..<8, using: &random) {
            case 0...2:
                context.insert(
                    ShelfBook(
                        "\(step)", genres.randomElement(using: &random)!, rank: .random(in: 0..<9, using: &random)))
            case 3: books.randomElement(using: &random)?.rank = .random(in: 0..<9, using: &random)
            case 4: books.randomElement(using: &random)?.genre = genres.randomElement(using: &random)!
            case 5: books.randomElement(using: &random)?.title += "long"
            case 6:
                guard let book = books.randomElement(using: &random) else { continue }
                if book.owner == nil { book.owner = owner } else { context.delete(book) }
            default: if step % 3 == 0 { context.rollback() } else { try context.save() }
            }
            if owner.modelContext == nil { context.insert(owner) }
            for observer in observers {
                let expected = try context.fetch(observer.fetchDescriptor).map(\.persistentModelID)
                #expect(observer.results.map(\.persistentModelID) == expected, "step \(step)")
            }
            let all = try context.fetch(sectioned.fetchDescriptor)
            let sections = try #require(sectioned.sections)
            #expect(sectioned.results.elementsEqual(all) && sections.flatMap { Array($0) } == all)
            #expect(sections.allSatisfy { section in section.allSatisfy { $0.genre == section.name } })
            #expect(Set(sections.sectionNames).count == sections.count && sections.allSatisfy { !$0.isEmpty })
        }
    }

    @Test("A change is signalled where it concerns the results")
    func signalling() throws {
        let context = ModelContext(try Self.container())
        let observer = try Plain(
            filterBy: #Predicate { $0.genre == "novel" }, sortBy: [SortDescriptor(\.title)], modelContext: context)
        #expect(observer.modelContext === context && observer.sections == nil && observer.sectionBy == nil)
        let book = ShelfBook("B", "novel")
        let change = { (body: () -> Void) in
            self.signals({ _ = observer.results }) {
                body()
                context.processPendingChanges()
            }
        }
        #expect(change { context.insert(book) })
        #expect(change { book.title = "C" })
        #expect(!change { context.insert(ShelfBook("A", "poem")) })
        #expect(change { book.genre = "poem" })
        #expect(observer.results.isEmpty)
        #expect(change { book.genre = "novel" })
        #expect(change { context.delete(book) })
        #expect(observer.results.isEmpty && observer.indexPath(for: book) == nil)
    }

    @Test("Another condition and another order are fetched at once; one that fails leaves the results")
    func conditions() throws {
        let context = ModelContext(try Self.container())
        for (place, title) in ["a", "b", "c", "d"].enumerated() {
            context.insert(ShelfBook(title, place < 2 ? "novel" : "poem", rank: -place))
        }
        let observer = try Plain(sortBy: [SortDescriptor(\.title)], modelContext: context)
        #expect(observer.results.map(\.title) == ["a", "b", "c", "d"])
        #expect(signals({ _ = observer.results }) { observer.filterBy = #Predicate { $0.genre == "poem" } })
        #expect(observer.results.map(\.title) == ["c", "d"])
        #expect(signals({ _ = observer.fetchDescriptor }) { observer.sortBy = [SortDescriptor(\.rank)] })
        #expect(
            observer.results.map(\.title) == ["d", "c"] && observer.sortBy.count == 1 && observer.fetchError == nil)
        #expect(signals({ _ = observer.fetchError }) { observer.filterBy = Self.tooDeep })
        #expect(observer.fetchError.map { SwiftDataError.unsupportedPredicate ~= $0 } == true)
        #expect(observer.results.map(\.title) == ["d", "c"])
        observer.filterBy = nil
        #expect(observer.results.map(\.title) == ["d", "c", "b", "a"] && observer.fetchError == nil)
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try Plain(filterBy: Self.tooDeep, modelContext: context)
        }
        #expect(throws: SwiftDataError.unknownSchema) {
            try ResultsObserver<Cabinet, Never>(modelContext: context)
        }
    }

    // MARK: Sections

    @Test("Sections come in the order of their property, and keep the order of the models")
    func sections() throws {
        let context = ModelContext(try Self.container())
        for (title, genre) in [("b", "poem"), ("a", "novel"), ("c", "novel"), ("d", "essay")] {
            context.insert(ShelfBook(title, genre))
        }
        let observer = try Sectioned(
            sortBy: [SortDescriptor(\.title, order: .reverse)], sectionBy: \.genre, modelContext: context)
        #expect(observer.sectionBy == \ShelfBook.genre && observer.sortBy.count == 2)
        let sections = try #require(observer.sections)
        #expect(sections.sectionNames == ["essay", "novel", "poem"] && sections.map(\.id) == sections.sectionNames)
        #expect(sections.map { $0.map(\.title) } == [["d"], ["c", "a"], ["b"]])
        #expect(sections[sectionName: "novel"]?.count == 2 && sections[sectionName: "play"] == nil)
        #expect(sections.contains(sectionName: "poem") && !sections.contains(sectionName: "play"))
        #expect(sections.index(ofSectionNamed: "poem") == 2 && sections.index(ofSectionNamed: "play") == nil)
        let second = try #require(observer.element(at: [1, 1]))
        #expect(second.title == "a" && observer.indexPath(for: second) == [1, 1])
        for wrong in [[], [0], [0, 1], [3, 0], [-1, 0], [0, 0, 0]] as [IndexPath] {
            #expect(observer.element(at: wrong) == nil)
        }
        second.genre = "play"
        #expect(observer.sections?.sectionNames == ["essay", "novel", "play", "poem"])
        observer.sortBy = []
        #expect(observer.sortBy.count == 1 && observer.sections?.count == 4)
        observer.sortBy = [SortDescriptor(\.genre, order: .reverse), SortDescriptor(\.title)]
        #expect(observer.sortBy.count == 2)
        #expect(observer.sections?.sectionNames == ["poem", "play", "novel", "essay"])
        let plain = try Plain(modelContext: context)
        #expect(plain.element(at: [0, 0]) == nil && plain.indexPath(for: second) == nil)
    }

    @Test("A section without a value has no name, and names that are equal in the order stay apart")
    func sectionNames() throws {
        let context = ModelContext(try Self.container())
        for (title, room) in [("a", nil), ("b", "Hall"), ("c", "hall"), ("d", "Hall"), ("e", nil)] {
            context.insert(ShelfBook(title, "novel", room: room))
        }
        let sort = [SortDescriptor<ShelfBook>(\.title)]
        let observer = try Sectioned(sortBy: sort, sectionBy: \.room, modelContext: context)
        let sections = try #require(observer.sections)
        #expect(Set(sections.sectionNames) == ["", "Hall", "hall"] && sections.sectionNames.count == 3)
        #expect(sections[sectionName: ""]?.map(\.title) == ["a", "e"])
        #expect(sections[sectionName: "Hall"]?.map(\.title) == ["b", "d"])
        for book in observer.results {
            #expect(observer.indexPath(for: book).flatMap { observer.element(at: $0) } === book)
        }
        observer.filterBy = #Predicate { $0.isLong }
        #expect(observer.sections?.isEmpty == true)
        observer.results.first?.title = "none"
        context.insert(ShelfBook("long", "novel", room: "Hall"))
        #expect(observer.sections?.map { $0.map(\.title) } == [["long"]])
    }

    // MARK: Other contexts

    @Test("The save of another context comes to each observer by itself", arguments: ["main", "context", "container"])
    func otherContext(place: String) async throws {
        let container = try Self.container()
        let sort = [SortDescriptor<ShelfBook>(\.title)]
        let observer =
            switch place {
            case "main": try Plain(sortBy: sort, modelContext: container.mainContext)
            case "context": try Plain(sortBy: sort, modelContext: ModelContext(container))
            default: try Plain(sortBy: sort, modelContainer: container)
            }
        let keeper = ShelfKeeper(modelContainer: container)
        for (number, title) in ["a", "b"].enumerated() {
            await waitForChange(of: { _ = observer.results }) { try? await keeper.add(title) }
            #expect(observer.results.count == number + 1 && observer.results.last?.title == title)
        }
    }

    @Test("An actor's observer follows other contexts in the actor")
    func actors() async throws {
        let container = try Self.container()
        let (keeper, other) = (ShelfKeeper(modelContainer: container), ShelfKeeper(modelContainer: container))
        #expect(try await keeper.observe() == 0)
        #expect(try await keeper.titlesAfterChange { try await other.add("b") } == ["b"])
        #expect(try await keeper.titlesAfterChange { try await other.add("a") } == ["a", "b"])
    }

    @Test("Without an isolation a commit is signalled, and the reader takes it over")
    func withoutIsolation() async throws {
        let container = try Self.container()
        let observer = try Plain(modelContext: ModelContext(container), isolation: nil)
        await waitForChange(isIsolated: false, of: { _ = observer.results }) {
            try? await ShelfKeeper(modelContainer: container).add("a")
        }
        #expect(observer.results.map(\.title) == ["a"])
    }

    @Test("The save of another process comes to an observer of a file")
    func otherProcess() async throws {
        try await withTemporaryFolder { folder in
            let observer = try Plain(modelContainer: try Self.file(folder))
            await waitForChange(of: { _ = observer.results }) {
                await #expect(processExitsWith: .success) { [folder = folder as URL] in
                    let context = ModelContext(try await Self.file(folder))
                    context.insert(ShelfBook("theirs", "novel"))
                    try context.save()
                }
            }
            #expect(observer.results.map(\.title) == ["theirs"])
        }
    }

    @Test("An observer that is let go is released, and its context goes on")
    func release() async throws {
        let container = try Self.container()
        let context = ModelContext(container)
        weak var gone: Plain?
        for limit in [nil, 2] {
            var descriptor = FetchDescriptor<ShelfBook>()
            descriptor.fetchLimit = limit
            var observer: Plain? = try Plain(fetchDescriptor: descriptor, modelContext: context)
            gone = observer
            #expect(observer?.results.isEmpty == true)
            observer = nil
            #expect(gone == nil)
            context.insert(ShelfBook("a", "novel"))
            try context.save()
            try context.delete(model: ShelfBook.self)
            try context.save()
        }
    }

    /// A condition that no fetch takes.
    private static var tooDeep: Predicate<ShelfBook> {
        var nested: Predicate<ShelfBook> = #Predicate { $0.rank == 3 }
        for _ in 0..<500 {
            let inner = nested
            nested = #Predicate { inner.evaluate($0) || $0.rank == 4 }
        }
        return nested
    }
}
