import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("An older program on the store of a newer one", .leavesNothingBehind)
struct DowngradeTests {
    private static let first = "entity Note\n  name string\n  color string"
    private static let second = "entity Note\n  name string\n  color string\n  size int32! = 5\n  text string"
    private static let third = """
        entity Note
          name string
          color string
          size int32! = 5
          text string
          tags many Tag.notes
        entity Tag
          word string
          notes many Note.tags
        """
    private static var both: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }

    /// A store in a folder, opened as a program with a version of the model opens it.
    private struct Shelf {
        let url: URL
        var type = NSSQLiteStoreType

        init(_ folder: URL, _ kind: StoreKind = .sqlite) {
            type = kind.type
            url = kind.url(in: folder) ?? folder.appendingPathComponent("Notes.sqlite")
        }

        func open(
            _ model: NSManagedObjectModel, _ options: [AnyHashable: Any] = [:],
            _ body: (NSManagedObjectContext) throws -> Void = { _ in }
        ) throws {
            try withStore(url, model, type: type, options: DowngradeTests.both.merging(options) { $1 }) { context in
                try body(context)
                try context.save()
            }
        }

        func open(
            _ text: String, allowing names: [String]? = nil, knowing versions: [String] = [],
            _ body: (NSManagedObjectContext) throws -> Void = { _ in }
        ) throws {
            var options: [AnyHashable: Any] = [NSMigrationKnownVersionsOption: versions.map(ModelText.model)]
            options[NSMigrationAllowedLossesOption] = names
            try open(ModelText.model(text), options, body)
        }

        /// The losses with which an opening is refused. The main file and the -wal must stay as they are.
        func refusal(_ text: String, allowing names: [String]? = nil, knowing versions: [String] = []) throws -> NSError
        {
            let before = bytes
            let error = try #require(throws: NSError.self) { try open(text, allowing: names, knowing: versions) }
            #expect(error.domain == NSCocoaErrorDomain && error.code == NSMigrationMissingSourceModelError, "\(error)")
            #expect(bytes == before)
            return error
        }

        var bytes: [Data?] { ["", "-wal"].map { try? Data(contentsOf: URL(fileURLWithPath: url.path + $0)) } }

        var record: [String] {
            let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
            return metadata.map { VersionRecord($0).checksums } ?? []
        }
    }

    private static func losses(_ error: NSError) -> [MigrationLoss] {
        error.userInfo[NSMigrationLossesErrorKey] as? [MigrationLoss] ?? []
    }

    private static func fill(_ context: NSManagedObjectContext) throws {
        let tag = context.make("Tag", ["word": "t"])
        for number in 0..<4 {
            let note = context.make("Note", ["name": "n\(number)", "color": "red"])
            if number < 3 { note.setValue("text", forKey: "text") }
            if number < 2 { note.setValue(7, forKey: "size") }
            if number == 0 { note.setValue(NSSet(object: tag), forKey: "tags") }
        }
    }

    // MARK: Refusing

    @Test(
        "a container with its defaults refuses a store with values that its model has no place for: the error names each with its number and the line that allows it, and the files stay as they are"
    )
    func container() throws {
        try withTemporaryFolder { folder in
            let shelf = Shelf(folder)
            try shelf.open(Self.third, Self.fill)
            let before = shelf.bytes
            let container = NSPersistentContainer(name: "Notes", managedObjectModel: ModelText.model(Self.first))
            container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: shelf.url)]
            var failure: NSError?
            container.loadPersistentStores { _, error in failure = error as NSError? }
            let error = try #require(failure)
            #expect(error.code == NSMigrationMissingSourceModelError)
            let losses = Self.losses(error)
            #expect(losses.map(\.name).sorted() == ["Note.size", "Note.tags", "Note.text", "Tag"])
            let counts = Dictionary(uniqueKeysWithValues: losses.map { ($0.name, $0.count) })
            #expect(counts == ["Note.size": 2, "Note.tags": 1, "Note.text": 3, "Tag": 1])
            #expect(losses.allSatisfy { $0.isExact && !$0.isAllowed })
            let details = error.userInfo[NSDetailedErrorsKey] as? [NSError]
            #expect(details?.compactMap { $0.userInfo["entity"] as? String }.count == 4)
            let line =
                #"["Note.size", "Note.tags", "Note.text", "Tag"] as NSArray, forKey: NSMigrationAllowedLossesOption"#
            for text in [error.localizedDescription, error.localizedRecoverySuggestion ?? ""] {
                #expect(text.contains("description.setOption(\(line))"), "\(text)")
            }
            #expect(error.localizedDescription.contains("“Note.text” of 3 objects"))
            #expect(shelf.bytes == before)
            // The newer program finds everything.
            try shelf.open(Self.third) { context in
                let notes = try context.all("Note")
                #expect(notes.compactMap { $0.value(forKey: "text") }.count == 3)
            }
            // What the line names goes.
            let description = NSPersistentStoreDescription(url: shelf.url)
            description.setOption(
                ["Note.size", "Note.tags", "Note.text", "Tag"] as NSArray, forKey: NSMigrationAllowedLossesOption)
            container.persistentStoreDescriptions = [description]
            container.loadPersistentStores { _, error in failure = error as NSError? }
            #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
        }
    }

    @Test("what lies in the -wal of a killed process counts, and stays there")
    func log() throws {
        try withTemporaryFolder { folder in
            let shelf = Shelf(folder)
            try shelf.open(Self.second)
            let writer = try SQLiteConnection(path: shelf.url.path, access: .readWrite)
            try writer.execute("PRAGMA wal_autocheckpoint = 0")
            try writer.execute(
                "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZSIZE, ZTEXT) VALUES (1, 1, 1, 5, 'in the -wal')")
            try withExtendedLifetime(writer) {
                #expect((shelf.bytes[1]?.count ?? 0) > 0)
                let error = try shelf.refusal(Self.first)
                #expect(Self.losses(error).map(\.name) == ["Note.text"])
            }
        }
    }

    @Test("what is not named still fails; a store without values other than nil and the default goes back")
    func lossless() throws {
        try withTemporaryFolder { folder in
            let shelf = Shelf(folder)
            try shelf.open(Self.third, Self.fill)
            let left = try shelf.refusal(Self.first, allowing: ["Note.size", "Tag", "Note.text"])
            #expect(Self.losses(left).map(\.name) == ["Note.tags"])
            #expect(left.localizedDescription.contains(#"["Note.size", "Note.tags", "Note.text", "Tag"]"#))
            try shelf.open(Self.third) { context in
                for note in try context.all("Note") {
                    note.setValue(nil, forKey: "text")
                    note.setValue(5, forKey: "size")
                }
                try context.all("Tag").forEach(context.delete)
            }
            try shelf.open(Self.first) { context in
                let notes = try context.all("Note")
                #expect(notes.allSatisfy { $0.value(forKey: "color") as? String == "red" })
            }
        }
    }

    @Test("an empty store goes back, in every kind of file", arguments: [StoreKind.sqlite, .xml, .binary])
    func empty(_ kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let shelf = Shelf(folder, kind)
            try shelf.open(Self.third)
            try shelf.open(Self.first, knowing: [Self.third])
        }
    }

    @Test("the check is made once more where nobody can write in between")
    func inTransaction() throws {
        try withTemporaryFolder { folder in
            let shelf = Shelf(folder)
            try shelf.open(Self.third, Self.fill)
            let (source, target) = (ModelText.model(Self.third), ModelText.model(Self.first))
            let hop = MigrationHop(source: source, target: target, means: .inferred)
            let lossGuard = LossGuard(
                url: shelf.url, target: target, configuration: nil, options: nil, hops: [hop])
            let error = try #require(throws: NSError.self) {
                try LightweightMigrator.migrate(storeAt: shelf.url, to: target, lossGuard: lossGuard)
            }
            #expect(Self.losses(error).count == 4)
            try shelf.open(Self.third)
        }
    }

    // MARK: The record

    @Test("a store notes the versions that it leaves; going back to one of them is guarded although its model is known")
    func recorded() throws {
        try withTemporaryFolder { folder in
            let all = [Self.first, Self.second, Self.third]
            let checksums = all.map { ModelText.model($0).versionChecksum }
            let shelf = Shelf(folder)
            try shelf.open(Self.first)
            try shelf.open(Self.second, knowing: all)
            #expect(shelf.record == [checksums[0]])
            try shelf.open(Self.third, knowing: all, Self.fill)
            #expect(shelf.record == Array(checksums.prefix(2)))
            for (older, count) in [(Self.second, 2), (Self.first, 4)] {
                #expect(Self.losses(try shelf.refusal(older, knowing: all)).count == count)
            }
            // Forth again after an allowed downgrade is none back; one step back of two leaves the first one noted.
            try shelf.open(Self.second, allowing: ["Tag", "Note.tags"], knowing: all)
            #expect(shelf.record == [checksums[0]])
            try shelf.open(Self.first, allowing: ["Note.size", "Note.text"], knowing: all)
            #expect(shelf.record.isEmpty)
            try shelf.open(Self.third, knowing: all, Self.fill)
            #expect(Self.losses(try shelf.refusal(Self.first, knowing: all)).count == 4)
        }
    }

    @Test("the record stays when a program sets its own metadata, and goes with copies and moved stores")
    func copies() throws {
        try withTemporaryFolder { folder in
            let shelf = Shelf(folder)
            try shelf.open(Self.first)
            try shelf.open(Self.second)
            let record = shelf.record
            #expect(record.count == 1)
            try NSPersistentStoreCoordinator.setMetadata(
                ["mine": 1], forPersistentStoreOfType: NSSQLiteStoreType, at: shelf.url)
            #expect(shelf.record == record)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(Self.second))
            let copy = folder.appendingPathComponent("copy.sqlite")
            try coordinator.replacePersistentStore(
                at: copy, withPersistentStoreFrom: shelf.url, ofType: NSSQLiteStoreType)
            let moved = folder.appendingPathComponent("moved.sqlite")
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: shelf.url)
            coordinator.setMetadata(["mine": 2], for: store)
            try coordinator.remove(
                coordinator.migratePersistentStore(store, to: moved, withType: NSSQLiteStoreType))
            for url in [copy, moved] {
                let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: NSSQLiteStoreType, at: url)
                #expect(VersionRecord(metadata).checksums == record, "\(url.lastPathComponent)")
            }
            // A manager's new store has it, too.
            let manager = NSMigrationManager(
                sourceModel: ModelText.model(Self.second), destinationModel: ModelText.model(Self.third))
            manager.usesStoreSpecificMigrationManager = false
            let target = folder.appendingPathComponent("target.sqlite")
            try manager.migrateStore(
                from: shelf.url, sourceType: NSSQLiteStoreType,
                with: .inferredMappingModel(
                    forSourceModel: ModelText.model(Self.second), destinationModel: ModelText.model(Self.third)),
                toDestinationURL: target, destinationType: NSSQLiteStoreType)
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: target)
            #expect(VersionRecord(metadata).checksums == record + [ModelText.model(Self.second).versionChecksum])
        }
    }

    @Test("an older version with a derived attribute is not taken for the newer one of the store")
    func derived() throws {
        func model(_ text: String) -> NSManagedObjectModel {
            let model = ModelText.model(text)
            let attribute = NSDerivedAttributeDescription()
            attribute.name = "low"
            attribute.attributeType = .stringAttributeType
            attribute.isOptional = true
            attribute.derivationExpression = NSExpression(format: "lowercase:(name)")
            model.entities[0].properties.append(attribute)
            return model
        }
        try withTemporaryFolder { folder in
            let shelf = Shelf(folder)
            let (older, newer) = ("entity Item\n  name string", "entity Item\n  name string\n  data string")
            try shelf.open(model(newer)) { $0.make("Item", ["name": "N", "data": "value"]) }
            let error = try #require(throws: NSError.self) {
                try shelf.open(model(older), [NSMigrationKnownVersionsOption: [model(older)]])
            }
            #expect(Self.losses(error).map(\.name) == ["Item.data"])
            // The newer version itself is one that the program knows.
            try shelf.open(model(older), [NSMigrationKnownVersionsOption: [model(newer)]])
        }
    }

    // MARK: What is wanted

    @Test("a version that the program gives may leave out what it likes; one that only the store keeps may not")
    func wanted() throws {
        try withTemporaryFolder { folder in
            let shelf = Shelf(folder)
            let edited = "entity Note\n  name string\n  size int32"
            try shelf.open(Self.first) { $0.make("Note", ["name": "n", "color": "red"]) }
            #expect(Self.losses(try shelf.refusal(edited)).map(\.name) == ["Note.color"])
            let forecast = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: shelf.url, to: ModelText.model(edited))
            #expect(!forecast.isPossible && forecast.obstacles.map(\.property) == ["color"])
            #expect(forecast.losses == [MigrationLoss(entity: "Note", property: "color", count: 1)])
            // Wanted, and listed all the same.
            for options in [
                [NSMigrationKnownVersionsOption: [ModelText.model(Self.first)]],
                [NSMigrationAllowedLossesOption: ["Note.color"]],
            ] as [[AnyHashable: Any]] {
                let wanted = try NSPersistentStoreCoordinator.migrationForecast(
                    forPersistentStoreAt: shelf.url, to: ModelText.model(edited), options: options)
                #expect(wanted.isPossible && wanted.losses.map(\.name) == ["Note.color"])
                #expect(wanted.losses.map(\.isAllowed) == [true])
                #expect(wanted.description.contains("loses “Note.color” of 1 object"), "\(wanted)")
            }
            try shelf.open(edited, knowing: [Self.first])
        }
    }

    @Test("a forecast counts as far as some milliseconds go, and says so")
    func sample() throws {
        try withTemporaryFolder { folder in
            let shelf = Shelf(folder)
            try shelf.open(Self.second)
            try SQLiteConnection(path: shelf.url.path, access: .readWrite).execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
                INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZSIZE, ZTEXT)
                SELECT i, 1, 1, CASE WHEN i > 55000 THEN 1 ELSE 5 END, 'text' FROM n
                """)
            let losses = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: shelf.url, to: ModelText.model(Self.first)
            ).losses.sorted { $0.name < $1.name }
            #expect(losses.map(\.name) == ["Note.size", "Note.text"])
            #expect(losses.allSatisfy { !$0.isExact && $0.count < 60000 })
            #expect(losses[1].count > 0 && losses[1].description.contains("at least"))
            let error = try shelf.refusal(Self.first)
            #expect(Self.losses(error).sorted { $0.name < $1.name }.map(\.count) == [5000, 60000])
        }
    }

    // MARK: Shapes

    @Test("a new name is no loss where the newer model says what it was; otherwise the values are lost")
    func renamed() throws {
        for (newer, isLost) in [
            ("entity Note\n  title string was name\n  color string", false),
            ("entity Note\n  title string\n  color string", true),
        ] {
            try withTemporaryFolder { folder in
                let shelf = Shelf(folder)
                try shelf.open(newer) { $0.make("Note", ["title": "t"]) }
                if isLost {
                    #expect(Self.losses(try shelf.refusal(Self.first)).map(\.name) == ["Note.title"])
                } else {
                    try shelf.open(Self.first) { context in
                        let note = try context.all("Note").first
                        #expect(note?.value(forKey: "name") as? String == "t")
                    }
                }
            }
        }
    }

    @Test(
        "subentities, external values and links are counted where they are declared; one side of a pair keeps its links"
    )
    func shapes() throws {
        let newer = """
            entity Thing
              name string
              data data external
              mark string! = none
              box one Box.things
              next one Thing.previous
              previous one Thing.next
            entity Book : Thing
              pages int32
            entity Pen : Thing
              ink string
            entity Box
              things many Thing.box
              label string
            """
        let older = "entity Thing\n  name string\nentity Book : Thing\n  pages int32\nentity Box\n  label string"
        try withTemporaryFolder { folder in
            let shelf = Shelf(folder)
            try shelf.open(newer) { context in
                let box = context.make("Box", ["label": "b"])
                let data = Data(repeating: 7, count: 200_000)
                let thing = context.make("Thing", ["name": "t", "box": box])
                context.make("Book", ["data": data, "mark": "m", "box": box, "next": thing])
                context.make("Pen", ["data": data, "ink": "blue"])
            }
            let losses = Self.losses(try shelf.refusal(older))
            let counts = Dictionary(uniqueKeysWithValues: losses.map { ($0.name, $0.count) })
            // The pen's values go with the pen.
            #expect(
                counts == [
                    "Thing.data": 1, "Thing.mark": 1, "Thing.box": 2, "Thing.next": 1, "Thing.previous": 1,
                    "Box.things": 1, "Pen": 1,
                ])
            let oneSide = newer.replacing("box one Box.things", with: "box one Box")
                .replacing("  things many Thing.box\n", with: "")
            try shelf.open(oneSide) { context in
                let things = try context.all("Thing")
                #expect(things.count { $0.value(forKey: "box") != nil } == 2)
            }
        }
    }

    @Test("elements of composite attributes are named by their key path, and allowed together by the attribute's name")
    func composites() throws {
        try withTemporaryFolder { folder in
            let shelf = Shelf(folder)
            try shelf.open(ParcelModel.make()) { context in
                context.make("Parcel", ["name": "p", "size": ["width": 2.0, "unit": ["name": "cm"]]])
            }
            let older = "entity Parcel\n  name string\nentity Item\n  weight double"
            #expect(
                Self.losses(try shelf.refusal(older)).map(\.name).sorted() == [
                    "Parcel.size.unit.name", "Parcel.size.width",
                ])
            try shelf.open(older, allowing: ["Parcel.size"])
        }
    }

    @Test("of a named configuration, only what the store holds counts")
    func configuration() throws {
        try withTemporaryFolder { folder in
            func model(_ text: String) throws -> NSManagedObjectModel {
                let model = ModelText.model(text)
                model.setEntities(model.entities.filter { $0.name == "Note" }, forConfigurationName: "Notes")
                return model
            }
            let newer = Self.second + "\nentity Other\n  gone string\n  kept string"
            let older = Self.first + "\nentity Other\n  kept string"
            let url = folder.appendingPathComponent("notes.sqlite")
            func open(_ text: String, _ body: (NSManagedObjectContext) throws -> Void = { _ in }) throws {
                let coordinator = try NSPersistentStoreCoordinator(managedObjectModel: model(text))
                let store = try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: "Notes", at: url, options: Self.both)
                let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                context.persistentStoreCoordinator = coordinator
                try context.performAndWait {
                    try body(context)
                    try context.save()
                }
                try coordinator.remove(store)
            }
            try open(older)
            try open(newer) { $0.make("Note", ["text": "t"]) }
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url)
            #expect(try VersionRecord(metadata).holds(model(older).versionHashes(ofConfiguration: "Notes")))
            let error = try #require(throws: NSError.self) { try open(older) }
            #expect(Self.losses(error).map(\.name) == ["Note.text"])
            try open(newer) { context in try context.all("Note").forEach { $0.setValue(nil, forKey: "text") } }
            try open(older)
        }
    }

    // MARK: Other ways

    @Test(
        "XML and binary files: without the newer model at hand 134130; with it, values are not lost either",
        arguments: [StoreKind.xml, .binary])
    func files(_ kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let shelf = Shelf(folder, kind)
            let all = [Self.first, Self.second, Self.third]
            try shelf.open(Self.first)
            try shelf.open(Self.third, knowing: all, Self.fill)
            #expect(Self.losses(try shelf.refusal(Self.first)).isEmpty)
            let losses = Self.losses(try shelf.refusal(Self.first, knowing: all))
            let counts = Dictionary(uniqueKeysWithValues: losses.map { ($0.name, $0.count) })
            #expect(counts == ["Note.size": 2, "Note.tags": 1, "Note.text": 3, "Tag": 1])
            let forecast = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: shelf.url, to: ModelText.model(Self.first), through: all.map(ModelText.model))
            #expect(!forecast.isPossible && forecast.losses == losses)
            try shelf.open(Self.first, allowing: losses.map(\.name), knowing: all)
            #expect(shelf.record.isEmpty)
        }
    }

    @Test("stages that lead back to a version that the store was of before do not lose values either")
    func staged() throws {
        try withTemporaryFolder { folder in
            let shelf = Shelf(folder)
            try shelf.open(Self.first)
            try shelf.open(Self.second) { $0.make("Note", ["text": "t"]) }
            func stages() -> NSStagedMigrationManager {
                NSStagedMigrationManager([
                    NSLightweightMigrationStage([Self.second, Self.first].map { ModelText.model($0).versionChecksum })
                ])
            }
            let option = NSPersistentStoreStagedMigrationManagerOptionKey
            let before = shelf.bytes
            let error = try #require(throws: NSError.self) {
                try shelf.open(ModelText.model(Self.first), [option: stages()])
            }
            #expect(Self.losses(error).map(\.name) == ["Note.text"])
            #expect(shelf.bytes == before)
            try shelf.open(
                ModelText.model(Self.first),
                [option: stages(), NSMigrationAllowedLossesOption: ["Note.text"]])
        }
    }
}
