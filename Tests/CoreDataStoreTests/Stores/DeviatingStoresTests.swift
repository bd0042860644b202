import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

// Rows of DEVIATIONS.md that no other suite holds.

@Suite("Requests and stores that behave otherwise than on a Mac", .leavesNothingBehind)
struct DeviatingStoresTests {
    private static var migrating: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }

    @Test("A batch update of a one-to-one relationship is error 134060, and nothing is changed")
    func oneToOne() throws {
        let context = try Library().context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            let profile = context.make("Profile", ["text": "p"])
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Profile")
            update.propertiesToUpdate = ["author": author.objectID]
            let error = #expect(throws: NSError.self) { try context.execute(update) }
            #expect(error?.code == NSCoreDataError)
            context.refresh(profile, mergeChanges: false)
            #expect(profile.value(forKey: "author") == nil)
        }
    }

    @Test("A history request has a type of its own, with the raw value 8")
    func historyRequest() {
        let type = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast).requestType
        #expect(type == .persistentHistoryRequestType)
        #expect(type.rawValue == 8)
    }

    /// Leaves every conflict as it is.
    private final class IdlePolicy: NSMergePolicy {
        override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {}
    }

    @Test("A merge policy that always leaves conflicts does not keep a save from its end", .timeLimit(.minutes(10)))
    func idlePolicy() throws {
        let context = try TextStack("entity Tag\n  label string\n  unique label").context()
        try context.performAndWait {
            context.make("Tag", ["label": "a"])
            try context.save()
            context.mergePolicy = IdlePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
            context.make("Tag", ["label": "a"])
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSManagedObjectConstraintMergeError)
        }
    }

    @Test("The types of UUIDs, URLs and transformable values have names in an XML store")
    func namesInXML() throws {
        let library = try Library(.xml)
        let context = library.context()
        try context.performAndWait {
            context.make(
                "Book",
                ["identifier": UUID(), "link": URL(fileURLWithPath: "/x"), "keywords": ["a"] as NSArray])
            try context.save()
        }
        let text = try String(contentsOf: try #require(library.store.url), encoding: .utf8)
        #expect(text.contains("name=\"identifier\" type=\"UUID\""))
        #expect(text.contains("name=\"link\" type=\"URI\""))
        #expect(text.contains("name=\"keywords\" type=\"transformable\""))
    }

    @Test("An external value whose file is missing reads as nil, and the rest of the row is there")
    func missingExternalFile() throws {
        let library = try Library(.sqlite, model: ParcelModel.make())
        let context = library.context()
        try context.performAndWait {
            let parcel = context.make("Parcel", ["content": Data(repeating: 7, count: 200_000)])
            try context.save()
            let folder = library.folder.url.appendingPathComponent(".Library_SUPPORT/_EXTERNAL_DATA")
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            #expect(files.count == 1)
            for file in files { try FileManager.default.removeItem(at: file) }
            context.refresh(parcel, mergeChanges: false)
            #expect(parcel.value(forKey: "content") == nil)
            #expect(try context.all("Parcel").count == 1)
        }
    }

    @Test("Objects of a store that is moved to another kind get new ids")
    func newIDs() throws {
        let library = try Library(.sqlite)
        let context = library.context()
        let before = try context.performAndWait {
            let tag = context.make("Tag", ["name": "t"])
            try context.save()
            return tag.objectID.uriRepresentation()
        }
        _ = try library.coordinator.migratePersistentStore(
            library.store, to: library.folder.url.appendingPathComponent("Moved.xml"), options: nil,
            withType: NSXMLStoreType)
        let other = library.context()
        try other.performAndWait {
            let tag = try #require(try other.all("Tag").first)
            #expect(tag.objectID.uriRepresentation() != before)
        }
    }

    @Test("An atomic store at /dev/null is not moved: 134070", arguments: [NSXMLStoreType, NSBinaryStoreType])
    func nullDevice(type: String) throws {
        try withTemporaryFolder { folder in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
            let store = try coordinator.addPersistentStore(
                ofType: type, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"), options: nil)
            let error = #expect(throws: NSError.self) {
                try coordinator.migratePersistentStore(
                    store, to: folder.appendingPathComponent("Moved.sqlite"), options: nil,
                    withType: NSSQLiteStoreType)
            }
            #expect(error?.code == NSPersistentStoreOperationError)
        }
    }

    @Test("A migration to a floating-point type rounds numbers silently")
    func rounding() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Boxes.sqlite")
            try withStore(url, ModelText.model("entity Box\n  a int64\n  b int32"), options: Self.migrating) {
                context in
                context.make("Box", ["a": 9_007_199_254_740_993, "b": 16_777_217])
                try context.save()
            }
            try withStore(url, ModelText.model("entity Box\n  a double\n  b float"), options: Self.migrating) {
                context in
                let box = try #require(try context.all("Box").first)
                #expect(box.value(forKey: "a") as? Double == 9_007_199_254_740_992)
                #expect(box.value(forKey: "b") as? Float == 16_777_216)
            }
        }
    }

    @Test("Going back to a mandatory attribute gives its default for nil, and is no loss")
    func defaultForNil() throws {
        let older = "entity Box\n  size int32! = 5"
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Boxes.sqlite")
            try withStore(url, ModelText.model(older), options: Self.migrating) { try $0.save() }
            try withStore(url, ModelText.model("entity Box\n  size int32"), options: Self.migrating) { context in
                context.make("Box")
                try context.save()
            }
            try withStore(url, ModelText.model(older), options: Self.migrating) { context in
                let box = try #require(try context.all("Box").first)
                #expect(box.value(forKey: "size") as? Int == 5)
            }
        }
    }

    @Test("Going back to an unordered relationship and to narrower numbers is no loss")
    func noLoss() throws {
        func model(_ kind: String, _ size: String, _ cost: String) -> NSManagedObjectModel {
            ModelText.model(
                "entity Box\n  size \(size)\n  cost \(cost)\n  items \(kind) Item.box\nentity Item\n  box one Box.items"
            )
        }
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Boxes.sqlite")
            let type = NSSQLiteStoreType
            try withStore(url, model("many", "float", "double"), type: type, options: Self.migrating) { try $0.save() }
            try withStore(url, model("ordered", "double", "decimal"), type: type, options: Self.migrating) { context in
                let items = (0..<2).map { _ in context.make("Item") }
                context.make(
                    "Box",
                    ["size": 0.1, "cost": NSDecimalNumber(string: "0.1"), "items": NSOrderedSet(array: items)])
                try context.save()
            }
            try withStore(url, model("many", "float", "double"), type: type, options: Self.migrating) { context in
                let box = try #require(try context.all("Box").first)
                #expect((box.value(forKey: "size") as? NSNumber)?.floatValue == 0.1)
                #expect(box.value(forKey: "cost") as? Double == 0.1)
                #expect((box.value(forKey: "items") as? Set<NSManagedObject>)?.count == 2)
            }
        }
    }
}
