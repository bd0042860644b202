import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Asynchronous fetch", .leavesNothingBehind, .onEveryKindOfStore)
struct AsynchronousFetchTests {
    private func library(_ tags: Int) throws -> Library {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            for number in 0..<tags { context.make("Tag", ["name": "\(number)"]) }
            try context.save()
        }
        return library
    }

    private func request(_ format: String? = nil) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return request
    }

    /// Executes a fetch and returns what its completion block got, as the block sees it on the context's queue.
    private func names(
        _ context: NSManagedObjectContext, _ request: NSFetchRequest<NSManagedObject>,
        meanwhile: () throws -> Void = {}
    ) async throws -> [String] {
        let (stream, continuation) = AsyncStream.makeStream(of: [String].self)
        try context.performAndWait {
            let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { result in
                // Reading an object off its queue would stop the process.
                continuation.yield((result.finalResult ?? []).map { $0.value(forKey: "name") as? String ?? "" })
                continuation.finish()
            }
            let result = try #require(try context.execute(asynchronous) as? NSAsynchronousFetchResult<NSManagedObject>)
            #expect(result.fetchRequest === asynchronous)
            #expect(result.managedObjectContext === context)
            // The block waits for the context's queue, which is held here.
            #expect(result.finalResult == nil)
            try meanwhile()
        }
        for await names in stream { return names }
        return []
    }

    @Test("the completion block gets the objects on the context's queue")
    func completes() async throws {
        let library = try library(700)
        let context = library.context()
        #expect(try await names(context, request("name BEGINSWITH '69'")) == ["69"] + (690..<700).map(String.init))
        #expect(try await names(context, request()).count == 700)
    }

    @Test("unsaved changes count, also those that are made while it reads, and a limit still holds")
    func pendingChanges() async throws {
        let library = try library(10)
        let context = library.context()
        let limited = request()
        limited.fetchLimit = 3
        context.performAndWait { _ = context.make("Tag", ["name": "00"]) }
        #expect(try await names(context, limited) == ["0", "00", "1"])
        let found = try await names(context, limited) {
            for tag in try context.all("Tag", "name IN {'0', '1', '2'}") { context.delete(tag) }
        }
        #expect(found == ["00", "3", "4"])
    }

    @Test("a child context reads through its parent, unsaved changes included")
    func child() async throws {
        let library = try library(3)
        let parent = library.context()
        parent.performAndWait { _ = parent.make("Tag", ["name": "new"]) }
        #expect(try await names(library.child(of: parent), request()) == ["0", "1", "2", "new"])
    }

    @Test("A store in memory evaluates by object what has no SQL, in a child context too")
    func withoutSQL() async throws {
        let library = try Library(.inMemory)
        let context = library.context()
        try context.performAndWait {
            for name in ["a", "bb", "cc"] { context.make("Tag", ["name": name]) }
            try context.save()
            context.make("Tag", ["name": "new"])
        }
        let wanted = request("name.length > 1")
        #expect(try await names(context, wanted) == ["bb", "cc", "new"])
        #expect(try await names(library.child(of: context), wanted) == ["bb", "cc", "new"])
        wanted.fetchLimit = 1
        #expect(try await names(context, wanted) == ["bb"])
    }

    @Test("A count is taken on the context's queue: saves of another context while that is busy count")
    func count() async throws {
        let library = try library(4)
        let (context, other) = (library.context(), library.context())
        let (stream, continuation) = AsyncStream.makeStream(of: [Int].self)
        try context.performAndWait {
            let request = NSFetchRequest<NSNumber>(entityName: "Tag")
            request.resultType = .countResultType
            try context.execute(
                NSAsynchronousFetchRequest(fetchRequest: request) { result in
                    continuation.yield((result.finalResult ?? []).map(\.intValue))
                })
            try other.performAndWait {
                other.make("Tag", ["name": "new"])
                try other.save()
            }
        }
        for await counts in stream {
            #expect(counts == [5])
            break
        }
    }

    @Test("progress is the child of the current one, is complete in the end, and a cancelled fetch has an error")
    func progress() async throws {
        let library = try library(1000)
        let context = library.context()
        let (stream, continuation) = AsyncStream.makeStream(of: (Int?, Int).self)
        let overall = Progress(totalUnitCount: 1)
        for isCancelled in [false, true] {
            try context.performAndWait {
                let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request()) { result in
                    let code = (result.operationError as NSError?)?.code ?? 0
                    continuation.yield((result.finalResult?.count, code))
                }
                asynchronous.estimatedResultCount = 2000
                if !isCancelled { overall.becomeCurrent(withPendingUnitCount: 1) }
                let result = try #require(
                    try context.execute(asynchronous) as? NSPersistentStoreAsynchronousResult)
                if !isCancelled { overall.resignCurrent() }
                #expect(result.progress?.totalUnitCount == 2000)
                if isCancelled { result.cancel() }
            }
        }
        var outcomes: [(Int?, Int)] = []
        for await outcome in stream {
            outcomes.append(outcome)
            if outcomes.count == 2 { break }
        }
        #expect(outcomes.contains { $0.0 == 1000 && $0.1 == 0 })
        #expect(outcomes.contains { $0.0 == nil && $0.1 == CocoaError.Code.userCancelled.rawValue })
        #expect(overall.fractionCompleted == 1)
    }

    @Test("ids and dictionaries come asynchronously too, and an ordinary fetch request executes at once")
    func otherResults() async throws {
        let library = try library(4)
        let context = library.context()
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        try context.performAndWait {
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Tag")
            ids.resultType = .managedObjectIDResultType
            try context.execute(
                NSAsynchronousFetchRequest(fetchRequest: ids) { continuation.yield($0.finalResult?.count ?? -1) })
            let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Tag")
            dictionaries.resultType = .dictionaryResultType
            dictionaries.propertiesToFetch = ["name"]
            try context.execute(
                NSAsynchronousFetchRequest(fetchRequest: dictionaries) {
                    continuation.yield($0.finalResult?.filter { $0["name"] != nil }.count ?? -1)
                })
            let plain = try #require(try context.execute(request()) as? NSAsynchronousFetchResult<NSManagedObject>)
            #expect(plain.finalResult?.count == 4)
            let output = try library.coordinator.execute(request(), with: context)
            #expect((output as? [NSManagedObject])?.count == 4)
        }
        var counts: [Int] = []
        for await count in stream {
            counts.append(count)
            if counts.count == 2 { break }
        }
        #expect(counts == [4, 4])
    }
}

