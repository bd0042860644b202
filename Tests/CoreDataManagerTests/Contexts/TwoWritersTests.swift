import CoreData
import CoreDataManager
import Foundation
import TestSupport
import Testing

/// Two who read one value, add to it and write it back, at the same time. A few rounds in an ordinary run; half a
/// minute in a long one.
@Suite("Two writers of one attribute", .serialized)
struct TwoWritersTests {
    private static let model = """
        entity Counter
          count int64! = 0
        entity Entry
          number int32! = 0
        """

    private func withCounter(
        _ layout: ContextLayout, _ body: (CoreDataManager, ObjectReference<NSManagedObject>) async throws -> Int
    ) async throws {
        try await withTemporaryFolder { folder in
            var configuration = CoreDataManager.Configuration()
            configuration.layout = layout
            let manager = CoreDataManager(
                model: ModelText.model(Self.model), storeURL: folder.appendingPathComponent("n.sqlite"),
                configuration: configuration)
            let counter = try await manager.performBackground { context in
                try ObjectReference(NSEntityDescription.insertNewObject(forEntityName: "Counter", into: context))
            }
            let expected = try await body(manager, counter)
            try await manager.saveMain()
            let shown = try await manager.performMain { try counter.object(in: $0).value(forKey: "count") as? Int }
            #expect(shown == expected)
            let stored = try RawDatabase(manager.storeURL).rows("SELECT ZCOUNT FROM ZCOUNTER").first?.first?.int
            #expect(stored == Int64(expected))
        }
    }

    private static func add(_ counter: ObjectReference<NSManagedObject>, in context: NSManagedObjectContext) throws {
        let object = try counter.object(in: context)
        object.setValue((object.value(forKey: "count") as? Int ?? 0) + 1, forKey: "count")
    }

    /// Two tasks that each work until the time is over; how often both did together.
    private static func both(_ work: @escaping @Sendable () async throws -> Void) async throws -> Int {
        let end = ContinuousClock.now + .seconds(30)
        let tasks = (0..<2).map { _ in
            Task {
                var count = 0
                while isLong ? ContinuousClock.now < end : count < 40 {
                    try await work()
                    count += 1
                }
                return count
            }
        }
        var sum = 0
        for task in tasks { sum += try await task.value }
        return sum
    }

    @Test("Both writers of a chain change the value in the main context, one from background work, and lose nothing")
    func chain() async throws {
        try await withCounter(.chain) { manager, counter in
            try await Self.both {
                try await manager.performBackground { context in
                    NSEntityDescription.insertNewObject(forEntityName: "Entry", into: context)
                        .setValue(1, forKey: "number")
                }
                try await manager.performMain { context in
                    try Self.add(counter, in: context)
                    try manager.save(wait: false)
                }
            }
        }
    }

    @Test("A sibling without conflict resolution gets an error at a conflict, tries again, and loses nothing")
    func siblings() async throws {
        try await withCounter(.siblings) { manager, counter in
            try await Self.both {
                while true {
                    do {
                        try await manager.performBackground { context in
                            context.mergePolicy = NSErrorMergePolicy
                            try Self.add(counter, in: context)
                        }
                        return
                    } catch let error as NSError where error.code == NSManagedObjectMergeError {
                        // The other one was faster: nothing of this attempt was saved.
                        continue
                    }
                }
            }
        }
    }
}
