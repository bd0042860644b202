import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Migrating in stages", .leavesNothingBehind)
struct StagedMigrationTests {
    /// Four versions: a name is split into two by the program's code between the second and the third.
    private static let versions = [
        "entity Person\n  name string",
        "entity Person\n  name string\n  first string\n  last string\n  nick string",
        "entity Person\n  first string\n  last string\n  nick string\n  kind int16 = 7",
        "entity Human was Person\n  first string\n  last string\n  handle string was nick\n  kind int16 = 7",
    ]
    private static let rows = """
        INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'Ada Lovelace'), (2, 1, 1, 'Alan Turing');
        UPDATE Z_PRIMARYKEY SET Z_MAX = 2
        """

    private static func model(_ version: Int) -> NSManagedObjectModel { ModelText.model(versions[version]) }
    private static func checksum(_ version: Int) -> String { model(version).versionChecksum }
    private static func reference(_ version: Int) -> NSManagedObjectModelReference {
        NSManagedObjectModelReference(model: model(version), versionChecksum: checksum(version))
    }

    private struct Refusal: Error {}

    /// A stage that splits names before the column goes.
    private static func splitting(_ calls: Calls, failing: Bool = false) -> NSCustomMigrationStage {
        let stage = NSCustomMigrationStage(migratingFrom: reference(1), to: reference(2))
        stage.label = "split names"
        stage.willMigrateHandler = { manager, stage in
            calls.add("will \(stage.label ?? "")")
            let context = try #require(manager.container).newBackgroundContext()
            try context.performAndWait {
                for person in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")) {
                    let parts = (person.value(forKey: "name") as? String ?? "").split(separator: " ").map(String.init)
                    person.setValue(parts.first, forKey: "first")
                    person.setValue(parts.last, forKey: "last")
                }
                try context.save()
            }
        }
        stage.didMigrateHandler = { manager, _ in
            calls.add("did")
            let context = try #require(manager.container).newBackgroundContext()
            let kinds = try context.performAndWait {
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
                    .map { $0.value(forKey: "kind") as? Int16 }
            }
            #expect(kinds == [7, 7])
            if failing { throw Refusal() }
        }
        return stage
    }

    /// The calls, in order. Handlers run on the thread that adds the store.
    private final class Calls: @unchecked Sendable {
        private let lock = NSLock()
        private var names: [String] = []
        func add(_ name: String) { lock.withLock { names.append(name) } }
        var all: [String] { lock.withLock { names } }
    }

    private func open(
        _ fixture: MigrationFixture, _ model: NSManagedObjectModel, _ stages: [NSMigrationStage]
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: fixture.url,
            options: [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager(stages),
            ])
        try coordinator.remove(store)
    }

    @Test("lightweight stages and a custom one run in their order, from the version the store has")
    func allStages() throws {
        for start in 0...1 {
            try withTemporaryFolder { folder in
                let fixture = try MigrationFixture(folder, Self.versions[start], rows: Self.rows)
                let calls = Calls()
                try open(
                    fixture, Self.model(3),
                    [
                        NSLightweightMigrationStage([Self.checksum(0), Self.checksum(1)]), Self.splitting(calls),
                        NSLightweightMigrationStage([Self.checksum(3)]),
                    ])
                #expect(calls.all == ["will split names", "did"])
                #expect(!MigrationFolder.exists(for: SQLiteStoreFiles(fixture.url).main))
                #expect(
                    try fixture.query("SELECT ZFIRST, ZLAST, ZKIND FROM ZHUMAN ORDER BY Z_PK")
                        == ["Ada|Lovelace|7", "Alan|Turing|7"])
                try fixture.verify(Self.versions[3])
            }
        }
    }

    @Test("the forecast takes the stages' way, names their code, and the version that is in no stage")
    func forecast() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.versions[0], rows: Self.rows)
            func forecast(_ stages: [NSMigrationStage]) throws -> MigrationForecast {
                try NSPersistentStoreCoordinator.migrationForecast(
                    forPersistentStoreAt: fixture.url, to: Self.model(3),
                    options: [NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager(stages)])
            }
            let calls = Calls()
            let found = try forecast([
                NSLightweightMigrationStage([Self.checksum(0), Self.checksum(1)]), Self.splitting(calls),
                NSLightweightMigrationStage([Self.checksum(3)]),
            ])
            #expect(found.isPossible && !found.isInstant)
            #expect(found.hops.map(\.to.checksum) == [Self.checksum(1), Self.checksum(2), Self.checksum(3)])
            #expect(found.hops.map { hop in hop.steps.filter { $0.kind == .custom }.count } == [0, 1, 0])
            #expect(found.description.contains("code of stage “split names”"))
            #expect(calls.all.isEmpty)
            let unknown = try forecast([Self.splitting(calls), NSLightweightMigrationStage([Self.checksum(3)])])
            #expect(!unknown.isPossible)
            #expect(unknown.description.contains(Self.checksum(0)) && unknown.description.contains("in a stage"))
        }
    }

    @Test("consecutive lightweight stages all run, also where a renamed thing is renamed again")
    func consecutive() throws {
        let texts = [
            "entity Item\n  alpha string", "entity Item\n  beta string was alpha",
            "entity Item\n  gamma string was beta",
        ]
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, texts[0], rows: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZALPHA) VALUES (1, 1, 1, 'kept')")
            let models = texts.map { ModelText.model($0) }
            let references = models.map {
                NSManagedObjectModelReference(model: $0, versionChecksum: $0.versionChecksum)
            }
            // A custom stage without handlers is how a program names the models of lightweight versions.
            try open(
                fixture, models[2],
                [
                    NSLightweightMigrationStage([models[0].versionChecksum]),
                    NSCustomMigrationStage(migratingFrom: references[0], to: references[1]),
                    NSLightweightMigrationStage([models[1].versionChecksum]),
                    NSLightweightMigrationStage([models[2].versionChecksum]),
                ])
            #expect(try fixture.query("SELECT ZGAMMA FROM ZITEM") == ["kept"])
            try fixture.verify(texts[2])
        }
    }

    @Test("a handler that throws leaves the store as it was, and the error names the stage")
    func failing() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.versions[1], rows: Self.rows)
            let before = try fixture.dump()
            let calls = Calls()
            let error = #expect(throws: NSError.self) {
                try open(fixture, Self.model(2), [Self.splitting(calls, failing: true)])
            }
            #expect(error?.code == NSMigrationError)
            #expect(error?.localizedDescription.contains("split names") == true)
            #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain.contains("Refusal") == true)
            #expect(calls.all == ["will split names", "did"])
            #expect(try fixture.dump() == before)
            #expect(!MigrationFolder.exists(for: SQLiteStoreFiles(fixture.url).main))
            // The old version of the program still starts.
            #expect(try fixture.migrate(to: Self.versions[1]) == false)
            try open(fixture, Self.model(2), [Self.splitting(calls)])
            try fixture.verify(Self.versions[2])
        }
    }

    @Test("the error of a handler is thrown, also where the handler has removed its store, which then cannot be closed")
    func failingTwice() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.versions[1], rows: Self.rows)
            let stage = NSCustomMigrationStage(migratingFrom: Self.reference(1), to: Self.reference(2))
            stage.willMigrateHandler = { manager, _ in
                let coordinator = try #require(manager.container).persistentStoreCoordinator
                for store in coordinator.persistentStores { try coordinator.remove(store) }
                throw Refusal()
            }
            let error = #expect(throws: NSError.self) { try open(fixture, Self.model(2), [stage]) }
            #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain.contains("Refusal") == true)
        }
    }

    @Test("A killed migration is resumed for the same file, and not for a backup that is put back")
    func backup() throws {
        for isPutBack in [false, true] {
            try withTemporaryFolder { folder in
                let fixture = try MigrationFixture(folder, Self.versions[1], rows: Self.rows)
                try fixture.run("PRAGMA journal_mode = DELETE")
                let (kept, left) = (folder.appendingPathComponent("kept"), folder.appendingPathComponent("left"))
                let manager = FileManager.default
                try manager.copyItem(at: fixture.url, to: kept)
                for (url, name) in [(kept, "Grace Hopper"), (fixture.url, "Mary Somerville")] {
                    try SQLiteConnection(path: url.path, access: .readWrite)
                        .execute("UPDATE ZPERSON SET ZNAME = '\(name)' WHERE Z_PK = 2")
                }
                let place = MigrationFolder.url(for: SQLiteStoreFiles(fixture.url).main)
                let calls = Calls()
                let last = NSCustomMigrationStage(migratingFrom: Self.reference(2), to: Self.reference(3))
                // The state after a kill in the second stage.
                last.willMigrateHandler = { _, _ in
                    try manager.moveItem(at: place, to: left)
                    throw Refusal()
                }
                #expect(throws: NSError.self) { try open(fixture, Self.model(3), [Self.splitting(calls), last]) }
                try manager.moveItem(at: left, to: place)
                if isPutBack {
                    try manager.removeItem(at: fixture.url)
                    try manager.moveItem(at: kept, to: fixture.url)
                }
                last.willMigrateHandler = { _, _ in calls.add("will last") }
                try open(fixture, Self.model(3), [Self.splitting(calls), last])
                let split = ["will split names", "did"]
                #expect(calls.all == split + (isPutBack ? split : []) + ["will last"])
                #expect(
                    try fixture.query("SELECT ZLAST FROM ZHUMAN ORDER BY Z_PK")
                        == ["Lovelace", isPutBack ? "Hopper" : "Somerville"])
                #expect(!MigrationFolder.exists(for: SQLiteStoreFiles(fixture.url).main))
            }
        }
    }

    @Test("Both handlers of a stage that a kill has ended run again, and those of the stage before it do not")
    func unfinishedStage() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.versions[1], rows: Self.rows)
            // As a killed process leaves it; one that fails gives the file its journal mode back.
            try fixture.run("PRAGMA journal_mode = DELETE")
            let (manager, left) = (FileManager.default, folder.appendingPathComponent("left"))
            let place = MigrationFolder.url(for: SQLiteStoreFiles(fixture.url).main)
            let calls = Calls()
            let last = NSCustomMigrationStage(migratingFrom: Self.reference(2), to: Self.reference(3))
            last.willMigrateHandler = { _, _ in calls.add("will last") }
            // The state after a kill at the end of the second stage.
            last.didMigrateHandler = { _, _ in
                calls.add("did last")
                try manager.moveItem(at: place, to: left)
                throw Refusal()
            }
            #expect(throws: NSError.self) { try open(fixture, Self.model(3), [Self.splitting(calls), last]) }
            try manager.moveItem(at: left, to: place)
            last.didMigrateHandler = { _, _ in calls.add("did last") }
            try open(fixture, Self.model(3), [Self.splitting(calls), last])
            let twice = ["will last", "did last", "will last", "did last"]
            #expect(calls.all == ["will split names", "did"] + twice)
        }
    }

    @Test("an unknown version is 134504, a newer store 134506, a version in two places an error that names it")
    func wrongStages() throws {
        func code(_ start: Int, _ end: Int, _ stages: [NSMigrationStage]) throws -> (Int?, String) {
            try withTemporaryFolder { folder in
                let fixture = try MigrationFixture(folder, Self.versions[start])
                let before = try fixture.dump()
                let error = #expect(throws: NSError.self) { try open(fixture, Self.model(end), stages) }
                #expect(try fixture.dump() == before)
                return (error?.code, error?.localizedDescription ?? "")
            }
        }
        let forward = NSLightweightMigrationStage([Self.checksum(0), Self.checksum(1)])
        #expect(try code(2, 1, [forward]).0 == NSManagedObjectModelReferenceNotFoundError)
        #expect(try code(0, 3, [forward]).0 == NSManagedObjectModelReferenceNotFoundError)
        #expect(try code(1, 0, [forward]).0 == NSStagedMigrationBackwardMigrationError)
        let twice = NSLightweightMigrationStage([Self.checksum(0), Self.checksum(1), Self.checksum(0)])
        #expect(try code(0, 1, [twice]).1.contains("Duplicate version checksums across stages detected"))
    }

    @Test("A stage between versions with equal hashes and other identifiers runs once")
    func dataStage() throws {
        func model(_ name: String, _ version: Int = 0) -> NSManagedObjectModel {
            let model = Self.model(version)
            model.versionIdentifiers = [name]
            return model
        }
        func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
            NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
        }
        for isLast in [true, false] {
            try withTemporaryFolder { folder in
                let fixture = try MigrationFixture(folder, Self.versions[0], rows: Self.rows)
                let calls = Calls()
                func stages(_ first: String, _ second: String) -> [NSMigrationStage] {
                    let stage = NSCustomMigrationStage(
                        migratingFrom: reference(model(first)), to: reference(model(second)))
                    stage.willMigrateHandler = { manager, stage in
                        let present = manager.container?.managedObjectModel.versionIdentifiers
                        calls.add("will \(present == stage.currentModel.resolvedModel.versionIdentifiers)")
                    }
                    stage.didMigrateHandler = { manager, stage in
                        let present = manager.container?.managedObjectModel.versionIdentifiers
                        calls.add("did \(present == stage.nextModel.resolvedModel.versionIdentifiers)")
                    }
                    return [stage] + (isLast ? [] : [NSLightweightMigrationStage([Self.checksum(1)])])
                }
                let target = isLast ? model("b") : model("c", 1)
                for _ in 0..<2 { try open(fixture, target, stages("a", "b")) }
                #expect(calls.all == ["will true", "did true"])
                let metadata = try SQLiteStoreMetadata.metadata(at: fixture.url, timeout: 1)
                #expect(metadata[NSStoreModelVersionIdentifiersKey] as? [String] == [isLast ? "b" : "c"])
                #expect(
                    try fixture.query("SELECT ZNAME FROM ZPERSON ORDER BY Z_PK") == ["Ada Lovelace", "Alan Turing"])
                let twice = try #require(
                    #expect(throws: NSError.self) { try open(fixture, Self.model(2), stages("a", "a")) })
                #expect(twice.localizedDescription.contains("Duplicate version checksums"))
            }
        }
    }

    @Test("A stage names a version with a derived attribute by its hashes alone: a store with other hashes is unknown")
    func otherHashes() throws {
        func model(_ text: String, recordsHash: Bool = false) -> NSManagedObjectModel {
            let derived = NSDerivedAttributeDescription()
            derived.name = "derived"
            derived.attributeType = .stringAttributeType
            derived.isOptional = true
            derived.derivationExpression = CoreData.NSExpression(format: "uppercase:(name)")
            let model = ModelText.model(text)
            model.entities[0].properties.append(derived)
            if recordsHash { model.entities[0].recordedVersionHash = Data(repeating: 7, count: 32) }
            return model
        }
        let text = "entity Item\n  name string"
        func migrate(recordsHash: Bool) throws {
            try withTemporaryFolder { folder in
                let url = folder.appendingPathComponent("store.sqlite")
                try withStore(url, model(text)) { _ in }
                let (older, newer) = (model(text, recordsHash: recordsHash), model(text + "\n  more int32"))
                let stage = NSCustomMigrationStage(
                    migratingFrom: .init(model: older, versionChecksum: older.versionChecksum),
                    to: .init(model: newer, versionChecksum: newer.versionChecksum))
                let options: [AnyHashable: Any] = [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                    NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage]),
                ]
                try withStore(url, newer, options: options) { _ in }
            }
        }
        try migrate(recordsHash: false)
        let error = #expect(throws: NSError.self) { try migrate(recordsHash: true) }
        #expect(error?.code == NSManagedObjectModelReferenceNotFoundError)
    }

    @Test("A reference finds its model by file and checksum, and an unknown one is 134504 with the searched places")
    func references() throws {
        let model = Self.model(0)
        #expect(
            try NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum).resolve() === model)
        #expect(
            NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum).resolvedModel === model)
        let error = #expect(throws: NSError.self) {
            try NSManagedObjectModelReference(model: model, versionChecksum: "other").resolve()
        }
        #expect(error?.code == NSManagedObjectModelReferenceNotFoundError)
        #expect(error?.localizedDescription.contains("'other'") == true)
        let nameless = NSManagedObjectModelReference(name: "Nowhere", in: nil, versionChecksum: "x")
        #expect(throws: NSError.self) { try nameless.resolve() }
        let hashes = NSManagedObjectModelReference(
            entityVersionHashes: model.entityVersionHashesByName, in: .main, versionChecksum: model.versionChecksum)
        #expect(hashes.versionChecksum == model.versionChecksum)
        #expect(throws: NSError.self) { try hashes.resolve() }
    }
}

