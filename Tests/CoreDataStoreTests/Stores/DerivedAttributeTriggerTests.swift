import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// The triggers by which Apple's framework keeps derived attributes, in stores that ask for them.
@Suite("Triggers of derived attributes", .leavesNothingBehind)
struct DerivedAttributeTriggerTests {
    private static let option = [NSSQLiteDerivedAttributeTriggersOption: true]

    private static func model(
        _ text: String = "entity Shelf\n  books many Book.shelf\nentity Book\n  title string\n  shelf one Shelf.books",
        deriving format: String = "books.@count", in entity: String = "Shelf"
    ) -> NSManagedObjectModel {
        let model = ModelText.model(text)
        let attribute = NSDerivedAttributeDescription()
        attribute.name = "bookCount"
        attribute.attributeType = .integer64AttributeType
        attribute.isOptional = true
        attribute.derivationExpression = CoreData.NSExpression(format: format)
        model.entitiesByName[entity]?.properties.append(attribute)
        return model
    }

    private static func triggers(_ url: URL) throws -> [String] {
        try RawDatabase(url).column("SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid")
            .compactMap { if case .text(let name) = $0 { name } else { nil } }
    }

    private static let names = [
        "Z_DA_ZBOOK_Shelf_bookCount_PARAMETER_INSERT", "Z_DA_ZBOOK_Shelf_bookCount_PARAMETER_UPDATE_INCREMENT",
        "Z_DA_ZBOOK_Shelf_bookCount_PARAMETER_UPDATE_DECREMENT", "Z_DA_ZBOOK_Shelf_bookCount_PARAMETER_DELETE",
        "Z_DA_ZSHELF_Shelf_bookCount_SOURCE_INSERT",
    ]

