import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Keys that no row can have: in an object's own key the upper bits are the number of a store.
@Suite("A key that is none leads to no other store", .leavesNothingBehind)
struct HostileKeysTests {
    private static let model = """
        entity Person
          name string
          things many Thing.owner
          places many Place.visitors
        entity Place
          title string
          visitors many Person.places
        entity Thing
          label string
          owner one Person.things
        """

    /// Numbers with those of the first stores of a coordinator in the upper bits, and further ones that are no keys.
    private static let beyond = [1 << 48 | 1, 2 << 48 | 1, 3 << 48 | 1, 1 << 48, .max] as [Int64]
    private static let below = [0, -1, -1 << 48 | 1, .min] as [Int64]

    /// Two stores of one model, each with one person that has a thing and a place. One of them is hostile.
    private struct Stores {
        let folder: TemporaryFolder
        var ours: URL { folder.url.appendingPathComponent("Ours.sqlite") }
        var hostile: URL { folder.url.appendingPathComponent("Hostile.sqlite") }

        init(_ statements: String) throws {
            folder = try TemporaryFolder()
            for url in [ours, hostile] {
                try withStore(url, ModelText.model(HostileKeysTests.model), options: Self.options) { context in
                    let person = context.make("Person", ["name": "person"])
                    context.make("Thing", ["label": "thing", "owner": person])
                    context.make("Place", ["title": "place", "visitors": NSSet(object: person)])
                    try context.save()
                }
            }
            try RawDatabase(hostile).execute(statements)
        }