@Suite("Deferred lightweight migration", .leavesNothingBehind)
struct DeferredMigrationTests {
    private static let older = "entity Item\n  name string\n  old string\n  size int32"
    private static let newer = "entity Item\n  name string index\n  size int32\n  note string"

    private func coordinator(_ fixture: MigrationFixture, _ text: String) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(text))
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: fixture.url,
            options: [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                NSPersistentStoreDeferredLightweightMigrationOptionKey: true,
                NSMigrationKnownVersionsOption: [ModelText.model(Self.older)],
            ])
        return coordinator
    }

    private func close(_ coordinator: NSPersistentStoreCoordinator) throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    private func fixture(_ folder: URL) throws -> MigrationFixture {
        try MigrationFixture(
            folder, Self.older,
            rows: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME, ZOLD) VALUES (1, 1, 1, 'a', 'b'); "
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
    }

    private func rename(_ coordinator: NSPersistentStoreCoordinator, to name: String) throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let items = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
            items.first?.setValue(name, forKey: "name")
            try context.save()
        }
    }

    @Test("work that can be deferred is: the store has the newer version, and finishing makes it like a new one")
    func finish() throws {
        try withTemporaryFolder { folder in
            let fixture = try fixture(folder)
            let coordinator = try coordinator(fixture, Self.newer)
            #expect(try fixture.schema().contains { $0.contains("ZOLD") })
            #expect(try !fixture.schema().contains { $0.hasPrefix("index") && $0.contains("ZNAME") })
            try rename(coordinator, to: "before")
            try coordinator.finishDeferredLightweightMigration()
            try rename(coordinator, to: "after")
            try close(coordinator)
            #expect(try fixture.query("SELECT ZNAME FROM ZITEM") == ["after"])
            try fixture.verify(Self.newer)
            let metadata = try SQLiteStoreMetadata.metadata(at: fixture.url)
            #expect(metadata[DeferredStatements.metadataKey] == nil)
        }
    }

    @Test("a column whose name another one takes is not left for later")
    func takenName() throws {
        try withTemporaryFolder { folder in
            let fixture = try fixture(folder)
            let newer = "entity Item\n  name string was old"
            let coordinator = try coordinator(fixture, newer)
            #expect(try fixture.query("SELECT ZNAME FROM ZITEM") == ["b"])
            try coordinator.finishDeferredLightweightMigration()
            try close(coordinator)
            #expect(try fixture.query("SELECT ZNAME FROM ZITEM") == ["b"])
            try fixture.verify(newer)
        }
    }

    @Test("Each task does one piece, and the next program that opens the store does the rest")
    func slices() throws {
        try withTemporaryFolder { folder in
            let fixture = try fixture(folder)
            let first = try coordinator(fixture, Self.newer)
            let pending = DeferredStatements.pending(try SQLiteStoreMetadata.metadata(at: fixture.url))
            #expect(pending.count == 2)
            try first.finishDeferredLightweightMigrationTask()
            // Metadata of the program's own do not make the rest forgotten.
            let store = try #require(first.persistentStores.first)
            first.setMetadata(["mine": 1], for: store)
            try rename(first, to: "x")
            try close(first)
            #expect(
                DeferredStatements.pending(try SQLiteStoreMetadata.metadata(at: fixture.url))
                    == Array(pending.dropFirst())
            )
            let second = try coordinator(fixture, Self.newer)
            try second.finishDeferredLightweightMigrationTask()
            try second.finishDeferredLightweightMigrationTask()
            try close(second)
            try fixture.verify(Self.newer)
        }
    }

    @Test("The next migration does the rest of the last one first")
    func nextMigration() throws {
        try withTemporaryFolder { folder in
            let fixture = try fixture(folder)
            try close(try coordinator(fixture, Self.newer))
            // The name of the column that is still there is taken again.
            let third = "entity Item\n  name string\n  size int32\n  note string\n  old int64 = 5"
            try fixture.migrateAndVerify(to: third)
            #expect(try fixture.query("SELECT ZNAME, ZOLD FROM ZITEM") == ["a|5"])
        }
    }
}
