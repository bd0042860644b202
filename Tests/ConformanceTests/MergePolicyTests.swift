import CoreData
import Testing

/// Two contexts change one trip; the second save meets what the first one wrote.
struct MergePolicyTests {
    private let container = Journal.inMemoryContainer()

    /// The title and the favour of the trip that both sides changed, as the store has them in the end.
    private func outcome(policy: NSMergePolicy?) throws -> String {
        let first = container.newBackgroundContext()
        let second = container.newBackgroundContext()
        let id = try first.performAndWait {
            let trip = first.insertTrip("Start")
            trip.isFavourite = false
            try first.save()
            return trip.objectID
        }
        try second.performAndWait {
            let trip = try second.existingObject(with: id) as? Trip
            trip?.title = "Second"
        }
        try first.performAndWait {
            let trip = try first.existingObject(with: id) as? Trip
            trip?.title = "First"
            trip?.isFavourite = true
            try first.save()
        }
        try second.performAndWait {
            if let policy { second.mergePolicy = policy }
            try second.save()
        }
        let reader = container.newBackgroundContext()
        return try reader.performAndWait {
            let trip = try reader.existingObject(with: id) as? Trip
            return "\(trip?.title ?? "") \(trip?.isFavourite == true)"
        }
    }

    @Test func withoutAPolicyItIsAnError() throws {
        #expect {
            _ = try outcome(policy: nil)
        } throws: { error in
            let error = error as NSError
            let conflicts = error.userInfo["conflictList"] as? [NSMergeConflict]
            return error.code == NSManagedObjectMergeError && conflicts?.count == 1
                && conflicts?.first?.sourceObject is Trip
        }
    }

    @Test func eachPolicy() throws {
        #expect(try outcome(policy: .mergeByPropertyObjectTrump) == "Second true")
        #expect(try outcome(policy: .mergeByPropertyStoreTrump) == "First true")
        #expect(try outcome(policy: .overwrite) == "Second false")
        #expect(try outcome(policy: .rollback) == "First true")
    }

    /// A policy of the program's own, around one of the framework's.
    // @unchecked Sendable: one context uses it, on its queue.
    private final class CountingPolicy: NSMergePolicy, @unchecked Sendable {
        // nonisolated(unsafe): see the class.
        nonisolated(unsafe) var conflicts = 0

        override func resolve(mergeConflicts list: [Any]) throws {
            conflicts += list.count
            try super.resolve(mergeConflicts: list)
        }
    }

    @Test func policyOfOnesOwn() throws {
        let policy = CountingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        #expect(try outcome(policy: policy) == "Second true")
        #expect(policy.conflicts == 1)
    }
}
