#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineRefusalTests {
    private static let older = """
        entity Thing
          name string
        entity Book : Thing
          pages int32
          author one Person.books
          seal one Seal.book
          place one Place.books
          unique place
        entity Person
          name string
          code string!
          books many Book.author
        entity Seal
          book one Book.seal
        entity Place
          books many Book.place
        """

    /// The edit of the older model's lines, the name in the error, and a word of its reason.
    struct Change: CustomTestStringConvertible {
        var from: String
        var to: String
        var place: String
        var word: String
        var testDescription: String { "\(place) \(word)" }
    }

    private static let changes = [
        Change(from: "  pages int32", to: "  pages int32\n  isbn string!", place: "Book.isbn", word: "default"),
        Change(from: "  code string!", to: "", place: "Person.code", word: "goes"),
        Change(from: "  code string!", to: "  code string", place: "Person.code", word: "optional"),
        Change(from: "entity Book : Thing", to: "entity Book\n  name string", place: "Book", word: "parent"),
        Change(from: "entity Person", to: "entity Novel : Book\nentity Person", place: "Novel", word: "below"),
        Change(
            from: "entity Book : Thing\n  pages int32\n  author one Person.books",
            to: "abstract entity Book : Thing\n  pages int32\n  author one Person.books", place: "Book",
            word: "abstract"),
        Change(
            from: "  seal one Seal.book", to: "  seal many Seal.book", place: "Book.seal", word: "leading back"),
        Change(
            from: "  author one Person.books", to: "  author ordered Person.books", place: "Book.author",
            word: "order"),
        Change(
            from: "  place one Place.books", to: "  place many Place.books", place: "Book.place",
            word: "uniqueness"),
        Change(
            from: "  author one Person.books", to: "  author one! Person.books", place: "Book.author",
            word: "number"),
        Change(
            from: "  author one Person.books", to: "  author one Person.books\n  owner one! Person",
            place: "Book.owner", word: "mandatory"),
    ]

    @Test(
        "A change that cannot work beside an older version is refused with a reason, and the forecast says so",
        arguments: Sample.slice(changes, oneIn: 3, "refusals"))
    func refusals(_ change: Change) throws {
        let text = Self.older.replacingOccurrences(of: change.from, with: change.to)
        let store = try OnlineStore(Self.older, text)
        let older = try store.open(Self.older)
        let error = try #require(throws: NSError.self) { _ = try store.open(text) }
        #expect(error.code == NSMigrationError, "\(error)")
        #expect(error.localizedDescription.contains("“\(change.place)”"), "\(error)")
        #expect(error.localizedDescription.contains(change.word), "\(error)")
        let forecast = try NSPersistentStoreCoordinator.migrationForecast(
            forPersistentStoreAt: store.database.url, to: ModelText.model(text), options: store.options())
        #expect(!forecast.isPossible)
        #expect(forecast.obstacles.contains { !$0.help.isEmpty })
        // Nothing was done.
        try older.performAndWait {
            older.make("Person", ["name": "Anna", "code": "1"])
            try older.save()
        }
    }

    /// A change of an attribute that no text of a model has, and a word of the reason in the error.
    enum Definition: String, CaseIterable {
        case derived, composed, preserved

        var word: String {
            switch self {
            case .derived: "is derived in another way"
            case .composed: "is composed in another way"
            case .preserved: "preserves other values"
            }
        }

        func model(isNewer: Bool) -> NSManagedObjectModel {
            // The newer version has another hash in any case.
            let model = ModelText.model("entity Item\n  name string" + (isNewer ? "\n  note string" : ""))
            let item = model.entitiesByName["Item"]
            switch self {
            case .derived:
                let attribute = NSDerivedAttributeDescription()
                (attribute.name, attribute.attributeType) = ("derived", .stringAttributeType)
                attribute.isOptional = true
                let format = isNewer ? "lowercase:(name)" : "uppercase:(name)"
                attribute.derivationExpression = CoreData.NSExpression(format: format)
                item?.properties.append(attribute)
            case .composed:
                let attribute = NSCompositeAttributeDescription()
                attribute.name = "place"
                attribute.isOptional = true
                attribute.elements = (isNewer ? ["x", "y"] : ["x"]).map { name in
                    let element = NSAttributeDescription()
                    (element.name, element.attributeType) = (name, .doubleAttributeType)
                    return element
                }
                item?.properties.append(attribute)
            case .preserved:
                item?.attributesByName["name"]?.preservesValueInHistoryOnDeletion = isNewer
            }
            return model
        }
    }

    @Test(
        "An attribute that is derived or composed in another way, or stays in history of deleted objects, is refused",
        arguments: Definition.allCases)
    func definitions(_ definition: Definition) throws {
        let (older, newer) = (definition.model(isNewer: false), definition.model(isNewer: true))
        let store = try OnlineStore("entity Item\n  name string", "entity Item\n  name string")
        let options: [AnyHashable: Any] = [NSMigrationKnownVersionsOption: [older, newer]]
        let context = try store.open(older, options)
        let error = try #require(throws: NSError.self) { _ = try store.open(newer, options) }
        #expect(error.code == NSMigrationError, "\(error)")
        #expect(error.localizedDescription.contains(definition.word), "\(error)")
        try context.performAndWait {
            context.make("Item", ["name": "a"])
            try context.save()
        }
    }

    @Test("The stages of a model are refused while other programs use the store")
    func stages() throws {
        let (older, newer) = (DepotModels.stages[0], DepotModels.stages[3])
        let store = try OnlineStore(older, newer)
        let context = try store.open(older)
        let manager = DepotModels.manager()
        let error = try #require(throws: NSError.self) {
            _ = try store.open(newer, [NSPersistentStoreStagedMigrationManagerOptionKey: manager])
        }
        #expect(error.code == NSMigrationError, "\(error)")
        #expect(error.localizedDescription.contains("cannot be migrated while other programs use it"), "\(error)")
        try context.performAndWait {
            context.make("Item", ["name": "a"])
            try context.save()
        }
    }

    @Test("The forecast has the steps by their kinds, and the locks")
    func forecast() throws {
        let text = Self.older.replacingOccurrences(of: "pages int32", with: "sheets int64 was pages")
            .replacingOccurrences(of: "  code string!", with: "  code string! index\n  note string! = none")
        let store = try OnlineStore(Self.older, text)
        let older = try store.open(Self.older)
        try older.performAndWait {
            for number in 0..<10 { older.make("Book", ["pages": number]) }
            try older.save()
        }
        let forecast = try NSPersistentStoreCoordinator.migrationForecast(
            forPersistentStoreAt: store.database.url, to: ModelText.model(text), options: store.options())
        let steps = forecast.hops.flatMap(\.steps).map { "\($0.phase?.rawValue ?? "") \($0.summary) \($0.rows)" }
        #expect(
            steps == [
                "names Book.pages renamed to sheets 0", "expand column person.note added 0",
                "expand column thing.sheets added 0", "expand trigger of thing that keeps both versions in step 0",
                "move rows of thing, slice by slice 10", "expand index person_code_idx, while other programs write 0",
                "serve the store serves both versions 0",
                "contract what only the older version needs is dropped, when its last program has gone 0",
            ], "\(forecast)")
        #expect(forecast.locks.map(\.tables) == [["person", "thing"]])
        var options = store.options()
        options[NSInferMappingModelAutomaticallyOption] = false
        let refused = try NSPersistentStoreCoordinator.migrationForecast(
            forPersistentStoreAt: store.database.url, to: ModelText.model(text), options: options)
        #expect(refused.obstacles.map(\.errorCode) == [NSMigrationMissingMappingModelError], "\(refused)")
        let newer = try store.open(text)
        #expect(try OnlineStore.lines(newer, "Book", "sheets").count == 10)
        let done = try NSPersistentStoreCoordinator.migrationForecast(
            forPersistentStoreAt: store.database.url, to: ModelText.model(text), options: store.options())
        #expect(!done.isMigrationRequired)
    }

    /// The forecast of a store after it has read the rows: the server reads them for a short time only.
    private func forecast(_ store: OnlineStore, _ text: String) throws -> MigrationForecast {
        var forecast: MigrationForecast
        repeat {
            forecast = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: store.database.url, to: ModelText.model(text), options: store.options())
        } while forecast.hops.flatMap(\.steps).contains(where: { $0.summary.contains("does not know") })
        return forecast
    }

    @Test("A third version is refused as long as the store serves two, and the forecast says so")
    func thirdVersion() throws {
        let newer = Self.older + "\n  note string"
        let third = newer + "\n  remark string"
        let store = try OnlineStore(Self.older, newer)
        let first = try store.open(Self.older)
        #expect(try forecast(store, newer).isPossible)
        let second = try store.open(newer)
        let error = try #require(throws: NSError.self) { _ = try store.open(third) }
        let obstacle = try #require(try forecast(store, third).obstacles.first)
        #expect(obstacle.reason.contains("version before its present one"), "\(obstacle)")
        #expect(error.localizedDescription.contains(obstacle.reason), "\(error)")
        try store.close(first)
        #expect(try store.end())
        #expect(try forecast(store, third).isPossible)
        try store.close(second)
    }

    @Test(
        "Rows that the newer version does not take are refused, and the forecast says so in the same words",
        arguments: [
            ("count int64", "count int16", "40000"), ("name string", "name string\n  unique name", "duplicated"),
        ])
    func rows(_ from: String, _ to: String, _ word: String) throws {
        let text = "entity Item\n  name string\n  count int64"
        let newer = text.replacingOccurrences(of: from, with: to)
        let store = try OnlineStore(text, newer)
        let context = try store.open(text)
        try context.performAndWait {
            for count in [1, 40000] { context.make("Item", ["name": "same", "count": count]) }
            try context.save()
        }
        let obstacle = try #require(try forecast(store, newer).obstacles.first)
        #expect(obstacle.reason.contains(word), "\(obstacle)")
        #expect(!obstacle.help.isEmpty)
        let error = try #require(throws: NSError.self) { _ = try store.open(newer) }
        #expect(error.localizedDescription.contains(obstacle.reason), "\(error)")
        try context.performAndWait {
            for (number, item) in try context.all("Item").enumerated() {
                item.setValue("\(number)", forKey: "name")
                item.setValue(number, forKey: "count")
            }
            try context.save()
        }
        #expect(try forecast(store, newer).isPossible)
        _ = try store.open(newer)
    }
}
#endif
