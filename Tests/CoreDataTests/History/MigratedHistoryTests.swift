import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Persistent history of stores that are migrated", .leavesNothingBehind, .onEveryDatabase)
struct MigratedHistoryTests {
    @Test("History outlives a migration; changes that no longer fit the tables are forgotten")
    func migration() throws {
        let folder = try TemporaryFolder()
        func words(_ text: String, preserving names: [String], _ body: (NSManagedObjectContext) throws -> Void) throws
            -> (words: [String], tombstones: [[AnyHashable: Any]])
        {
            let options = [
                NSPersistentHistoryTrackingKey: true, NSMigratePersistentStoresAutomaticallyOption: true,
                NSInferMappingModelAutomaticallyOption: true,
            ]
            let stack = try TextStack(text, in: folder, kind: .current, options: options) { model in
                for name in names {
                    model.entitiesByName["Book"]?.attributesByName[name]?.preservesValueInHistoryOnDeletion = true
                }
            }
            defer { for store in stack.coordinator.persistentStores { try? stack.coordinator.remove(store) } }
            let context = stack.context()
            return try context.performAndWait {
                try body(context)
                try context.save()
                let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
                let found = try #require(
                    (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])
                return (found.map(HistoryStack.words), found.flatMap { $0.changes ?? [] }.compactMap(\.tombstone))
            }
        }
        let before = try words(HistoryStack.text, preserving: ["isbn", "pages"]) { context in
            let book = context.make("Book", ["isbn": "1", "pages": 7])
            let tag = context.make("Tag")
            try context.save()
            tag.setValue("T", forKey: "name")
            book.setValue("B", forKey: "title")
            try context.save()
            context.delete(book)
        }
        #expect(before.words == ["+Book1 +Tag1", "Book1(title) Tag1(name)", "-Book1"])
        let newer = "entity Album\n name string\n" + HistoryStack.text + "\nentity Zine : Book\n issue int32"
        let after = try words(newer, preserving: ["isbn", "pages"]) { $0.make("Album") }
        #expect(after.words == before.words + ["+Album1"])
        #expect(after.tombstones.map { $0["isbn"] as? String } == ["1"])
        let changed = newer.replacingOccurrences(of: "title string", with: "title string\n  summary string")
        let last = try words(changed, preserving: ["isbn", "summary"]) { _ in }
        #expect(last.words == ["+Book1 +Tag1", "Book1() Tag1(name)", "-Book1", "+Album1"])
        #expect(last.tombstones.isEmpty)
    }

    @Test("History has no change of one property under another's name where a migration exchanges their names")
    func exchangedNames() throws {
        let folder = try TemporaryFolder()
        func history(
            _ text: String, renaming names: [String: String] = [:], _ body: (NSManagedObjectContext) throws -> Void
        ) throws -> (words: [String], tombstones: [[AnyHashable: Any]]) {
            let options = [
                NSPersistentHistoryTrackingKey: true, NSMigratePersistentStoresAutomaticallyOption: true,
                NSInferMappingModelAutomaticallyOption: true,
            ]
            let stack = try TextStack(text, in: folder, kind: .current, options: options) { model in
                for (name, attribute) in model.entitiesByName["Book"]?.attributesByName ?? [:] {
                    attribute.preservesValueInHistoryOnDeletion = true
                    attribute.renamingIdentifier = names[name]
                }
            }
            defer { for store in stack.coordinator.persistentStores { try? stack.coordinator.remove(store) } }
            let context = stack.context()
            return try context.performAndWait {
                try body(context)
                let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
                let found = try #require(
                    (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])
                return (found.map(HistoryStack.words), found.flatMap { $0.changes ?? [] }.compactMap(\.tombstone))
            }
        }
        let before = try history("entity Book\n code string\n pages int32") { context in
            let book = context.make("Book", ["code": "A", "pages": 7])
            try context.save()
            book.setValue("B", forKey: "code")
            try context.save()
            context.delete(book)
            try context.save()
        }
        #expect(before.words == ["+Book1", "Book1(code)", "-Book1"])
        #expect(before.tombstones.map { $0["code"] as? String } == ["B"])
        let after = try history(
            "entity Book\n code int32\n pages string", renaming: ["code": "pages", "pages": "code"]
        ) { _ in }
        #expect(after.words == ["+Book1", "Book1()", "-Book1"])
        #expect(after.tombstones.isEmpty)
    }
}
