import CoreData
import Foundation
import Testing

/// Rows that change in the store, without objects.
struct BatchRequestTests {
    /// A background context on a store in a file.
    private func withContext(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let url = Journal.temporaryStoreURL()
        defer { Journal.remove(url) }
        let context = try Journal.container(at: url).newBackgroundContext()
        try context.performAndWait {
            try body(context)
        }
    }

    @Test func insertFromDictionaries() throws {
        try withContext { context in
            let insert = NSBatchInsertRequest(
                entity: Trip.entity(), objects: ["North", "South"].map { ["title": $0, "isFavourite": true] })
            insert.resultType = .objectIDs
            let result = try context.execute(insert) as? NSBatchInsertResult
            let ids = try #require(result?.result as? [NSManagedObjectID])
            #expect(ids.count == 2)
            #expect(Set(ids.compactMap { (context.object(with: $0) as? Trip)?.title }) == ["North", "South"])
        }
    }

    @Test func insertAsTheyCome() throws {
        try withContext { context in
            var number = 0
            let insert = NSBatchInsertRequest(entity: Stop.entity()) { (row: NSMutableDictionary) in
                guard number < 500 else { return true }
                row["place"] = "Place \(number)"
                row["nights"] = number % 7
                number += 1
                return false
            }
            insert.resultType = .count
            let result = try context.execute(insert) as? NSBatchInsertResult
            #expect(result?.result as? Int == 500)
            let request: NSFetchRequest<Stop> = Stop.fetchRequest()
            request.predicate = NSPredicate(format: "nights == 6")
            #expect(try context.count(for: request) == 71)
        }
    }

    @Test func insertThroughObjects() throws {
        try withContext { context in
            var titles = ["South", "North"]
            let insert = NSBatchInsertRequest(entity: Trip.entity()) { (object: NSManagedObject) in
                guard let title = titles.popLast() else { return true }
                (object as? Trip)?.title = title
                return false
            }
            try context.execute(insert)
            let request: NSFetchRequest<Trip> = Trip.fetchRequest()
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            #expect(try context.fetch(request).map(\.title) == ["North", "South"])
        }
    }

    @Test func update() throws {
        try withContext { context in
            for title in ["North", "South", "West"] { context.insertTrip(title) }
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Trip")
            update.predicate = NSPredicate(format: "title != %@", "West")
            update.propertiesToUpdate = ["isFavourite": true]
            update.resultType = .updatedObjectsCountResultType
            let result = try context.execute(update) as? NSBatchUpdateResult
            #expect(result?.result as? Int == 2)
            // The context's objects keep their old values until they are refreshed.
            context.refreshAllObjects()
            let request: NSFetchRequest<Trip> = Trip.fetchRequest()
            request.predicate = NSPredicate(format: "isFavourite == YES")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            #expect(try context.fetch(request).map(\.title) == ["North", "South"])
        }
    }

    @Test func delete() throws {
        try withContext { context in
            context.insertTrip("North", "Oslo")
            context.insertTrip("South", "Rome")
            try context.save()
            let fetch: NSFetchRequest<NSFetchRequestResult> = NSFetchRequest(entityName: "Trip")
            fetch.predicate = NSPredicate(format: "title == %@", "North")
            let delete = NSBatchDeleteRequest(fetchRequest: fetch)
            delete.resultType = .resultTypeObjectIDs
            let result = try context.execute(delete) as? NSBatchDeleteResult
            #expect((result?.result as? [NSManagedObjectID])?.count == 1)
            context.reset()
            #expect(try context.fetch(Trip.fetchRequest()).map(\.title) == ["South"])

            let rest = try context.fetch(Trip.fetchRequest()).map(\.objectID)
            try context.execute(NSBatchDeleteRequest(objectIDs: rest))
            #expect(try context.count(for: Trip.fetchRequest()) == 0)
        }
    }

    @Test func fetchInTheBackground() async throws {
        let container = Journal.inMemoryContainer()
        let context = container.newBackgroundContext()
        try await context.perform {
            context.insertTrip("North")
            try context.save()
        }
        let titles: [String] = await withCheckedContinuation { continuation in
            context.perform {
                let request = NSAsynchronousFetchRequest<Trip>(fetchRequest: Trip.fetchRequest()) { result in
                    continuation.resume(returning: result.finalResult?.map(\.title) ?? [])
                }
                do {
                    try context.execute(request)
                } catch {
                    continuation.resume(returning: ["\(error)"])
                }
            }
        }
        #expect(titles == ["North"])
    }
}
