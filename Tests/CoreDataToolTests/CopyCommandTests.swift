import CoreData
import Foundation
import TestSupport
import Testing

#if PostgreSQL
import CoreDataPostgreSQL
#endif

@Suite("coredata copy and convert")
struct CopyCommandTests {
    private static func model() -> NSManagedObjectModel {
        let model = ModelText.model(
            """
            entity Note
              text string!
              image data external
              time date
              next one Note.before
              before one Note.next
            """)
        model.entitiesByName["Note"]?.attributesByName["image"]?.allowsExternalBinaryDataStorage = true
        return model
    }

    private static let image = Data(repeating: 3, count: 300_000)

    private static func notes(_ texts: [String], in context: NSManagedObjectContext) throws {
        for text in texts {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(text, forKey: "text")
            note.setValue(image, forKey: "image")
        }
        try context.save()
    }

    private static func identifier(_ url: URL) throws -> String? {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)[NSStoreUUIDKey] as? String
    }

    @Test("The copy of a store that is being written has all that was saved, and its identifier")
    func copyOfWritten() throws {
        try withTemporaryFolder { folder in
            let (store, copy) = (folder.appendingPathComponent("N.sqlite"), folder.appendingPathComponent("C.sqlite"))
            let options = [NSPersistentHistoryTrackingKey: true]
            try withStore(store, Self.model(), options: options) { context in
                try Self.notes(["a", "b"], in: context)
                let run = try ToolRun(["copy", store.path, copy.path, "--json"])
                #expect(run.status == 0, "\(run.errors)")
                let said = try run.json() as? [String: Any]
                #expect(said?["identifier"] as? String == (try Self.identifier(store)))
                let (old, new) = (
                    try StoreWalk(store, type: NSSQLiteStoreType, Self.model()),
                    try StoreWalk(copy, type: NSSQLiteStoreType, Self.model())
                )
                #expect(new.objects.count == 2)
                #expect(old.differences(from: new) == [])
                #expect(try Self.identifier(copy) == Self.identifier(store))
                try Self.notes(["c"], in: context)
                let refused = try ToolRun(["copy", store.path, copy.path])
                #expect(refused.status == 5)
                #expect(refused.errors == "coredata: \(copy.path): there is something already; it stays as it is\n")
                #expect(try StoreWalk(copy, type: NSSQLiteStoreType, Self.model()).objects.count == 2)
                let forced = try ToolRun(["copy", store.path, copy.path, "--force"])
                #expect(forced.status == 0, "\(forced.errors)")
                #expect(forced.output == "copied \(store.path) to \(copy.path)\n")
                #expect(try StoreWalk(copy, type: NSSQLiteStoreType, Self.model()).objects.count == 3)
            }
            try withStore(copy, Self.model(), options: options) { context in
                let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
                let result = try context.execute(request) as? NSPersistentHistoryResult
                #expect((result?.result as? [NSPersistentHistoryTransaction])?.count == 2)
            }
        }
    }

    @Test("--force replaces stores of the same kind only, and never the store itself")
    func forced() throws {
        try withTemporaryFolder { folder in
            let (store, text) = (folder.appendingPathComponent("N.sqlite"), folder.appendingPathComponent("T.txt"))
            try withStore(store, Self.model()) { try Self.notes(["a"], in: $0) }
            try Data("mine".utf8).write(to: text)
            let before = try Data(contentsOf: store)
            #expect(try ToolRun(["copy", store.path, text.path, "--force"]).status == 3)
            #expect(try Data(contentsOf: text) == Data("mine".utf8))
            let itself = try ToolRun(["copy", store.path, folder.path + "/./N.sqlite", "--force"])
            #expect(itself.status == 2)
            #expect(try ToolRun(["copy", text.path, folder.path + "/C.sqlite"]).status == 3)
            #expect(try ToolRun(["copy", folder.path + "/None", folder.path + "/C.sqlite"]).status == 3)
            #expect(try ToolRun(["copy", store.path]).status == 2)
            #expect(try Data(contentsOf: store) == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
        }
    }

    @Test("Each kind of file becomes each other one, and every object is compared", arguments: ["xml", "binary"])
    func kinds(_ kind: String) throws {
        try withTemporaryFolder { folder in
            let store = folder.appendingPathComponent("N.sqlite")
            try withStore(store, Self.model()) { try Self.notes(["a", "b"], in: $0) }
            let model = folder.appendingPathComponent("M.mom")
            try Self.model().archive().write(to: model)
            let (there, back) = (folder.appendingPathComponent("N.\(kind)"), folder.appendingPathComponent("B.sqlite"))
            let run = try ToolRun(["convert", store.path, there.path, "--json"])
            #expect(run.status == 0, "\(run.errors)")
            let said = try run.json() as? [String: Any]
            #expect(said?["objects"] as? Int == 2)
            #expect(said?["verified"] as? Bool == true)
            #expect(said?["keepsIDs"] as? Bool == false)
            let returned = try ToolRun(["convert", there.path, back.path, "-m", model.path])
            #expect(returned.status == 0, "\(returned.errors)")
            #expect(returned.output == "converted 2 objects of 1 entity into \(back.path); every object was compared\n")
            let walks = try [store, back].map { try StoreWalk($0, type: NSSQLiteStoreType, Self.model()) }
            #expect(walks[0].shape(Self.model()) == walks[1].shape(Self.model()))
            let again = try ToolRun(["convert", there.path, back.path, "-m", model.path])
            #expect(again.status == 5)
        }
    }

    @Test("With --for-apple the main file has Apple's triggers; a derivation without known triggers is refused")
    func triggers() throws {
        try withTemporaryFolder { folder in
            func model(_ format: String) -> NSManagedObjectModel {
                let model = ModelText.model(
                    "entity Shelf\n  books many Book.shelf\nentity Book\n  pages int32\n  shelf one Shelf.books")
                let count = NSDerivedAttributeDescription()
                count.name = "bookCount"
                count.attributeType = .integer64AttributeType
                count.isOptional = true
                count.derivationExpression = CoreData.NSExpression(format: format)
                model.entitiesByName["Shelf"]?.properties.append(count)
                return model
            }
            let counting = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'"
            for (number, format) in ["books.@count", "books.pages.@sum"].enumerated() {
                let store = folder.appendingPathComponent("S\(number).sqlite")
                try withStore(store, model(format)) { context in
                    let shelf = context.make("Shelf")
                    context.make("Book", ["pages": 7, "shelf": shelf])
                    try context.save()
                }
                let copy = folder.appendingPathComponent("A\(number).sqlite")
                let run = try ToolRun(["convert", store.path, copy.path, "--for-apple"])
                if number == 0 {
                    #expect(run.status == 0, "\(run.errors)")
                    #expect(!FileManager.default.fileExists(atPath: copy.path + "-wal"))
                    #expect(try RawDatabase(copy).rows(counting)[0][0] == .int(5))
                    let plain = folder.appendingPathComponent("P.sqlite")
                    #expect(try ToolRun(["convert", store.path, plain.path]).status == 0)
                    #expect(try RawDatabase(plain).rows(counting)[0][0] == .int(0))
                } else {
                    #expect(run.status == 5)
                    #expect(run.errors.contains("Shelf.bookCount"), "\(run.errors)")
                    #expect(!FileManager.default.fileExists(atPath: copy.path))
                }
            }
            #expect(
                try ToolRun(["convert", folder.path + "/S0.sqlite", folder.path + "/A.xml", "--for-apple"]).status == 2)
        }
    }

    @Test("A killed process's leftovers do not stand in the way, a living process does")
    func leftovers() throws {
        try withTemporaryFolder { folder in
            let (store, copy) = (folder.appendingPathComponent("N.sqlite"), folder.appendingPathComponent("C.sqlite"))
            try withStore(store, Self.model()) { try Self.notes(["a"], in: $0) }
            let draft = folder.appendingPathComponent(".C.sqlite.coredata-draft")
            let inside = draft.appendingPathComponent("store")
            try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
            // As after a kill between the folder's name and the store's.
            for name in ["store/C.sqlite", "external"] {
                try Data("torn".utf8).write(to: draft.appendingPathComponent(name))
            }
            let support = folder.appendingPathComponent(".C_SUPPORT")
            try FileManager.default.createDirectory(at: support, withIntermediateDirectories: true)
            let lock = open(draft.appendingPathComponent("lock").path, O_CREAT | O_RDWR, 0o600)
            #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
            let busy = try ToolRun(["convert", store.path, copy.path])
            #expect(busy.status == 4)
            #expect(busy.errors == "coredata: \(copy.path): another process is making this store\n")
            close(lock)
            let run = try ToolRun(["convert", store.path, copy.path])
            #expect(run.status == 0, "\(run.errors)")
            let walks = try [store, copy].map { try StoreWalk($0, type: NSSQLiteStoreType, Self.model()) }
            #expect(walks[0].differences(from: walks[1]) == [])
            #expect(!FileManager.default.fileExists(atPath: draft.path))
        }
    }

    #if PostgreSQL
    @Test(
        "A database gets all, its ids, and dates to the microsecond; values that it cannot hold are listed before",
        .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
    func database() throws {
        try withDatabase { url, folder in
            let store = folder.appendingPathComponent("N.sqlite")
            try withStore(store, Self.model()) { context in
                try Self.notes(["a", "b\u{0}c", "d\u{0}"], in: context)
            }
            let refused = try ToolRun(["convert", store.path, url.absoluteString])
            #expect(refused.status == 5)
            #expect(refused.errors.contains("cannot hold 2 values of the store; nothing was written"))
            #expect(refused.errors.contains("“Note.text” of p2 is a text with the character U+0000"))
            try withStore(store, Self.model()) { context in
                for note in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")) {
                    note.setValue("fine", forKey: "text")
                    note.setValue(Date(timeIntervalSinceReferenceDate: 0.123_456_789), forKey: "time")
                }
                try context.save()
            }
            let run = try ToolRun(["convert", store.path, url.absoluteString, "--json"])
            #expect(run.status == 0, "\(run.errors)")
            #expect((try run.json() as? [String: Any])?["keepsIDs"] as? Bool == true)
            let old = try StoreWalk(store, type: NSSQLiteStoreType, Self.model(), isRounded: true)
            let new = try StoreWalk(url, type: NSPostgreSQLStoreType, Self.model(), isRounded: true)
            #expect(new.objects.count == 3)
            #expect(old.differences(from: new) == [])
            #expect(try ToolRun(["convert", store.path, url.absoluteString]).status == 5)
        }
    }
    #endif
}
