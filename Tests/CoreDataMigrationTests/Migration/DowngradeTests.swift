import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("An older program on the store of a newer one", .leavesNothingBehind)
struct DowngradeTests {
    @Test(
        "a container with its defaults refuses a store with values that its model has no place for: the error names each with its number and the line that allows it, and the files stay as they are"
    )
    func container() throws {
        try withTemporaryFolder { folder in
            let shelf = NoteShelf(folder)
            try shelf.open(NoteShelf.third, NoteShelf.fill)
            let before = shelf.bytes
            let container = NSPersistentContainer(name: "Notes", managedObjectModel: ModelText.model(NoteShelf.first))
            container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: shelf.url)]
            var failure: NSError?
            container.loadPersistentStores { _, error in failure = error as NSError? }
            let error = try #require(failure)
            #expect(error.code == NSMigrationMissingSourceModelError)
            let losses = NoteShelf.losses(error)
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
            try shelf.open(NoteShelf.third) { context in
                let notes = try context.all("Note")
                #expect(notes.compactMap { $0.value(forKey: "text") }.count == 3)
            }
            // The loss that the line names goes.
            let description = NSPersistentStoreDescription(url: shelf.url)
            description.setOption(
                ["Note.size", "Note.tags", "Note.text", "Tag"] as NSArray, forKey: NSMigrationAllowedLossesOption)
            container.persistentStoreDescriptions = [description]
            container.loadPersistentStores { _, error in failure = error as NSError? }
            #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
        }
    }

    @Test("rows in the -wal of a killed process count, and stay there")
    func log() throws {
        try withTemporaryFolder { folder in
            let shelf = NoteShelf(folder)
            try shelf.open(NoteShelf.second)
            let writer = try SQLiteConnection(path: shelf.url.path, access: .readWrite)
            try writer.execute("PRAGMA wal_autocheckpoint = 0")
            try writer.execute(
                "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZSIZE, ZTEXT) VALUES (1, 1, 1, 5, 'in the -wal')")
            try withExtendedLifetime(writer) {
                #expect((shelf.bytes[1]?.count ?? 0) > 0)
                let error = try shelf.refusal(NoteShelf.first)
                #expect(NoteShelf.losses(error).map(\.name) == ["Note.text"])
            }
        }
    }

    @Test("A loss that is not named still fails; a store without values other than nil and the default goes back")
    func lossless() throws {
        try withTemporaryFolder { folder in
            let shelf = NoteShelf(folder)
            try shelf.open(NoteShelf.third, NoteShelf.fill)
            let left = try shelf.refusal(NoteShelf.first, allowing: ["Note.size", "Tag", "Note.text"])
            #expect(NoteShelf.losses(left).map(\.name) == ["Note.tags"])
            #expect(left.localizedDescription.contains(#"["Note.size", "Note.tags", "Note.text", "Tag"]"#))
            try shelf.open(NoteShelf.third) { context in
                for note in try context.all("Note") {
                    note.setValue(nil, forKey: "text")
                    note.setValue(5, forKey: "size")
                }
                try context.all("Tag").forEach(context.delete)
            }
            try shelf.open(NoteShelf.first) { context in
                let notes = try context.all("Note")
                #expect(notes.allSatisfy { $0.value(forKey: "color") as? String == "red" })
            }
        }
    }

    @Test("an empty store goes back, in every kind of file", arguments: [StoreKind.sqlite, .xml, .binary])
    func empty(_ kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let shelf = NoteShelf(folder, kind)
            try shelf.open(NoteShelf.third)
            try shelf.open(NoteShelf.first, knowing: [NoteShelf.third])
        }
    }

    @Test("the check is made once more where no process can write in between")
    func inTransaction() throws {
        try withTemporaryFolder { folder in
            let shelf = NoteShelf(folder)
            try shelf.open(NoteShelf.third, NoteShelf.fill)
            let (source, target) = (ModelText.model(NoteShelf.third), ModelText.model(NoteShelf.first))
            let hop = MigrationHop(source: source, target: target, means: .inferred)
            let lossGuard = LossGuard(MigrationRequest(at: shelf.url, to: target), hops: [hop])
            let error = try #require(throws: NSError.self) {
                try LightweightMigrator(MigrationRequest(at: shelf.url, to: target), lossGuard: lossGuard).apply()
            }
            #expect(NoteShelf.losses(error).count == 4)
            try shelf.open(NoteShelf.third)
        }
    }

    @Test("An unreadable mapping model may give values a place: until it is replaced, inferred losses have to be named")
    func unreadableMappingModel() throws {
        try withTemporaryFolder { folder in
            let shelf = NoteShelf(folder)
            try shelf.open(NoteShelf.first) { $0.make("Note", ["name": "n", "color": "red"]) }
            let (first, edited) = (ModelText.model(NoteShelf.first), ModelText.model("entity Note\n  name string"))
            let damaged = folder.appendingPathComponent("Resources/Shades.cdm")
            try FileManager.default.createDirectory(
                at: damaged.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("damaged".utf8).write(to: damaged)
            let bundle = try #require(Bundle(path: damaged.deletingLastPathComponent().path))
            func forecast() throws -> MigrationForecast {
                try MigrationForecaster(
                    MigrationRequest(
                        at: shelf.url, to: edited, options: NoteShelf.both, through: [first], bundles: [bundle])
                ).forecast()
            }
            func migrate() throws {
                try StoreMigration(
                    MigrationRequest(
                        at: shelf.url, to: edited, options: NoteShelf.both, through: [first], bundles: [bundle])
                ).prepare()
            }
            let before = shelf.bytes
            let refused = try forecast()
            #expect(!refused.isPossible && refused.obstacles.map(\.property) == ["color"])
            #expect(refused.obstacles.allSatisfy { $0.help.contains(damaged.path) }, "\(refused)")
            let error = try #require(throws: NSError.self) { try migrate() }
            #expect(NoteShelf.losses(error).map(\.name) == ["Note.color"])
            #expect(error.localizedDescription.contains(damaged.path))
            #expect(shelf.bytes == before)
            // Without the file the program's own word counts: it gives the version and leaves the attribute out.
            try FileManager.default.removeItem(at: damaged)
            #expect(try forecast().losses.map(\.isAllowed) == [true])
            try migrate()
        }
    }

    // MARK: Allowed losses

    @Test("A version that the program gives may leave out any property; one that only the store keeps may not")
    func wanted() throws {
        try withTemporaryFolder { folder in
            let shelf = NoteShelf(folder)
            let edited = "entity Note\n  name string\n  size int32"
            try shelf.open(NoteShelf.first) { $0.make("Note", ["name": "n", "color": "red"]) }
            #expect(NoteShelf.losses(try shelf.refusal(edited)).map(\.name) == ["Note.color"])
            let forecast = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: shelf.url, to: ModelText.model(edited))
            #expect(!forecast.isPossible && forecast.obstacles.map(\.property) == ["color"])
            #expect(forecast.losses == [MigrationLoss(entity: "Note", property: "color", count: 1)])
            // Allowed, and listed all the same.
            for options in [
                [NSMigrationKnownVersionsOption: [ModelText.model(NoteShelf.first)]],
                [NSMigrationAllowedLossesOption: ["Note.color"]],
            ] as [[AnyHashable: Any]] {
                let wanted = try NSPersistentStoreCoordinator.migrationForecast(
                    forPersistentStoreAt: shelf.url, to: ModelText.model(edited), options: options)
                #expect(wanted.isPossible && wanted.losses.map(\.name) == ["Note.color"])
                #expect(wanted.losses.map(\.isAllowed) == [true])
                #expect(wanted.description.contains("loses “Note.color” of 1 object"), "\(wanted)")
            }
            try shelf.open(edited, knowing: [NoteShelf.first])
        }
    }

    @Test("a forecast counts as far as some milliseconds go, and says so")
    func sample() throws {
        try withTemporaryFolder { folder in
            let shelf = NoteShelf(folder)
            try shelf.open(NoteShelf.second)
            try SQLiteConnection(path: shelf.url.path, access: .readWrite).execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
                INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZSIZE, ZTEXT)
                SELECT i, 1, 1, CASE WHEN i > 55000 THEN 1 ELSE 5 END, 'text' FROM n
                """)
            let losses = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: shelf.url, to: ModelText.model(NoteShelf.first)
            ).losses.sorted { $0.name < $1.name }
            #expect(losses.map(\.name) == ["Note.size", "Note.text"])
            #expect(losses.allSatisfy { !$0.isExact && $0.count < 60000 })
            #expect(losses[1].count > 0 && losses[1].description.contains("at least"))
            let error = try shelf.refusal(NoteShelf.first)
            #expect(NoteShelf.losses(error).sorted { $0.name < $1.name }.map(\.count) == [5000, 60000])
        }
    }

    // MARK: Shapes

    @Test("A new name is no loss where the newer model says the old one; otherwise the values are lost")
    func renamed() throws {
        for (newer, isLost) in [
            ("entity Note\n  title string was name\n  color string", false),
            ("entity Note\n  title string\n  color string", true),
        ] {
            try withTemporaryFolder { folder in
                let shelf = NoteShelf(folder)
                try shelf.open(newer) { $0.make("Note", ["title": "t"]) }
                if isLost {
                    #expect(NoteShelf.losses(try shelf.refusal(NoteShelf.first)).map(\.name) == ["Note.title"])
                } else {
                    try shelf.open(NoteShelf.first) { context in
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
            let shelf = NoteShelf(folder)
            try shelf.open(newer) { context in
                let box = context.make("Box", ["label": "b"])
                let data = Data(repeating: 7, count: 200_000)
                let thing = context.make("Thing", ["name": "t", "box": box])
                context.make("Book", ["data": data, "mark": "m", "box": box, "next": thing])
                context.make("Pen", ["data": data, "ink": "blue"])
            }
            let losses = NoteShelf.losses(try shelf.refusal(older))
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
            let shelf = NoteShelf(folder)
            try shelf.open(ParcelModel.make()) { context in
                context.make("Parcel", ["name": "p", "size": ["width": 2.0, "unit": ["name": "cm"]]])
            }
            let older = "entity Parcel\n  name string\nentity Item\n  weight double"
            #expect(
                NoteShelf.losses(try shelf.refusal(older)).map(\.name).sorted() == [
                    "Parcel.size.unit.name", "Parcel.size.width",
                ])
            try shelf.open(older, allowing: ["Parcel.size"])
        }
    }

    @Test("Only the entities of a store's named configuration count")
    func configuration() throws {
        try withTemporaryFolder { folder in
            func model(_ text: String) throws -> NSManagedObjectModel {
                let model = ModelText.model(text)
                model.setEntities(model.entities.filter { $0.name == "Note" }, forConfigurationName: "Notes")
                return model
            }
            let newer = NoteShelf.second + "\nentity Other\n  gone string\n  kept string"
            let older = NoteShelf.first + "\nentity Other\n  kept string"
            let url = folder.appendingPathComponent("notes.sqlite")
            func open(_ text: String, _ body: (NSManagedObjectContext) throws -> Void = { _ in }) throws {
                let coordinator = try NSPersistentStoreCoordinator(managedObjectModel: model(text))
                let store = try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: "Notes", at: url, options: NoteShelf.both)
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
            #expect(NoteShelf.losses(error).map(\.name) == ["Note.text"])
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
            let shelf = NoteShelf(folder, kind)
            let all = [NoteShelf.first, NoteShelf.second, NoteShelf.third]
            try shelf.open(NoteShelf.first)
            try shelf.open(NoteShelf.third, knowing: all, NoteShelf.fill)
            #expect(NoteShelf.losses(try shelf.refusal(NoteShelf.first)).isEmpty)
            let losses = NoteShelf.losses(try shelf.refusal(NoteShelf.first, knowing: all))
            let counts = Dictionary(uniqueKeysWithValues: losses.map { ($0.name, $0.count) })
            #expect(counts == ["Note.size": 2, "Note.tags": 1, "Note.text": 3, "Tag": 1])
            let forecast = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: shelf.url, to: ModelText.model(NoteShelf.first), through: all.map(ModelText.model)
            )
            #expect(!forecast.isPossible && forecast.losses == losses)
            try shelf.open(NoteShelf.first, allowing: losses.map(\.name), knowing: all)
            #expect(shelf.record.isEmpty)
        }
    }

    @Test("stages that lead back to a version that the store was of before do not lose values either")
    func staged() throws {
        try withTemporaryFolder { folder in
            let shelf = NoteShelf(folder)
            try shelf.open(NoteShelf.first)
            try shelf.open(NoteShelf.second) { $0.make("Note", ["text": "t"]) }
            func stages() -> NSStagedMigrationManager {
                NSStagedMigrationManager([
                    NSLightweightMigrationStage(
                        [NoteShelf.second, NoteShelf.first].map { ModelText.model($0).versionChecksum })
                ])
            }
            let option = NSPersistentStoreStagedMigrationManagerOptionKey
            let before = shelf.bytes
            let error = try #require(throws: NSError.self) {
                try shelf.open(ModelText.model(NoteShelf.first), [option: stages()])
            }
            #expect(NoteShelf.losses(error).map(\.name) == ["Note.text"])
            #expect(shelf.bytes == before)
            try shelf.open(
                ModelText.model(NoteShelf.first),
                [option: stages(), NSMigrationAllowedLossesOption: ["Note.text"]])
        }
    }
}
