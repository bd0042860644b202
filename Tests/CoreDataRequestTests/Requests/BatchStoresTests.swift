import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Batches over several stores", .leavesNothingBehind, .onEveryDatabase)
struct BatchStoresTests {
    private static let model = """
        entity Author
          name string
          rank int32
          books many Book.author
          unique name
        entity Editor : Author
          desk string
        entity Book
          title string
          author one Author.books
        entity Tag
          name string
        """

    /// Two stores with an author each: `a0` and `a1`, each with the key 1, and more by `fill`.
    private func stack(
        denying: Bool = false,
        _ fill: (NSManagedObjectContext, NSPersistentStore, Int) throws -> Void = { _, _, _ in }
    ) throws -> TextStack {
        let stack = try TextStack(Self.model, kind: .current) {
            if denying { $0.setRule(.denyDeleteRule, "Author", "books") }
        }
        try stack.addStore()
        let context = stack.context()
        try context.performAndWait {
            for (number, store) in stack.coordinator.persistentStores.enumerated() {
                context.assign(context.make("Author", ["name": "a\(number)", "rank": 10 + number]), to: store)
                try fill(context, store, number)
            }
            try context.save()
        }
        return stack
    }

    private func names(_ stack: TextStack, _ entity: String = "Author") throws -> [String] {
        let context = stack.context()
        return try context.performAndWait {
            try context.all(entity).map { $0.value(forKey: "name") as? String ?? "" }.sorted()
        }
    }

