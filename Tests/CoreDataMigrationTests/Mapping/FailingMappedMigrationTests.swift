import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("A migration by a mapping model that does not go well", .leavesNothingBehind)
struct FailingMappedMigrationTests {
    private func fail(_ fixture: MappedMigrationFixture, _ mapping: NSMappingModel?) throws -> NSError {
        let before = try Data(contentsOf: fixture.source)
        let manager = fixture.manager()
        let failure = try #require(throws: NSError.self) {
            try manager.migrateStore(
                from: fixture.source, sourceType: NSSQLiteStoreType, options: nil, with: mapping,
                toDestinationURL: fixture.destination, destinationType: NSSQLiteStoreType, destinationOptions: nil)
        }
        #expect(try Data(contentsOf: fixture.source) == before)
        #expect(try fixture.files() == ["Old.sqlite"], "something was left behind")
        return failure
    }

    @Test(
        "a policy that throws: 134170 with its error, the entity mapping and the source object; nothing is left behind")
    func throwingPolicy() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder)
            let failure = try fail(fixture, fixture.mapping(policies: ["Book": ThrowingPolicy.self]))
            #expect(failure.domain == NSCocoaErrorDomain && failure.code == NSEntityMigrationPolicyError)
            let underlying = try #require(failure.userInfo[NSUnderlyingErrorKey] as? NSError)
            #expect(underlying.domain == "Shop" && underlying.code == 7)
            #expect(failure.userInfo["entityMapping"] as? String == "BookToBook")
            #expect(failure.userInfo["entity"] as? String == "Book")
            let object = try #require(failure.userInfo["sourceObject"] as? URL)
            #expect(object.absoluteString.contains("/Book/p"))
        }
    }

    @Test("a class that is not there: 134170 names it")
    func missingPolicy() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder)
            let mapping = fixture.mapping()
            mapping.entityMappings[0].entityMigrationPolicyClassName = "Shop.NoSuchPolicy"
            let failure = try fail(fixture, mapping)
            #expect(failure.code == NSEntityMigrationPolicyError)
            #expect(failure.localizedDescription.contains("Shop.NoSuchPolicy"))
        }
    }

    @Test("an object that the new model does not allow: 134110 names property and source object")
    func invalidObject() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder)
            let mapping = fixture.mapping()
            mapping.entityMappingsByName["BookToBook"]?.relationshipMappings = []
            mapping.entityMappingsByName["AuthorToAuthor"]?.relationshipMappings = []
            let failure = try fail(fixture, mapping)
            #expect(failure.code == NSMigrationError)
            #expect(failure.userInfo["entity"] as? String == "Book")
            #expect(failure.userInfo["property"] as? String == "author")
            #expect((failure.userInfo["sourceObject"] as? URL)?.absoluteString.contains("/Book/p") == true)
            #expect((failure.userInfo[NSDetailedErrorsKey] as? [NSError])?.count == 6)
        }
    }

    @Test("a value of a type that the attribute cannot have: 134110 names the property")
    func wrongType() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder)
            let mapping = fixture.mapping()
            mapping.entityMappings[0].attributeMappings = [MappedMigrationFixture.property("name", "$source.born")]
            let failure = try fail(fixture, mapping)
            #expect(failure.code == NSMigrationError)
            #expect(failure.userInfo["property"] as? String == "name")
        }
    }

    @Test("a source object in a relationship of the destination: 134110 instead of a stopped process")
    func mixedObjects() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder)
            let mapping = fixture.mapping()
            mapping.entityMappingsByName["BookToBook"]?.relationshipMappings = [
                MappedMigrationFixture.property("author", "$source.author")
            ]
            #expect(try fail(fixture, mapping).userInfo["property"] as? String == "author")
        }
    }

    @Test("a property or an entity that is not in the model is named")
    func unknownNames() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder)
            let property = fixture.mapping()
            property.entityMappings[0].attributeMappings?.append(
                MappedMigrationFixture.property("colour", "$source.name"))
            #expect(try fail(fixture, property).userInfo["property"] as? String == "colour")
            let entity = fixture.mapping()
            entity.entityMappings[0].destinationEntityName = "Writer"
            #expect(try fail(fixture, entity).localizedDescription.contains("Writer"))
        }
    }

    @Test(
        "without a mapping model: 134140; without a source store: 134150; with one of another model: 134150 with 134100 beneath"
    )
    func stores() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder)
            #expect(try fail(fixture, nil).code == NSMigrationMissingMappingModelError)
            let manager = NSMigrationManager(sourceModel: fixture.newerModel, destinationModel: fixture.newerModel)
            let wrong = try #require(throws: NSError.self) { try fixture.migrate(fixture.mapping(), manager) }
            #expect(wrong.code == NSMigrationManagerSourceStoreError)
            #expect(
                (wrong.userInfo[NSUnderlyingErrorKey] as? NSError)?.code
                    == NSPersistentStoreIncompatibleVersionHashError)
            try FileManager.default.removeItem(at: fixture.source)
            let missing = try #require(throws: NSError.self) { try fixture.migrate(fixture.mapping()) }
            #expect(missing.code == NSMigrationManagerSourceStoreError)
            #expect(try fixture.files().isEmpty)
        }
    }

    @Test("cancelling with an error, from a policy: the migration fails with that error")
    func cancelledWithError() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder)
            let failure = try fail(fixture, fixture.mapping(policies: ["Chapter": CancellingPolicy.self]))
            #expect(failure.domain == "Shop" && failure.code == 3)
        }
    }

    @Test("a manager whose migration was cancelled migrates again after reset(), with a progress that begins anew")
    func resetAfterCancellation() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder)
            let manager = fixture.manager()
            let before = manager.progress
            let cancelling = fixture.mapping(policies: ["Chapter": CancellingPolicy.self])
            let failure = try #require(throws: NSError.self) { try fixture.migrate(cancelling, manager) }
            #expect(failure.domain == "Shop")
            #expect(before.isCancelled)
            manager.reset()
            #expect(!manager.progress.isCancelled)
            try fixture.migrate(fixture.mapping(), manager)
            #expect(manager.migrationProgress == 1)
            #expect(try fixture.books() == MappedMigrationFixture.expectedBooks(6))
        }
    }

    @Test("cancelling the progress from another thread ends a long migration before its end: 134120")
    func cancelledFromOutside() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 3_000)
            let manager = fixture.manager()
            let progress = manager.progress
            let (started, cancelled) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            manager.userInfo = ["started": started, "cancelled": cancelled]
            DispatchQueue.global().async {
                started.wait()
                progress.cancel()
                cancelled.signal()
            }
            let failure = try #require(throws: NSError.self) {
                try fixture.migrate(fixture.mapping(policies: ["Book": AwaitingCancellationPolicy.self]), manager)
            }
            #expect(failure.code == NSMigrationCancelledError)
            let asked = try #require(manager.userInfo?["asked"] as? Int)
            #expect(asked < 1_500)
            #expect(try fixture.files() == ["Old.sqlite"])
        }
    }

    @Test(
        "objects of an entity that becomes abstract are an error with entity and source object, in files and with policies",
        arguments: [StoreKind.sqlite, .xml, .binary, .atomic])
    func abstractEntity(_ kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let texts = ["", "abstract "].map {
                "\($0)entity Animal\n  name string\nentity Dog : Animal\n  breed string"
            }
            let (older, newer) = (ModelText.model(texts[0]), ModelText.model(texts[1]))
            let url = try #require(kind.url(in: folder))
            try withStore(url, older, type: kind.type) { context in
                context.make("Dog", ["breed": "collie"])
                context.make("Animal", ["name": "cat"])
                try context.save()
            }
            let before = try Data(contentsOf: url)
            let target = folder.appendingPathComponent("new")
            let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: newer)
            if kind.type == NSSQLiteStoreType {
                for part in mapping.entityMappings where part.destinationEntityName != nil {
                    part.entityMigrationPolicyClassName = NSStringFromClass(CountingPolicy.self)
                }
            }
            let failure = try #require(throws: NSError.self) {
                try NSMigrationManager(sourceModel: older, destinationModel: newer).migrateStore(
                    from: url, sourceType: kind.type, with: mapping, toDestinationURL: target,
                    destinationType: kind.type)
            }
            #expect(failure.code == NSMigrationError)
            #expect(failure.userInfo["entity"] as? String == "Animal")
            #expect((failure.userInfo["sourceObject"] as? URL)?.absoluteString.contains("/Animal/p") == true)
            #expect(failure.localizedDescription.contains("“Animal” is abstract"))
            #expect(try Data(contentsOf: url) == before)
            #expect(!FileManager.default.fileExists(atPath: target.path))
        }
    }

    @Test("a store that is migrated in its place stays as it was when the migration fails")
    func inPlace() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder)
            let before = try fixture.content()
            #expect(throws: NSError.self) {
                try fixture.migrateInPlace(fixture.mapping(policies: ["Book": ThrowingPolicy.self]))
            }
            #expect(try fixture.content() == before)
            #expect(try fixture.files() == ["Old.sqlite"])
        }
    }
}

extension MappedMigrationFixture {
    /// The titles of the older store's books.
    func content() throws -> [String] {
        try withStore(source, ModelText.model(Self.older)) { context in
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).compactMap {
                $0.value(forKey: "title") as? String
            }
            .sorted()
        }
    }
}
