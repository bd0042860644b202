import CoreData
import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Stores that cannot be opened, classes that cannot be stored, and values in stores that no property can have.
@Suite("Bad input of SwiftData")
struct SwiftDataBadInputTests {
    // MARK: Stores

    /// The error of a container over a place.
    private func refusal(
        _ url: URL, allowsSave: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
    ) -> SwiftDataError? {
        let error = #expect(throws: SwiftDataError.loadIssueModelContainer, sourceLocation: sourceLocation) {
            try ModelContainer(
                for: Wagon.self, Engine.self, configurations: ModelConfiguration(url: url, allowsSave: allowsSave))
        }
        #expect(error?.underlyingError != nil, sourceLocation: sourceLocation)
        return error
    }

    private func code(_ error: SwiftDataError?) -> Int? { (error?.underlyingError as NSError?)?.code }

    @Test("A file that is no database, a folder, and a place without a file are refused, and stay as they are")
    func noStore() throws {
        try withTemporaryFolder { folder in
            let text = folder.appendingPathComponent("text.store")
            try Data("no database, whatever its name says, and long enough to be read".utf8).write(to: text)
            let before = try FolderContents(folder)
            for (url, expected) in [(text, "text.store"), (folder, folder.lastPathComponent)] {
                let error = refusal(url)
                #expect(error?.reason?.contains(expected) == true, "\(error?.reason ?? "")")
                #expect("\(error.map { "\($0)" } ?? "")".hasPrefix("SwiftDataError.loadIssueModelContainer: "))
            }
            let missing = folder.appendingPathComponent("missing.store")
            #expect(refusal(missing, allowsSave: false)?.reason?.contains("missing.store") == true)
            #expect(try FolderContents(folder).differences(from: before) == [])
        }
    }

    @Test("A store of Core Data with other entities is refused by its entities, and stays as it is")
    func otherEntities() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.store")
            try withStore(url, LibraryModel.make()) { try $0.save() }
            let before = try RawDatabase(url).rows("SELECT sql FROM sqlite_master")
            let error = refusal(url)
            #expect(code(error) == NSPersistentStoreIncompatibleVersionHashError)
            #expect(error?.reason?.contains("library.store") == true)
            #expect(error?.reason?.contains("Author, Book") == true, "\(error?.reason ?? "")")
            #expect(error?.reason?.contains("Driver, Engine, Wagon") == true)
            #expect(try RawDatabase(url).rows("SELECT sql FROM sqlite_master") == before)
        }
    }

    @Test(
        "A file that must not be written is refused, unless it is only read",
        .disabled(if: ImmutableMark.obstacle != nil, Comment(rawValue: ImmutableMark.obstacle ?? "")))
    func noRights() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("engines.store")
            try fill(url)
            let mark = try ImmutableMark(url)
            #expect(code(refusal(url)) == NSFileWriteNoPermissionError)
            let reading = try ModelContainer(
                for: Wagon.self, Engine.self, configurations: ModelConfiguration(url: url, allowsSave: false))
            #expect(try ModelContext(reading).fetchCount(FetchDescriptor<Engine>()) == 1)
            withExtendedLifetime(mark) {}
        }
    }

    @Test(
        "A new store for which there is no space is refused, and leaves no file",
        .disabled(if: SmallDisk.obstacle != nil, Comment(rawValue: SmallDisk.obstacle ?? "")))
    func fullDisk() throws {
        let disk = try SmallDisk(kilobytes: 512)
        try disk.fill(leaving: 16)
        let error = refusal(disk.url.appendingPathComponent("engines.store"))
        #expect(code(error) == NSFileWriteOutOfSpaceError)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.url.path) == ["ballast"])
    }

    @Test("A store of a higher version than the schema is a backward migration, which names both")
    func newer() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("expenses.store")
            let newer = Schema([ExpensesV2.Expense.self], version: Schema.Version(2, 0, 0))
            _ = try ModelContainer(for: newer, configurations: ModelConfiguration(url: url))
            let error = #expect(throws: SwiftDataError.backwardMigration) {
                try ModelContainer(for: ExpensesV1.Expense.self, configurations: ModelConfiguration(url: url))
            }
            #expect(error?.reason?.contains("has version 2.0.0, and the schema has version 1.0.0") == true)
            // Equal classes are no other version, whatever the number.
            _ = try ModelContainer(for: ExpensesV2.Expense.self, configurations: ModelConfiguration(url: url))
        }
    }

    // MARK: Classes

    @Test(
        "A class that cannot be stored is an error that names the class and the property",
        arguments: [
            ([Faulty.ToPlain.self], ["ToPlain.plain", "Plain is not Codable, and no class with @Model"]),
            ([Faulty.ToManyPlain.self], ["ToManyPlain.plains", "Plain is not Codable, and no class with @Model"]),
            ([Faulty.WithLetter.self], ["WithLetter.letter", "raw values of Letter have the type Character"]),
            ([Faulty.WithNested.self], ["WithNested.nested", "'inner'", "'plain'", "type Plain"]),
            ([Faulty.WithInverse.self], ["WithInverse.driver", "is no relationship of Driver"]),
            ([Faulty.WithDescription.self], ["WithDescription", "description"]),
            ([Faulty.UniqueMany.self], ["UniqueMany.drivers", "cannot be unique"]),
            ([Engine.self, Elsewhere.Driver.self], ["Driver has the same name"]),
        ] as [([any PersistentModel.Type], [String])])
    func faults(_ types: [any PersistentModel.Type], _ texts: [String]) throws {
        let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
            try ModelContainer(for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        }
        for text in texts { #expect(error?.reason?.contains(text) == true, "\(error?.reason ?? "")") }
    }

    // MARK: Values

    private func container(_ url: URL) throws -> ModelContainer {
        try ModelContainer(for: Wagon.self, Engine.self, configurations: ModelConfiguration(url: url))
    }

    /// Makes a store with one model of each class.
    private func fill(_ url: URL) throws {
        let context = ModelContext(try container(url))
        context.insert(Wagon())
        context.insert(Engine(driver: Driver(name: "D")))
        try context.save()
    }

    /// Makes a store, changes a row of it by SQL, and gives the body a context.
    private func withDamage(_ sql: String, _ body: (ModelContext) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("trains.store")
            try fill(url)
            try RawDatabase(url).execute(sql)
            try body(ModelContext(try container(url)))
        }
    }

    @Test("A value that is none of its property's type reads as the default, and the check names it")
    func defaults() throws {
        let deep = String(repeating: "[", count: 100_000)
        let damage = """
            UPDATE ZWAGON SET ZNUMBER = NULL, ZLABEL = NULL, ZBUILT = NULL, ZGAUGE = 'wide', ZFORMERGAUGE = 'wide',
                ZNOTHING = NULL, ZCOAL = CAST('{"tonnes":"three"}' AS BLOB), ZNAME = NULL, ZTOWNS = NULL,
                ZNAME1 = 'N', ZTOWNS1 = CAST('\(deep)' AS BLOB), ZMARKS = x'00112233',
                ZWEIGHTS = CAST('{"a":[1,2,' AS BLOB), ZAXLES = 300
            """
        try withDamage(damage) { context in
            let wagon = try #require(try context.fetch(FetchDescriptor<Wagon>()).first)
            #expect(wagon.number == 7)
            #expect(wagon.label == "none")
            #expect(wagon.built == Date(timeIntervalSinceReferenceDate: 1))
            #expect(wagon.gauge == .narrow)
            #expect(wagon.formerGauge == nil)
            #expect(wagon.cargo == .nothing)
            #expect(wagon.builder == Builder(name: "?", year: nil, towns: []))
            #expect(wagon.owner == nil)
            #expect(wagon.marks == ["plain"])
            #expect(wagon.weights == [:])
            #expect(wagon.axles == 44)
            let error = #expect(throws: SwiftDataError.modelValidationFailure) { try wagon.validateStoredValues() }
            let lines = error?.reason?.split(separator: "\n").map(String.init) ?? []
            #expect(lines.count == 11, "\(lines)")
            #expect(lines.allSatisfy { $0.contains("of entity 'Wagon' of x-coredata://") && $0.contains("/Wagon/p1 ") })
            for text in [
                "'number' of", "has no value, and is not optional", "'gauge' of", "\"wide\", which is no Gauge",
                "'formerGauge' of", "18 bytes: {\"tonnes\":\"three\"}", "'owner' of", "100000 bytes: [[[",
                "4 bytes, which is no Array<String>", "which is no Dictionary<String, Array<Int>>",
                "holds 300, which is no UInt8",
            ] {
                #expect(lines.contains { $0.contains(text) }, "\(text)")
            }
            // The defaults, written, mend the row.
            (wagon.number, wagon.label, wagon.built) = (wagon.number, wagon.label, wagon.built)
            (wagon.gauge, wagon.formerGauge, wagon.cargo) = (wagon.gauge, nil, wagon.cargo)
            (wagon.builder, wagon.owner, wagon.marks) = (wagon.builder, nil, wagon.marks)
            (wagon.weights, wagon.axles) = (wagon.weights, 4)
            try context.save()
            let mended = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Wagon>()).first)
            try mended.validateStoredValues()
        }
    }

    @Test("A whole row passes the check, and so does a model without a context")
    func whole() throws {
        try withDamage("SELECT 1") { context in
            for wagon in try context.fetch(FetchDescriptor<Wagon>()) { try wagon.validateStoredValues() }
            for engine in try context.fetch(FetchDescriptor<Engine>()) { try engine.validateStoredValues() }
        }
        try Wagon().validateStoredValues()
        try Engine(driver: Driver(name: "")).validateStoredValues()
    }

    /// A column of an engine, the value that it gets, and the words of the message.
    struct Damage: Codable, Sendable, CustomTestStringConvertible {
        let property: String
        let sql: String
        let text: String
        var testDescription: String { property }
    }

    static let damages = [
        Damage(property: "title", sql: "ZTITLE = NULL", text: "has no value, and is not optional"),
        Damage(property: "gauge", sql: "ZGAUGE = 'wide'", text: "holds \"wide\", which is no Gauge"),
        Damage(property: "cargo", sql: "ZCOAL = CAST('[' AS BLOB)", text: "holds coal: 1 bytes: [, which is no Cargo"),
        Damage(property: "builder", sql: "ZTOWNS = x'01'", text: "which is no Builder"),
        Damage(property: "marks", sql: "ZMARKS = x'0102'", text: "holds 2 bytes, which is no Array<String>"),
        Damage(property: "weights", sql: "ZWEIGHTS = CAST('{}x' AS BLOB)", text: "holds 3 bytes: {}x, which is no"),
        Damage(property: "driver", sql: "ZDRIVER = NULL", text: "leads to no model"),
    ]

    private static func read(_ property: String, of engine: Engine) {
        switch property {
        case "title": _ = engine.title
        case "gauge": _ = engine.gauge
        case "cargo": _ = engine.cargo
        case "builder": _ = engine.builder
        case "marks": _ = engine.marks
        case "weights": _ = engine.weights
        default: _ = engine.driver
        }
    }

    @Test("Without a default the check throws where reading stops the process with the property and the value")
    func withoutDefault() async throws {
        for damage in Self.damages {
            try withDamage("UPDATE ZENGINE SET \(damage.sql)") { context in
                let engine = try #require(try context.fetch(FetchDescriptor<Engine>()).first)
                let error = #expect(throws: SwiftDataError.modelValidationFailure) {
                    try engine.validateStoredValues()
                }
                let reason = error?.reason ?? ""
                #expect(reason.contains("Property '\(damage.property)' of entity 'Engine' of x-coredata://"))
                if damage.property != "driver" { #expect(reason.contains(damage.text), "\(reason)") }
                #expect(!reason.contains("\n"))
            }
        }
    }

    @Test("The process stops with entity, property, identifier and value", arguments: damages)
    func stop(_ damage: Damage) async throws {
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [damage] in
            let suite = SwiftDataBadInputTests()
            try suite.withDamage("UPDATE ZENGINE SET \(damage.sql)") { context in
                let engine = try #require(try context.fetch(FetchDescriptor<Engine>()).first)
                SwiftDataBadInputTests.read(damage.property, of: engine)
            }
        }
        let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("'\(damage.property)' of entity 'Engine' of "), "\(text)")
        #expect(text.contains("/Engine/p1"), "\(text)")
        #expect(text.contains(damage.text), "\(text)")
    }

    // MARK: Hostile stores

    @Test("An archive of another class is not made, and reads as the default")
    func strangeClass() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("trains.store")
            try fill(url)
            let archive = NSKeyedArchiver(requiringSecureCoding: false)
            archive.encode(
                [Witness(), Witness()] as NSArray, forKey: NSKeyedArchiveRootObjectKey)
            archive.finishEncoding()
            let database = try RawDatabase(url)
            _ = try database.rows("UPDATE ZWAGON SET ZMARKS = ?", [.blob(archive.encodedData)])
            let wagon = try #require(try ModelContext(try container(url)).fetch(FetchDescriptor<Wagon>()).first)
            #expect(wagon.marks == ["plain"])
            #expect(throws: SwiftDataError.modelValidationFailure) { try wagon.validateStoredValues() }
            #expect(Witness.decoded.withLock { $0 } == 0)
        }
    }

    @Test("A model in a file names no class that is made, and no transformer that is used")
    func namesInModels() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shelf.store")
            let model = try ModelBuilder(schema: Schema([Shelf.self])).model()
            for entity in model.entities { entity.managedObjectClassName = NSStringFromClass(WitnessObject.self) }
            // Another width makes the container take the store's form.
            model.entitiesByName["Shelf"]?.attributesByName["height"]?.attributeType = .integer64AttributeType
            model.entitiesByName["Shelf"]?.relationshipsByName["books"]?.deleteRule = .denyDeleteRule
            try withStore(url, model) { try $0.save() }
            let made = WitnessObject.made.withLock { $0 }
            let context = ModelContext(
                try ModelContainer(for: Shelf.self, configurations: ModelConfiguration(url: url)))
            let shelf = Shelf()
            context.insert(shelf)
            shelf.books = [Volume()]
            try context.save()
            #expect(type(of: shelf.managedObject) == _ModelCore.self)
            #expect(WitnessObject.made.withLock { $0 } == made)
            // Rules that no hash has are the program's.
            let rules = shelf.managedObject.entity.relationshipsByName["books"]?.deleteRule
            #expect(rules == .cascadeDeleteRule)
        }
    }

    @Test("A transformer that a file names is not used")
    func transformerOfFile() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shelf.store")
            let model = try ModelBuilder(schema: Schema([Shelf.self])).model()
            let labels = model.entitiesByName["Shelf"]?.attributesByName["labels"]
            labels?.valueTransformerName = NSValueTransformerName.keyedUnarchiveFromDataTransformerName.rawValue
            model.entitiesByName["Shelf"]?.attributesByName["height"]?.attributeType = .integer64AttributeType
            try withStore(url, model) { try $0.save() }
            let context = ModelContext(
                try ModelContainer(for: Shelf.self, configurations: ModelConfiguration(url: url)))
            let used = context.managedObjectContext.persistentStoreCoordinator?.managedObjectModel
            #expect(
                used?.entitiesByName["Shelf"]?.attributesByName["labels"]?.valueTransformerName
                    == NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue)
        }
    }
}

/// A class that notes that an archive made an object of it.
final class Witness: NSObject, NSCoding {
    static let decoded = Locked(0)

    override init() {}
    init?(coder: NSCoder) { Self.decoded.withLock { $0 += 1 } }
    func encode(with coder: NSCoder) {}
}

final class WitnessObject: NSManagedObject {
    static let made = Locked(0)

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        Self.made.withLock { $0 += 1 }
        super.init(entity: entity, insertInto: context)
    }
}