    @Test("A request without a named store finds, updates and deletes nothing, and an insertion is error 134030")
    func noStores() throws {
        let stack = try stack()
        let context = stack.context()
        try context.performAndWait {
            let fetch = NSFetchRequest<NSManagedObject>(entityName: "Author")
            fetch.affectedStores = []
            #expect(try context.fetch(fetch).isEmpty)
            let update = NSBatchUpdateRequest(entityName: "Author")
            update.propertiesToUpdate = ["rank": 1]
            update.affectedStores = []
            update.resultType = .updatedObjectsCountResultType
            #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 0)
            let deletion = NSBatchDeleteRequest(
                fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Author"))
            deletion.affectedStores = []
            deletion.resultType = .resultTypeCount
            #expect((try context.execute(deletion) as? NSBatchDeleteResult)?.result as? Int == 0)
            let foreign = try self.stack().coordinator.persistentStores
            for stores in [[], foreign] {
                let insertion = NSBatchInsertRequest(entityName: "Author", objects: [["name": "x"]])
                insertion.affectedStores = stores
                let error = try #require(throws: NSError.self) { try context.execute(insertion) }
                #expect(error.code == NSPersistentStoreSaveError)
                #expect(error.localizedDescription.contains("Author"))
            }
        }
        #expect(try names(stack) == ["a0", "a1"])
    }

    @Test("A change that one store refuses is done in none of them")
    func together() throws {
        // The second store has what the batch does not pass, whichever of the two is written first.
        for refusing in [0, 1] {
            let stack = try stack(denying: true) { context, store, number in
                guard number == refusing else { return }
                let author = context.make("Author", ["name": "x"])
                let book = context.make("Book", ["author": author])
                context.assign(author, to: store)
                context.assign(book, to: store)
            }
            let context = stack.context()
            try context.performAndWait {
                let deletion = NSBatchDeleteRequest(
                    fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Author"))
                let denied = try #require(throws: NSError.self) { try context.execute(deletion) }
                #expect(denied.code == NSValidationRelationshipDeniedDeleteError)
                let update = NSBatchUpdateRequest(entityName: "Author")
                update.propertiesToUpdate = ["name": "same"]
                let broken = try #require(throws: NSError.self) { try context.execute(update) }
                #expect(broken.code == NSManagedObjectConstraintMergeError)
            }
            #expect(try names(stack) == ["a0", "a1", "x"])
            try context.performAndWait {
                let update = NSBatchUpdateRequest(entityName: "Author")
                update.propertiesToUpdate = ["rank": 5]
                update.resultType = .updatedObjectsCountResultType
                let result = try #require(try context.execute(update) as? NSBatchUpdateResult)
                #expect(result.result as? Int == 3)
                #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == 3)
            }
        }
    }

    @Test("the limit and the offset of a deletion count over all stores, in its order")
    func limits() throws {
        func left(_ prepare: (NSFetchRequest<NSFetchRequestResult>) -> Void) throws -> (count: Int?, names: [String]) {
            let stack = try stack { context, store, number in
                for rank in 1...2 {
                    let author = context.make("Author", ["name": "b\(number)\(rank)", "rank": rank * 2 - number])
                    context.assign(author, to: store)
                }
            }
            let context = stack.context()
            return try context.performAndWait {
                let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
                prepare(fetch)
                let request = NSBatchDeleteRequest(fetchRequest: fetch)
                request.resultType = .resultTypeCount
                let result = try context.execute(request) as? NSBatchDeleteResult
                return (result?.result as? Int, try names(stack))
            }
        }
        // In the order of their ranks: b11 b01 b12 b02 a0 a1.
        let order = [NSSortDescriptor(key: "rank", ascending: true)]
        let one = try left {
            $0.fetchLimit = 1
            $0.sortDescriptors = order
        }
        #expect(one.count == 1)
        #expect(one.names == ["a0", "a1", "b01", "b02", "b12"])
        let page = try left {
            $0.fetchLimit = 3
            $0.fetchOffset = 1
            $0.sortDescriptors = order
        }
        #expect(page.count == 3)
        #expect(page.names == ["a0", "a1", "b11"])
        #expect(try left { $0.fetchLimit = 1 }.count == 1)
        #expect(try left { $0.fetchOffset = 5 }.names.count == 5)
    }

    @Test("A relationship cannot be set to an object of another entity, of another store, or that is gone")
    func references() throws {
        let stack = try self.stack { context, store, number in
            if number > 0 { return }
            for object in [
                context.make("Book", ["title": "B"]), context.make("Editor", ["name": "e"]),
                context.make("Author", ["name": "gone"]), context.make("Tag", ["name": "t"]),
            ] {
                context.assign(object, to: store)
            }
        }
        let context = stack.context()
        try context.performAndWait {
            func update(_ value: Any, in stores: [NSPersistentStore]? = nil) throws {
                let request = NSBatchUpdateRequest(entityName: "Book")
                request.propertiesToUpdate = ["author": value]
                request.affectedStores = stores
                try context.execute(request)
            }
            func author() throws -> NSManagedObject? {
                context.refreshAllObjects()
                return try context.all("Book").first?.value(forKey: "author") as? NSManagedObject
            }
            func one(_ entity: String, _ format: String) throws -> NSManagedObject {
                try #require(try context.all(entity, format).first)
            }
            let other = try one("Author", "name == 'a1'")
            let gone = try one("Author", "name == 'gone'")
            let goneID = gone.objectID
            context.delete(gone)
            try context.save()
            let foreign = try self.stack()
            let elsewhere = foreign.context()
            let stranger = try elsewhere.performAndWait {
                try #require(try elsewhere.all("Author").first).objectID
            }
            let wrong: [Any] = [
                try one("Tag", "name == 't'"), try one("Book", "title == 'B'").objectID, other, other.objectID, goneID,
                stranger, context.make("Author"), "a0",
            ]
            for value in wrong {
                let error = try #require(throws: NSError.self) { try update(value) }
                #expect(error.code == NSManagedObjectValidationError)
                #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "author")
                #expect(error.localizedDescription.contains("author"))
                #expect(error.localizedDescription.contains("Book"))
                if let id = value as? NSManagedObjectID {
                    #expect(error.localizedDescription.contains(id.uriRepresentation().absoluteString))
                }
                #expect(try author() == nil)
            }
            context.rollback()
            // Where no row of the other store is updated, all is well: here none is.
            try update(other, in: [stack.coordinator.persistentStores[1]])
            #expect(try author() == nil)
            let editor = try one("Editor", "name == 'e'")
            try update(editor)
            #expect(try author() === editor)
            try update(NSNull())
            #expect(try author() == nil)
        }
    }
}
