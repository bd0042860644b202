import CoreData
import Foundation
import SwiftData
import TestSupport
import Testing

/// What other contexts, containers and processes have committed, and the saves of the main context by itself.
@Suite("Merges and autosave of SwiftData")
struct SwiftDataMergeTests {
    // MARK: Merges

    @Test("The main context shows what another context has saved at its next fetch, without a turn of its queue")
    @MainActor func mainContext() throws {
        let container = try CabinetStore.inMemory()
        let main = container.mainContext
        let cabinet = Cabinet("A", title: "old")
        main.insert(cabinet)
        try main.save()
        let other = ModelContext(container)
        let theirs = try #require(other.model(for: cabinet.persistentModelID) as? Cabinet)
        theirs.title = "new"
        theirs.binders.append(Binder("P"))
        try other.save()
        _ = try main.fetch(FetchDescriptor<Cabinet>())
        #expect(cabinet.title == "new" && cabinet.binders.map(\.name) == ["P"])
        cabinet.width = 3
        theirs.title = "newer"
        try other.save()
        #expect((main.model(for: cabinet.persistentModelID) as? Cabinet)?.title == "newer")
        #expect(cabinet.width == 3 && main.hasChanges)
        try main.save()
        #expect(try other.fetch(FetchDescriptor<Cabinet>()).first?.width == 3)
    }

    @Test("Contexts show what a context of CoreData has saved, and one of another container over the file")
    func otherStacks() throws {
        try withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("a.store").path
            let container = try CabinetStore.file(path)
            let context = ModelContext(container)
            let cabinet = Cabinet("A", title: "old")
            context.insert(cabinet)
            try context.save()

            let plain = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            plain.persistentStoreCoordinator = context.managedObjectContext.persistentStoreCoordinator
            try plain.performAndWait {
                let row = try #require(try plain.fetch(NSFetchRequest<NSManagedObject>(entityName: "Cabinet")).first)
                row.setValue("by CoreData", forKey: "title")
                try plain.save()
            }
            _ = try context.fetch(FetchDescriptor<Cabinet>())
            #expect(cabinet.title == "by CoreData")

            let second = ModelContext(try CabinetStore.file(path))
            let theirs = try #require(try second.fetch(FetchDescriptor<Cabinet>()).first)
            theirs.title = "by another container"
            second.insert(Cabinet("B"))
            try second.save()
            #expect(
                try context.fetch(FetchDescriptor<Cabinet>(sortBy: [SortDescriptor(\.code)])).map(\.code) == ["A", "B"])
            #expect(cabinet.title == "by another container")
            cabinet.title = "mine"
            try context.save()
            _ = try second.fetchCount(FetchDescriptor<Cabinet>())
            #expect(theirs.title == "mine")
            second.delete(theirs)
            try second.save()
            #expect(try context.fetch(FetchDescriptor<Cabinet>()).map(\.code) == ["B"])
            #expect(cabinet.modelContext == nil)
        }
    }

    @Test("Commits of another process are seen by the next fetch, and by the main context on its queue")
    @MainActor func otherProcess() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("a.store").path
            let container = try CabinetStore.file(path)
            let context = ModelContext(container)
            let main = container.mainContext
            let cabinet = Cabinet("A", title: "old")
            context.insert(cabinet)
            try context.save()
            let shown = try #require(main.model(for: cabinet.persistentModelID) as? Cabinet)
            #expect(shown.title == "old")
            await #expect(processExitsWith: .success) { [path = path as String] in
                let context = ModelContext(try CabinetStore.file(path))
                let cabinet = try #require(try context.fetch(FetchDescriptor<Cabinet>()).first)
                cabinet.title = "theirs"
                context.insert(Cabinet("B"))
                try context.save()
            }
            #expect(try context.fetchCount(FetchDescriptor<Cabinet>()) == 2)
            #expect(cabinet.title == "theirs")
            while shown.title != "theirs" { await Self.nextTurn() }
            #expect(!main.hasChanges)
        }
    }

    // MARK: Autosave

    @Test("The main context saves at the end of the event, and before the program ends")
    func endOfProgram() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("a.store").path
            await #expect(processExitsWith: .success) { [path = path as String] in
                let container = try CabinetStore.file(path)
                try await Self.change(container)
                await Self.nextTurn()
                try await Self.end(container)
            }
            let context = ModelContext(try CabinetStore.file(path))
            let cabinets = try context.fetch(FetchDescriptor<Cabinet>(sortBy: [SortDescriptor(\.code)]))
            #expect(cabinets.map(\.code) == ["event", "exit"])
        }
    }

    @MainActor private static func change(_ container: ModelContainer) throws {
        container.mainContext.insert(Cabinet("event"))
        #expect(container.mainContext.hasChanges)
    }

    @MainActor private static func end(_ container: ModelContainer) throws {
        guard !container.mainContext.hasChanges else { exit(EXIT_FAILURE) }
        container.mainContext.insert(Cabinet("exit"))
        exit(EXIT_SUCCESS)
    }

    @Test("A context saves by itself only if it is the main one and allowed to, and behind a transaction")
    @MainActor func allowed() async throws {
        let container = try CabinetStore.inMemory()
        let main = container.mainContext
        main.autosaveEnabled = false
        main.insert(Cabinet("A"))
        let other = ModelContext(container)
        #expect(!other.autosaveEnabled)
        other.insert(Cabinet("B"))
        await Self.nextTurn()
        #expect(main.hasChanges && other.hasChanges)
        main.autosaveEnabled = true
        await Self.nextTurn()
        #expect(!main.hasChanges)
        let found = try #require(try main.fetch(FetchDescriptor<Cabinet>()).first)
        found.title = "x"
        main.delete(found)
        await Self.nextTurn()
        #expect(!main.hasChanges)
        #expect(try other.fetch(FetchDescriptor<Cabinet>()).map(\.code) == ["B"])
    }

    @Test("An autosave that fails posts its error, and the next change makes another attempt")
    @MainActor func failure() async throws {
        let main = try CabinetStore.inMemory().mainContext
        let chapter = BoundChapter("C")
        let leaf = BoundLeaf(1, of: chapter)
        main.insert(leaf)
        await Self.nextTurn()
        #expect(!main.hasChanges)
        let failures = Failures(of: main)
        main.delete(chapter)
        await Self.nextTurn()
        #expect(failures.errors.map { ($0 as NSError).code } == [NSValidationMissingMandatoryPropertyError])
        #expect(main.hasChanges)
        await Self.nextTurn()
        #expect(failures.errors.count == 1)
        leaf.chapter = BoundChapter("D")
        await Self.nextTurn()
        #expect(!main.hasChanges && failures.errors.count == 1)
    }

    /// Returns when the main queue has run what it has now.
    private static func nextTurn() async {
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }
}

/// The errors of a context's autosaves.
private final class Failures: @unchecked Sendable {  // used on the main thread
    private(set) var errors: [any Error] = []
    private var observer: (any NSObjectProtocol)?

    init(of context: ModelContext) {
        observer = NotificationCenter.default.addObserver(
            forName: ModelContext.didFailToSave, object: context, queue: nil
        ) { [unowned self] in
            if let error = $0.userInfo?[NSUnderlyingErrorKey] as? any Error { errors.append(error) }
        }
    }

    deinit { observer.map(NotificationCenter.default.removeObserver) }
}