    @Test("A store has the triggers if its options ask for them, also one that is there already")
    func made() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try withStore(url, Self.model()) { _ in }
            #expect(try Self.triggers(url) == [])
            let earlier = try RawDeflate.compress(ModelArchive.encode(Self.model()))
            _ = try RawDatabase(url).rows("UPDATE Z_MODELCACHE SET Z_CONTENT = ?", [.blob(earlier)])
            for _ in 1...2 {
                try withStore(url, Self.model(), options: Self.option) { _ in }
                #expect(try Self.triggers(url) == Self.names)
            }
            guard case .blob(let cache)? = try RawDatabase(url).column("SELECT Z_CONTENT FROM Z_MODELCACHE").first
            else {
                Issue.record("no model")
                return
            }
            let root = try KeyedArchive(RawDeflate.decompress(cache)).root()
            #expect(ModelDecoder.isOfModelInUse(root))
            try withStore(url, Self.model()) { _ in }
            #expect(try Self.triggers(url) == Self.names)
        }
    }

    @Test("The triggers keep the count for a process that registers Apple's functions, and stop any other one")
    func otherWriters() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try withStore(url, Self.model(), options: Self.option) { context in
                let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
                _ = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
                for _ in 1...2 {
                    let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                    book.setValue(shelf, forKey: "shelf")
                }
                try context.save()
                context.refreshAllObjects()
                #expect(shelf.value(forKey: "bookCount") as? Int == 2)
            }
            let insertion = "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZSHELF) VALUES (9, 1, 1, 1)"
            let error = #expect(throws: RawDatabase.Failure.self) { try RawDatabase(url).execute(insertion) }
            #expect(error?.description.contains("NSCoreDataDATriggerUpdatedAffectedObjectValue") == true)
            let counts = "SELECT ZBOOKCOUNT FROM ZSHELF ORDER BY ZBOOKCOUNT DESC"
            let raw = try RawDatabase(url)
            let first = try raw.integer("SELECT Z_PK FROM ZSHELF WHERE ZBOOKCOUNT = 2") ?? 0
            let connection = try SQLiteConnection(path: url.path, access: .readWrite)
            SQLiteFunctions.register(on: connection)
            let other = "(SELECT Z_PK FROM ZSHELF WHERE Z_PK <> \(first))"
            for (statement, expected) in [
                ("INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZSHELF) VALUES (9, 1, 1, \(first))", [3, 0]),
                ("UPDATE ZBOOK SET ZSHELF = \(other) WHERE Z_PK = 9", [2, 1]),
                ("DELETE FROM ZBOOK WHERE Z_PK = 9", [2, 0]),
                ("DELETE FROM ZBOOK", [0, 0]),
            ] {
                try connection.execute(statement)
                #expect(try raw.column(counts) == expected.map { .int(Int64($0)) }, "\(statement)")
            }
        }
    }

    @Test(
        "A derivation whose triggers are not known is refused before there is a file",
        arguments: [
            ("books.title.@max", "Shelf", "one Shelf.books"), ("books.@count", "Shelf", "many Shelf.books"),
            ("books.@count", "Narrow", "one Shelf.books"), ("canonical:(title)", "Book", "one Shelf.books"),
        ])
    func refused(_ format: String, _ entity: String, _ inverse: String) throws {
        let text = """
            entity Shelf
              books many Book.shelf
            entity Narrow : Shelf
            entity Book
              title string
              shelf \(inverse)
            """
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let model = Self.model(text, deriving: format, in: entity)
            let error = try #require(throws: NSError.self) { try withStore(url, model, options: Self.option) { _ in } }
            #expect(error.code == NSPersistentStoreIncompatibleSchemaError)
            #expect(error.localizedDescription.contains("\(entity).bookCount"), "\(error)")
            #expect(!FileManager.default.fileExists(atPath: url.path))
        }
    }

    @Test(
        "New triggers begin with right counts, whatever the file had; another program's trigger of the name is refused")
    func staleAndForeign() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try withStore(url, Self.model()) { context in
                let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
                NSEntityDescription.insertNewObject(forEntityName: "Book", into: context).setValue(
                    shelf, forKey: "shelf")
                try context.save()
            }
            let raw = try RawDatabase(url)
            try raw.execute("UPDATE ZSHELF SET ZBOOKCOUNT = 7")
            let foreign = "CREATE TRIGGER \(Self.names[1]) AFTER DELETE ON ZBOOK BEGIN SELECT 1; END"
            try raw.execute(foreign)
            let error = try #require(throws: NSError.self) {
                try withStore(url, Self.model(), options: Self.option) { _ in }
            }
            #expect(error.code == NSPersistentStoreIncompatibleSchemaError)
            #expect(error.localizedDescription.contains(Self.names[1]), "\(error)")
            #expect(try Self.triggers(url) == [Self.names[1]])
            try raw.execute("DROP TRIGGER \(Self.names[1])")
            try withStore(url, Self.model(), options: Self.option) { _ in }
            #expect(try Self.triggers(url) == Self.names)
            #expect(try raw.integer("SELECT ZBOOKCOUNT FROM ZSHELF") == 1)
        }
    }

    @Test("A migration gives a new derived attribute triggers where the file has triggers, also if numbers change")
    func migrated() throws {
        let older = "entity Shelf\n  books many Book.shelf\nentity Book\n  title string\n  shelf one Shelf.books"
        let newer = older + "\n  cards many Card.book\nentity Card\n  book one Book.cards"
        for hasTriggers in [true, false] {
            try withTemporaryFolder { folder in
                let url = folder.appendingPathComponent("Store.sqlite")
                try withStore(url, Self.model(), options: hasTriggers ? Self.option : [:]) { context in
                    let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
                    NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                        .setValue(shelf, forKey: "shelf")
                    try context.save()
                }
                let model = Self.model(newer)
                let cards = NSDerivedAttributeDescription()
                cards.name = "cardCount"
                cards.attributeType = .integer64AttributeType
                cards.isOptional = true
                cards.derivationExpression = CoreData.NSExpression(format: "cards.@count")
                model.entitiesByName["Book"]?.properties.append(cards)
                #expect(try LightweightMigrator(MigrationRequest(at: url, to: model)).apply())
                let made = try Self.triggers(url)
                #expect(made.count == (hasTriggers ? 10 : 0))
                if hasTriggers { #expect(made.contains("Z_DA_ZCARD_Book_cardCount_PARAMETER_INSERT")) }
                #expect(try RawDatabase(url).integer("SELECT ZBOOKCOUNT FROM ZSHELF") == 1)
            }
        }
    }

    /// The ways to a newer version by `NSMigrationManager` or by a mapping model among the program's own.
    enum Way: CaseIterable { case mapped, inferred, inPlace, adding }

    @Test(
        "A migration by a mapping model makes triggers if its options ask for them, or if the older file has some",
        arguments: Way.allCases, [true, false])
    func mapped(_ way: Way, asks: Bool) throws {
        let newer =
            "entity Shelf\n  name string\n  books many Book.shelf\nentity Book\n  title string\n"
            + "  shelf one Shelf.books"
        let (older, model) = (Self.model(), Self.model(newer))
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try withStore(url, older, options: asks ? [:] : Self.option) { context in
                let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
                for _ in 1...3 {
                    NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                        .setValue(shelf, forKey: "shelf")
                }
                try context.save()
            }
            let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: model)
            // A mapping model that a program has changed is carried out object by object.
            if way == .mapped || way == .adding { mapping.entityMappings[0].userInfo = ["changed": true] }
            let target = way == .mapped || way == .inferred ? folder.appendingPathComponent("New.sqlite") : url
            let options = asks ? Self.option : [:]
            if way == .adding {
                let request = MigrationRequest(at: url, to: model, options: options)
                _ = try MappedMigration(request: request, source: older, mapping: mapping)
                    .make(SQLiteStoreFiles(url), into: SQLiteStoreFiles(folder.appendingPathComponent("C.sqlite")), nil)
            } else {
                try NSMigrationManager(sourceModel: older, destinationModel: model).migrateStore(
                    from: url, sourceType: NSSQLiteStoreType, options: nil, with: mapping, toDestinationURL: target,
                    destinationType: NSSQLiteStoreType, destinationOptions: options)
            }
            let made = way == .adding ? folder.appendingPathComponent("C.sqlite") : target
            #expect(try Self.triggers(made).sorted() == Self.names.sorted())
            #expect(try RawDatabase(made).integer("SELECT ZBOOKCOUNT FROM ZSHELF") == 3)
        }
    }

    @Test("A migration whose options ask for unknown triggers is refused, and leaves the older store")
    func mappedRefused() throws {
        let newer = Self.model(deriving: "canonical:(title)", in: "Book")
        let older = ModelText.model(
            "entity Shelf\n  books many Book.shelf\nentity Book\n  title string\n  shelf one Shelf.books")
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try withStore(url, older) { _ in }
            let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: newer)
            for target in [url, folder.appendingPathComponent("New.sqlite")] {
                let error = try #require(throws: NSError.self) {
                    try NSMigrationManager(sourceModel: older, destinationModel: newer).migrateStore(
                        from: url, sourceType: NSSQLiteStoreType, options: nil, with: mapping,
                        toDestinationURL: target, destinationType: NSSQLiteStoreType,
                        destinationOptions: Self.option)
                }
                #expect("\(error) \(error.userInfo)".contains("Book.bookCount"), "\(error)")
            }
            try withStore(url, older) { _ in }
            #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("New.sqlite").path))
        }
    }

    @Test("A salvage says which triggers it leaves out")
    func salvaged() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try withStore(url, Self.model(), options: Self.option) { _ in }
            let report = try NSPersistentStoreCoordinator.salvage(
                storeAt: url, into: folder.appendingPathComponent("Salvaged.sqlite"))
            let texts = report.findings.filter { $0.kind == .leftOut }.map(\.text)
            #expect(texts.contains { $0.contains(Self.names[0]) }, "\(texts)")
        }
    }
}