        private static var options: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true] }

        /// A context on both stores, and the hostile one.
        func read(_ body: (NSManagedObjectContext, NSPersistentStore) throws -> Void) throws {
            let model = ModelText.model(HostileKeysTests.model)
            try withStore(ours, model, options: Self.options) { context in
                let coordinator = try #require(context.persistentStoreCoordinator)
                let store = try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil, at: hostile, options: Self.options)
                defer { try? coordinator.remove(store) }
                try body(context, store)
            }
            let own = try RawDatabase(ours)
            #expect(try own.column("SELECT ZLABEL FROM ZTHING") == [.text("thing")])
            #expect(try own.column("SELECT ZNAME FROM ZPERSON") == [.text("person")])
        }
    }

    private func request(_ entity: String, _ store: NSPersistentStore) -> NSFetchRequest<NSFetchRequestResult> {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
        request.affectedStores = [store]
        request.returnsObjectsAsFaults = false
        return request
    }

    private func expectRefused(_ words: [String], _ body: () throws -> Void) {
        let error = #expect(throws: NSError.self) { try body() }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == CocoaError.Code.fileReadCorruptFile.rawValue)
        let text = error?.localizedDescription ?? ""
        for word in words { #expect(text.contains(word), "\(text)") }
    }

    @Test("A row whose own key is none is 259 in every fetch and batch, with its table", arguments: beyond + below)
    func ownKeys(_ key: Int64) throws {
        try Stores("UPDATE ZTHING SET Z_PK = \(key)").read { context, store in
            let words = ["ZTHING", "\(key)"]
            for batchSize in [0, 1] {
                let objects = request("Thing", store)
                objects.fetchBatchSize = batchSize
                expectRefused(words) { _ = try context.fetch(objects) }
            }
            let ids = request("Thing", store)
            ids.resultType = .managedObjectIDResultType
            expectRefused(words) { _ = try context.fetch(ids) }
            let update = NSBatchUpdateRequest(entityName: "Thing")
            update.affectedStores = [store]
            update.propertiesToUpdate = ["label": "changed"]
            update.resultType = .updatedObjectIDsResultType
            expectRefused(words) { _ = try context.execute(update) }
            let deletion = NSBatchDeleteRequest(fetchRequest: request("Thing", store))
            deletion.affectedStores = [store]
            expectRefused(words) { _ = try context.execute(deletion) }
        }
    }

    @Test("A to-one key beyond all keys is 259, with row and relationship", arguments: beyond)
    func references(_ key: Int64) throws {
        try Stores("UPDATE ZTHING SET ZOWNER = \(key)").read { context, store in
            expectRefused(["Thing.owner, row 1", "\(key)"]) { _ = try context.fetch(request("Thing", store)) }
            let dictionaries = request("Thing", store)
            dictionaries.resultType = .dictionaryResultType
            dictionaries.propertiesToFetch = ["owner"]
            expectRefused(["\(key)"]) { _ = try context.fetch(dictionaries) }
            let coordinator = try #require(context.persistentStoreCoordinator)
            let found = try #require(coordinator.inspect(store, for: .irregularities).irregularities)
            #expect(found.map(\.kind) == [.value] && found.map(\.propertyName) == ["owner"])
            #expect(try coordinator.mend(found, in: store) == [])
            #expect(try context.fetch(request("Thing", store)).count == 1)
        }
    }

    @Test("A to-one key below all keys leads nowhere", arguments: below)
    func referencesToNothing(_ key: Int64) throws {
        try Stores("UPDATE ZTHING SET ZOWNER = \(key)").read { context, store in
            let thing = try #require(try context.fetch(request("Thing", store)).first as? NSManagedObject)
            #expect(thing.value(forKey: "owner") == nil)
            #expect(thing.value(forKey: "label") as? String == "thing")
        }
    }

    @Test("The key of a member is checked, too: in its own row, and behind a table of pairs", arguments: beyond)
    func members(_ key: Int64) throws {
        let stores = try Stores("UPDATE ZTHING SET Z_PK = \(key); UPDATE ZPLACE SET Z_PK = \(key)")
        let database = try RawDatabase(stores.hostile)
        let pairs = try #require(
            database.tables.first { $0.hasPrefix("Z_") && ($0.hasSuffix("PLACES") || $0.hasSuffix("VISITORS")) })
        let column = try #require(try database.columns(of: pairs).first { $0.hasSuffix("PLACES") })
        try database.execute("UPDATE \(pairs) SET \(column) = \(key)")
        try stores.read { context, store in
            let person = try #require(try context.fetch(request("Person", store)).first as? NSManagedObject)
            for (name, table) in [("things", "ZTHING"), ("places", "ZPLACE")] {
                expectRefused([table, "\(key)"]) {
                    _ = try context.readingFaults { (person.value(forKey: name) as? Set<NSManagedObject>)?.count }
                }
            }
        }
    }

    @Test("A change in history whose row has such a key is 259, with the table of changes", arguments: beyond + below)
    func history(_ key: Int64) throws {
        try Stores("UPDATE ACHANGE SET ZENTITYPK = \(key)").read { context, store in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            request.affectedStores = [store]
            expectRefused(["ACHANGE", "\(key)"]) { _ = try context.execute(request) }
        }
    }

    // MARK: Tables

    @Test(
        "A table whose Z_PK is no primary key of whole numbers is refused: two of its rows could have one key",
        arguments: ["Z_PK INTEGER", "Z_PK", "Z_PK VARCHAR PRIMARY KEY", "Z_PK INTEGER UNIQUE"], [true, false])
    func withoutPrimaryKey(_ definition: String, _ isReadOnly: Bool) throws {
        let stores = try Stores(Self.table(definition))
        let error = #expect(throws: NSError.self) {
            try withStore(
                stores.hostile, ModelText.model(Self.model), options: [NSReadOnlyPersistentStoreOption: isReadOnly]
            ) { _ in }
        }
        #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
        let text = error?.localizedDescription ?? ""
        #expect(text.contains("Z_PK of the table ZTHING"), "\(text)")
    }

    @Test("A table without row ids whose primary key is Z_PK is one of a store")
    func withoutRowIDs() throws {
        let stores = try Stores(Self.table("Z_PK INTEGER PRIMARY KEY", "WITHOUT ROWID"))
        try stores.read { context, store in
            let things = try context.fetch(request("Thing", store)).compactMap { $0 as? NSManagedObject }
            #expect(things.map { $0.value(forKey: "label") as? String } == ["made"])
        }
    }

    private static func table(_ key: String, _ end: String = "") -> String {
        """
        DROP TABLE ZTHING;
        CREATE TABLE ZTHING (\(key), Z_ENT INTEGER, Z_OPT INTEGER, ZOWNER INTEGER, ZLABEL VARCHAR) \(end);
        INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZLABEL)
        SELECT 1, Z_ENT, 1, 'made' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Thing'
        """
    }
}
