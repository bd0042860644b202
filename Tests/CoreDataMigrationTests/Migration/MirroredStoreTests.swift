import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Stores that CloudKit mirrors", .leavesNothingBehind)
struct MirroredStoreTests {
    /// Book is 1, Page 2, Person 3, Writer 4, Tag 5.
    private static let older = MigratedEntitiesTests.older
    private static var infer: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }

    private func withMirrored(_ body: (MigrationFixture) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older, rows: MigratedEntitiesTests.rows)
            try MirroredStore.mirror(fixture.url)
            try body(fixture)
        }
    }

    private func mirror(of url: URL, _ text: String) throws -> StoreInspection.CloudMirror? {
        try withStore(url, ModelText.model(text)) { context in
            let coordinator = try #require(context.persistentStoreCoordinator)
            let store = try #require(coordinator.persistentStores.first)
            #expect(try coordinator.inspect(store, for: .history).mirror == nil)
            return try coordinator.inspect(store, for: .mirror).mirror
        }
    }

    @Test("An inspection counts the records, the pending uploads and the pending deletions")
    func inspection() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older, rows: MigratedEntitiesTests.rows)
            #expect(try mirror(of: fixture.url, Self.older) == nil)
            let numbers = try MirroredStore.mirror(fixture.url)
            #expect(numbers.records == 18 && numbers.uploads == 4 && numbers.deletions == 10)
            let found = try #require(try mirror(of: fixture.url, Self.older))
            #expect("\(found)" == "18 records, 4 pending uploads, 10 pending deletions")
            // Of an older system, or before the first export.
            try fixture.run("ALTER TABLE ANSCKRECORDMETADATA DROP COLUMN ZNEEDSCLOUDDELETE")
            #expect(try mirror(of: fixture.url, Self.older)?.pendingDeletionCount == 0)
            try fixture.run("DROP TABLE ANSCKRECORDMETADATA")
            #expect(try mirror(of: fixture.url, Self.older) == .init(recordCount: 0))
        }
    }

    /// What a newer version does to entities, and the words of the error.
    private static let changes: [(newer: String, words: String)] = [
        ("entity Album\n  name string\n" + older, "changes the number of Book"),
        (
            older.replacingOccurrences(of: "entity Tag", with: "entity Tango was Tag")
                .replacingOccurrences(of: "Tag.books", with: "Tango.books"), "renames Tag to Tango"
        ),
        (older.replacingOccurrences(of: "entity Writer : Person\n  penName string\n", with: ""), "removes Writer"),
        (
            older.replacingOccurrences(
                of: "entity Writer : Person\n", with: "entity Writer\n  name string\n"),
            "moves Writer below Writer"
        ),
    ]

    @Test("A migration that changes an entity is refused with its reason", arguments: changes.indices)
    func refused(_ place: Int) throws {
        let (newer, words) = Self.changes[place]
        try withMirrored { fixture in
            let account = try MirroredStore.account(of: fixture.url)
            let error = try fixture.failure(to: newer)
            #expect(error.code == NSMigrationError && error.domain == NSCocoaErrorDomain)
            let text = error.localizedFailureReason ?? ""
            #expect(text.hasPrefix("CloudKit mirrors the store “store.sqlite” (18 records, "), "\(text)")
            #expect(text.contains(words), "\(text)")
            #expect(text.contains("10 pending deletions") && text.contains("NSMigrationIgnoresCloudKitOption"))
            let opening = #expect(throws: NSError.self) {
                try withStore(fixture.url, ModelText.model(newer), options: Self.infer) { _ in }
            }
            #expect(opening?.code == NSMigrationError)
            #expect(try MirroredStore.account(of: fixture.url) == account)
            let forecast = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: fixture.url, to: ModelText.model(newer))
            #expect(forecast.mirror?.recordCount == 18)
            #expect(forecast.obstacles.count == 1 && forecast.obstacles.first?.reason.contains(words) == true)
            // It still opens as it was.
            try withStore(fixture.url, ModelText.model(Self.older)) { _ in }
        }
    }

    @Test("The option lets the migration change entities, and leaves CloudKit's tables as they are")
    func ignored() throws {
        try withMirrored { fixture in
            let account = try MirroredStore.account(of: fixture.url)
            let model = ModelText.model(Self.changes[0].newer)
            let option: [AnyHashable: Any] = [NSMigrationIgnoresCloudKitOption: true]
            let forecast = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: fixture.url, to: model, options: option)
            #expect(forecast.isPossible && forecast.mirror != nil)
            #expect("\(forecast)".contains("is mirrored by CloudKit: 18 records"))
            try withStore(fixture.url, model, options: Self.infer.merging(option) { $1 }) { _ in }
            #expect(try MirroredStore.account(of: fixture.url) == account)
            // The records of books name the objects of another entity now, which is why it is refused by default.
            #expect(try fixture.query("SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT = 1") == ["Album"])
            #expect(try fixture.query("SELECT DISTINCT Z_ENT FROM ZBOOK") == ["2"])
        }
    }

    @Test("A migration that leaves numbers, names and keys of entities alone works")
    func allowed() throws {
        try withMirrored { fixture in
            let account = try MirroredStore.account(of: fixture.url)
            let keys = try fixture.query("SELECT Z_ENT, Z_PK FROM ZBOOK ORDER BY 2")
            let newer =
                Self.older.replacingOccurrences(of: "  title string", with: "  name string! = none was title index")
                .replacingOccurrences(of: "  tags many Tag.books", with: "  tags many Tag.books\n  zone one Zone.books")
                .replacingOccurrences(of: "  penName string\n", with: "  rank int32! = 3\n")
                + "\nentity Zone\n  name string\n  books many Book.zone"
            let losses: [AnyHashable: Any] = [NSMigrationAllowedLossesOption: ["Writer.penName"]]
            let forecast = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: fixture.url, to: ModelText.model(newer), options: losses)
            #expect(forecast.isPossible && forecast.mirror?.pendingDeletionCount == 10)
            try withStore(
                fixture.url, ModelText.model(newer), options: Self.infer.merging(losses) { $1 }
            ) { context in
                let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
                #expect(Set(books.compactMap { $0.value(forKey: "name") as? String }) == ["x", "y", "z"])
            }
            #expect(try MirroredStore.account(of: fixture.url) == account)
            #expect(try fixture.query("SELECT Z_ENT, Z_PK FROM ZBOOK ORDER BY 2") == keys)
            #expect(try fixture.query("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Zone'") == ["6"])
        }
    }

    @Test("A mapping model, whose objects get other keys, is refused, and allowed by the option")
    func mappingModel() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Depot.sqlite")
            try DepotModels.fill(url, DepotModels.versions[1], items: 5)
            try MirroredStore.mirror(url)
            let account = try MirroredStore.account(of: url)
            var options = Self.infer
            options[NSMigrationMappingModelOption] = DepotModels.mapping()
            let model = DepotModels.model(2)
            let error = #expect(throws: NSError.self) { try withStore(url, model, options: options) { _ in } }
            #expect(error?.code == NSMigrationError)
            #expect(error?.localizedFailureReason?.contains("gives all objects new keys") == true)
            #expect(try MirroredStore.account(of: url) == account)
            let forecast = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: url, to: model, options: options)
            #expect(forecast.obstacles.first?.reason.contains("gives all objects new keys") == true)
            options[NSMigrationIgnoresCloudKitOption] = true
            try withStore(url, model, options: options) { _ in }
            #expect(try MirroredStore.account(of: url).isEmpty)
        }
    }

    @Test("Stages with handlers go through a copy that has the tables, too, and may not change entities either")
    func stages() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Depot.sqlite")
            try DepotModels.fill(url, DepotModels.stages[0], items: 5)
            try MirroredStore.mirror(url)
            let account = try MirroredStore.account(of: url)
            let renamed = ModelText.model(
                DepotModels.stages[3].replacingOccurrences(of: "entity Tag", with: "entity Label was Tag")
                    .replacingOccurrences(of: "Tag.items", with: "Label.items"))
            func stage(_ from: NSManagedObjectModel, _ to: NSManagedObjectModel) -> NSCustomMigrationStage {
                NSCustomMigrationStage(
                    migratingFrom: .init(model: from, versionChecksum: from.versionChecksum),
                    to: .init(model: to, versionChecksum: to.versionChecksum))
            }
            let stage = stage(ModelText.model(DepotModels.stages[0]), renamed)
            stage.didMigrateHandler = { _, _ in }
            var options = Self.infer
            options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager([stage])
            let error = #expect(throws: NSError.self) { try withStore(url, renamed, options: options) { _ in } }
            #expect(error?.localizedFailureReason?.contains("renames Tag to Label") == true)
            #expect(error?.userInfo[NSFilePathErrorKey] as? String == url.path)
            #expect(try MirroredStore.account(of: url) == account)

            options[NSPersistentStoreStagedMigrationManagerOptionKey] = DepotModels.manager()
            try withStore(url, ModelText.model(DepotModels.stages[3]), options: options) { context in
                let items = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
                #expect(items.count == 5 && items.allSatisfy { $0.value(forKey: "note") != nil })
            }
            #expect(try MirroredStore.account(of: url) == account)
        }
    }

    @Test("Saves, batch requests, history, copies, moves and replacing leave the tables as they are")
    func writing() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Depot.sqlite")
            try DepotModels.fill(url, DepotModels.versions[0], items: 20)
            try MirroredStore.mirror(url)
            let account = try MirroredStore.account(of: url)
            let model = DepotModels.model(0)
            let copies = (1...3).map { folder.appendingPathComponent("Copy \($0).sqlite") }
            let history: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
            try withStore(url, model, options: history) { context in
                let items = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
                items[0].setValue("other", forKey: "name")
                context.delete(items[1])
                _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                try context.save()
                let update = NSBatchUpdateRequest(entityName: "Item")
                update.propertiesToUpdate = ["name": "all"]
                try context.execute(update)
                try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["label": "new"]]))
                try context.execute(
                    NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Shelf")))
                try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
                let coordinator = try #require(context.persistentStoreCoordinator)
                try coordinator.replacePersistentStore(
                    at: copies[0], withPersistentStoreFrom: url, type: .sqlite)
                let store = try #require(coordinator.persistentStores.first)
                _ = try coordinator.migratePersistentStore(store, to: copies[1], options: history, type: .sqlite)
            }
            for store in [url] + copies.prefix(2) {
                #expect(try MirroredStore.account(of: store) == account, "\(store.lastPathComponent)")
            }
            // The rows are copied into a new store, without CloudKit's account: the report has a finding for that.
            let report = try NSPersistentStoreCoordinator.salvage(storeAt: url, into: copies[2])
            #expect(report.findings.contains { $0.kind == .leftOut && $0.text.contains("CloudKit") })
            #expect(try MirroredStore.account(of: copies[2]).isEmpty)
        }
    }
}
