#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// Attributes that are unique in one of two versions, or in both.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineUniquenessTests {
    private static let item = "entity Item\n  name string\n"

    @Test(
        "A unique attribute that would lie in two columns, or have one default value everywhere, is refused",
        arguments: [
            (item + "  code int16\n  unique code", item + "  code int64\n  unique code", "another type"),
            (item + "  code int16", item + "  code int64\n  unique code", "another type"),
            (item + "  code int16\n  unique code", item + "  code int64", "another type"),
            (
                item + "  code string\n  unique code", item + "  code string! = none\n  unique code",
                "becomes mandatory"
            ),
            (
                item + "  code string! = none\n  unique code", item + "  code string\n  unique code",
                "becomes optional"
            ),
            (item, item + "  code string! = none\n  unique code", "is mandatory"),
        ])
    func refusals(_ older: String, _ newer: String, _ word: String) throws {
        let store = try OnlineStore(older, newer)
        let context = try store.open(older)
        let error = try #require(throws: NSError.self) { _ = try store.open(newer) }
        #expect(error.code == NSMigrationError, "\(error)")
        #expect(error.localizedDescription.contains("“Item.code”"), "\(error)")
        #expect(error.localizedDescription.contains(word), "\(error)")
        try context.performAndWait {
            context.make("Item", ["name": "1"])
            try context.save()
        }
    }

    @Test("A uniqueness constraint of a subentity is refused alike")
    func subentities() throws {
        let older = "entity Thing\n  name string\nentity Book : Thing\n  code string\n  unique code"
        let newer = older.replacingOccurrences(of: "code string", with: "code string! = c")
        let store = try OnlineStore(older, newer)
        _ = try store.open(older)
        let error = try #require(throws: NSError.self) { _ = try store.open(newer) }
        #expect(error.localizedDescription.contains("“Book.code”"), "\(error)")
    }

    @Test("A constraint that only the newer version has is an error for the older one, under any merge policy")
    func constraintOfOthers() throws {
        let older = Self.item + "  text string\n  code string\n  unique code"
        let newer = older + "\n  unique text"
        let store = try OnlineStore(older, newer)
        let context = try store.open(older)
        try context.performAndWait {
            for number in 1...2 {
                context.make("Item", ["name": "\(number)", "text": "t\(number)", "code": "c\(number)"])
            }
            try context.save()
        }
        let after = try store.open(newer)
        let policies: [NSMergePolicy] = [
            .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
        ]
        for policy in policies {
            context.performAndWait {
                context.mergePolicy = policy
                context.make("Item", ["name": "another", "text": "t1", "code": "c3"])
                let error = #expect(throws: NSError.self) { try context.save() }
                #expect(error?.code == NSManagedObjectConstraintMergeError, "\(policy.mergeType)")
                #expect(error?.localizedDescription.contains("(text)") == true, "\(policy.mergeType)")
                context.rollback()
                let batch = NSBatchInsertRequest(
                    entityName: "Item", objects: [["name": "batch", "text": "t1", "code": "c4"]])
                #expect(throws: NSError.self, "\(policy.mergeType)") { _ = try context.execute(batch) }
            }
            #expect(try OnlineStore.lines(after, "Item", "name", "text") == ["1 t1", "2 t2"])
        }
        // A value that is handed on within a save breaks nothing, and its own constraint is still for its policy.
        try context.performAndWait {
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            let items = try context.all("Item")
            let texts = items.map { $0.value(forKey: "text") }
            for (item, text) in zip(items, texts.reversed()) { item.setValue(text, forKey: "text") }
            try context.save()
            context.make("Item", ["name": "instead", "text": "t3", "code": "c1"])
            try context.save()
        }
        #expect(try OnlineStore.lines(after, "Item", "name", "text") == ["2 t1", "instead t3"])
    }

    @Test(
        "A unique attribute that stays, is renamed, or becomes unique is exchanged in both versions",
        arguments: [
            (
                item + "  code int16\n  size int16\n  unique code",
                item + "  number int16 was code\n  size int64\n  unique number", "number"
            ),
            (item + "  code int16! = 0", item + "  code int16! = 0\n  unique code", "code"),
        ])
    func exchange(_ older: String, _ newer: String, _ newerKey: String) throws {
        let store = try OnlineStore(older, newer)
        let before = try store.open(older)
        try before.performAndWait {
            for code in 1...2 { before.make("Item", ["name": "i\(code)", "code": code]) }
            try before.save()
        }
        let after = try store.open(newer)
        for (context, key) in [(before, "code"), (after, newerKey)] {
            try context.performAndWait {
                context.refreshAllObjects()
                let items = try context.all("Item")
                let values = items.map { $0.value(forKey: key) }
                for (item, value) in zip(items, values.reversed()) { item.setValue(value, forKey: key) }
                try context.save()
            }
        }
        #expect(try OnlineStore.lines(before, "Item", "name", "code") == ["i1 1", "i2 2"])
    }
}
#endif