@Suite("Cancelled asynchronous fetch", .leavesNothingBehind)
struct CancelledFetchTests {
    /// The rows read when a fetch ends show whether it went on. How far it is when it is cancelled depends on the
    /// machine, so that this is tried several times.
    @Test("a fetch that is cancelled while it reads stops reading")
    func stops() async throws {
        let count = 30_000
        let stack = try TextStack("entity Tag\n name string")
        let context = stack.context()
        try context.performAndWait {
            let rows = (0..<count).map { ["name": "\($0)"] }
            try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: rows))
        }
        var hasStopped = false
        for _ in 0..<40 where !hasStopped {
            let (stream, continuation) = AsyncStream.makeStream(of: Int?.self)
            let request = NSAsynchronousFetchRequest(
                fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Tag")
            ) { result in
                continuation.yield((result.operationError as NSError?)?.code)
                continuation.finish()
            }
            let progress = try context.performAndWait {
                try #require((context.execute(request) as? NSPersistentStoreAsynchronousResult)?.progress)
            }
            while progress.completedUnitCount == 0 { await Task.yield() }
            progress.cancel()
            for await code in stream where code == CocoaError.Code.userCancelled.rawValue {
                let read = Int(progress.completedUnitCount)
                hasStopped = read > 0 && read < count
            }
        }
        #expect(hasStopped)
    }
}
