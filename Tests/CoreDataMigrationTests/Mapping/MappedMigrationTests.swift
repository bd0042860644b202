import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Migrating by a mapping model", .leavesNothingBehind)
struct MappedMigrationTests {
    @Test("attributes and relationships of every kind arrive as the mapping model says", arguments: [6, 2_500])
    func migrates(_ count: Int) throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: count, authors: 2)
            try fixture.migrate(fixture.mapping())
            #expect(try fixture.books() == MappedMigrationFixture.expectedBooks(count))
            #expect(try fixture.files().filter { $0.contains("associations") }.isEmpty)
            try withStore(fixture.destination, fixture.newerModel) { context in
                let author = try #require(
                    try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")).first)
                #expect((author.value(forKey: "books") as? NSSet)?.count == count / 2)
                #expect(author.value(forKey: "century") as? Int == 1801)
                #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Chapter")) == 2 * count)
                #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag")) == 3)
            }
        }
    }

    @Test("the source store is not changed, and neither are its files")
    func sourceStays() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder)
            let before = try Data(contentsOf: fixture.source)
            try fixture.migrate(fixture.mapping())
            #expect(try Data(contentsOf: fixture.source) == before)
            #expect(try fixture.files() == ["New.sqlite", "Old.sqlite"])
        }
    }

    @Test("A source that is opened for writing can be changed by a policy, and another one cannot")
    func preparedSource() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder)
            func migrate(_ options: [AnyHashable: Any]?) throws {
                try fixture.manager().migrateStore(
                    from: fixture.source, sourceType: NSSQLiteStoreType, options: options,
                    with: fixture.mapping(policies: ["Book": PreparingPolicy.self]),
                    toDestinationURL: fixture.destination,
                    destinationType: NSSQLiteStoreType, destinationOptions: nil)
            }
            #expect(throws: NSError.self) { try migrate(nil) }
            try migrate([NSReadOnlyPersistentStoreOption: false])
            #expect(try fixture.books().contains { $0.contains("prepared") })
        }
    }

    @Test("hooks are called in the documented order: instances of all mappings, then relationships, then validation")
    func orderOfHooks() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 2, authors: 1)
            let manager = fixture.manager()
            let log = HookLog()
            manager.userInfo = ["log": log]
            try fixture.migrate(
                fixture.mapping(policies: ["Author": RecordingPolicy.self, "Book": RecordingPolicy.self]), manager)
            #expect(
                log.lines == [
                    "Author begin", "Author create author 0", "Author endInstanceCreation",
                    "Book begin", "Book create book 0", "Book create book 1", "Book endInstanceCreation",
                    "Author relate author 0", "Author endRelationshipCreation",
                    "Book relate book 0", "Book relate book 1", "Book endRelationshipCreation",
                    "Author validate", "Author end", "Book validate", "Book end",
                ])
            #expect(try fixture.books() == MappedMigrationFixture.expectedBooks(2, authors: 1))
        }
    }

    @Test("The manager says in hooks which mapping it carries out, and objects of both stores can be used")
    func insideHooks() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 2)
            let manager = fixture.manager()
            let log = HookLog()
            manager.userInfo = ["log": log]
            var progress: [Float] = []
            let token = manager.observe(\.migrationProgress, options: [.initial, .old, .new]) { _, change in
                if let old = change.oldValue { #expect(old == progress.last) }
                progress.append(change.newValue ?? -1)
            }
            try fixture.migrate(fixture.mapping(policies: ["Book": LookingPolicy.self]), manager)
            #expect(progress.first == 0 && progress.last == 1 && progress == progress.sorted())
            token.invalidate()
            #expect(
                log.lines == [
                    "BookToBook 2 authors", "BookToBook NSManagedObject book 0", "BookToBook NSManagedObject book 1",
                ])
            #expect(manager.migrationProgress == 1)
            #expect(manager.currentEntityMapping.name == "")
        }
    }

    @Test("a policy makes several objects of one, and relationships lead to all that was associated")
    func splitting() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 4, authors: 1)
            try fixture.migrate(fixture.mapping(policies: ["Tag": DoublingPolicy.self]))
            #expect(
                try fixture.books().first
                    == "book 0 0 author 0 blue+blue!+red+red! end 0+begin 0")
        }
    }

    @Test("a policy whose name has another module than its class is found by the name of the class")
    func policyOfOtherModule() throws {
        // The modules of managed classes in use are searched.
        final class Used: NSManagedObject {}
        ManagedClassLookup.learnModule(of: Used.self)
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 4, authors: 1)
            let mapping = fixture.mapping(policies: ["Tag": DoublingPolicy.self])
            mapping.entityMappingsByName["TagToTag"]?.entityMigrationPolicyClassName = "Elsewhere.DoublingPolicy"
            try fixture.migrate(mapping)
            #expect(try fixture.books().first == "book 0 0 author 0 blue+blue!+red+red! end 0+begin 0")
        }
    }

    @Test("a policy merges objects into one, which gets its relationships once")
    func merging() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 4, authors: 2)
            let manager = fixture.manager()
            let log = HookLog()
            manager.userInfo = ["log": log]
            try fixture.migrate(fixture.mapping(policies: ["Author": MergingPolicy.self]), manager)
            #expect(log.lines == ["relate everybody of 2"])
            #expect(Set(try fixture.books().map { $0.contains("everybody") }) == [true])
        }
    }

    @Test("A policy finds its earlier objects among the registered ones, after any number of batches")
    func registeredObjectsOfPolicies() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 400)
            try fixture.migrate(fixture.mapping(policies: ["Book": SortingPolicy.self]))
            try withStore(fixture.destination, fixture.newerModel) { context in
                let shelves = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf"))
                let labels = shelves.compactMap { $0.value(forKey: "label") as? String }
                #expect(labels.sorted() == ["shelf 0", "shelf 1", "shelf 2"])
            }
        }
    }

    @Test("expressions see manager, source, destination, mapping and policy; functions are called by name")
    func expressions() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 1, authors: 1)
            let mapping = fixture.mapping(policies: ["Author": CountingPolicy.self])
            let author = try #require(mapping.entityMappingsByName["AuthorToAuthor"])
            author.userInfo = ["suffix": "!"]
            author.attributeMappings = [
                MappedMigrationFixture.property(
                    "name", #"FUNCTION($entityPolicy, "join:with:", $source.name, $entityMapping.userInfo.suffix)"#),
                MappedMigrationFixture.property("century", "$source.born - 1782"),
            ]
            try fixture.migrate(mapping)
            try withStore(fixture.destination, fixture.newerModel) { context in
                let author = try #require(
                    try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")).first)
                #expect(author.value(forKey: "name") as? String == "author 0!")
                #expect(author.value(forKey: "century") as? Int == 19)
            }
        }
    }

    @Test("an unknown function ends the migration with 134170 and is named")
    func unknownFunction() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder)
            let mapping = fixture.mapping()
            mapping.entityMappings[0].attributeMappings = [
                MappedMigrationFixture.property("name", #"FUNCTION($entityPolicy, "shout:", $source.name)"#)
            ]
            let failure = try #require(throws: NSError.self) { try fixture.migrate(mapping) }
            #expect(failure.code == NSEntityMigrationPolicyError)
            #expect(failure.localizedDescription.contains("shout:"))
        }
    }

    @Test("an unknown key of the manager ends the migration and is named")
    func unknownKey() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder)
            let mapping = fixture.mapping()
            mapping.entityMappings[0].attributeMappings = [
                MappedMigrationFixture.property("name", "$manager.sourceContexts")
            ]
            let failure = try #require(throws: NSError.self) { try fixture.migrate(mapping) }
            #expect(failure.localizedDescription.contains("sourceContexts"))
        }
    }

    @Test("A source expression chooses objects by a predicate; objects left out are left out of relationships")
    func choosing() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 3, authors: 1)
            let mapping = fixture.mapping()
            mapping.entityMappingsByName["TagToTag"]?.sourceExpression = MappingExpressions.objects(
                of: "Tag", predicate: "word != \"red\"")
            try fixture.migrate(mapping)
            #expect(try fixture.books().first == "book 0 0 author 0 blue end 0+begin 0")
        }
    }

    @Test("an added entity has a mapping without a source, a removed one gives nothing")
    func addedAndRemoved() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 2)
            let mapping = fixture.mapping()
            let shelf = NSEntityMapping()
            shelf.name = "Shelf"
            shelf.mappingType = .addEntityMappingType
            shelf.destinationEntityName = "Shelf"
            shelf.entityMigrationPolicyClassName = NSStringFromClass(ShelfPolicy.self)
            let tags = NSEntityMapping()
            tags.name = "Tag"
            tags.mappingType = .removeEntityMappingType
            tags.sourceEntityName = "Tag"
            mapping.entityMappings = mapping.entityMappings.filter { $0.name != "TagToTag" } + [shelf, tags]
            let book = try #require(mapping.entityMappingsByName["BookToBook"])
            book.relationshipMappings = book.relationshipMappings?.filter { $0.name != "tags" }
            try fixture.migrate(mapping)
            try withStore(fixture.destination, fixture.newerModel) { context in
                let shelves = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Shelf"))
                let tags = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag"))
                #expect(shelves == 1 && tags == 0)
            }
        }
    }

    @Test("an inferred mapping gives the same by SQL in a copy and through the manager", arguments: [true, false])
    func inferred(_ isSpecific: Bool) throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 5, authors: 2)
            let newer = ModelText.model(
                MappedMigrationFixture.older.replacingOccurrences(
                    of: "pages int32", with: "size int64 was pages\n  rating int16! = 3"))
            let mapping = try NSMappingModel.inferredMappingModel(
                forSourceModel: fixture.olderModel, destinationModel: newer)
            let manager = NSMigrationManager(sourceModel: fixture.olderModel, destinationModel: newer)
            manager.usesStoreSpecificMigrationManager = isSpecific
            try fixture.migrate(mapping, manager)
            #expect(manager.migrationProgress == 1)
            try withStore(fixture.destination, newer) { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
                let books = try context.fetch(request)
                #expect(books.map { $0.value(forKey: "size") as? Int } == [0, 1, 2, 3, 4])
                #expect(books.allSatisfy { $0.value(forKey: "rating") as? Int == 3 })
                #expect(books[1].value(forKeyPath: "author.name") as? String == "author 1")
                #expect((books[1].value(forKey: "tags") as? NSSet)?.count == 2)
                let chapters = (books[1].value(forKey: "chapters") as? NSOrderedSet)?.array as? [NSManagedObject]
                #expect(chapters?.map { $0.value(forKey: "name") as? String } == ["end 1", "begin 1"])
            }
        }
    }

    @Test("an inferred mapping of a store onto itself migrates it in place; every other one is refused")
    func ontoItself() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 5, authors: 2)
            let newer = ModelText.model(
                MappedMigrationFixture.older.replacingOccurrences(of: "pages int32", with: "size int64 was pages"))
            let (mapping, edited) = try (
                NSMappingModel.inferredMappingModel(forSourceModel: fixture.olderModel, destinationModel: newer),
                NSMappingModel.inferredMappingModel(forSourceModel: fixture.olderModel, destinationModel: newer)
            )
            func migrate(_ mapping: NSMappingModel, isSpecific: Bool = true) throws -> Float {
                let manager = NSMigrationManager(sourceModel: fixture.olderModel, destinationModel: newer)
                manager.usesStoreSpecificMigrationManager = isSpecific
                try manager.migrateStore(
                    from: fixture.source, type: .sqlite, mapping: mapping, to: fixture.source, type: .sqlite)
                return manager.migrationProgress
            }
            edited.entityMappings?.first?.entityMigrationPolicyClassName = NSStringFromClass(CountingPolicy.self)
            for (mapping, isSpecific) in [(edited, true), (mapping, false)] {
                let error = #expect(throws: NSError.self) { try migrate(mapping, isSpecific: isSpecific) }
                #expect(error?.code == NSMigrationManagerDestinationStoreError)
            }
            // The second call finds the store as it is to be.
            for _ in 1...2 { #expect(try migrate(mapping) == 1) }
            try withStore(fixture.source, newer) { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
                let books = try context.fetch(request)
                #expect(books.map { $0.value(forKey: "size") as? Int } == [0, 1, 2, 3, 4])
            }
            #expect(try fixture.files() == ["Old.sqlite"])
        }
    }

    @Test("the contexts of a migration post nothing, not even when they are reset between two batches")
    func quietContexts() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: fixture.olderModel)
            context.settings.isQuiet = true
            let told = Locked(0)
            let observer = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { _ in told.withLock { $0 += 1 } }
            defer { NotificationCenter.default.removeObserver(observer) }
            context.performAndWait {
                context.make("Author", ["name": "a"])
                context.processPendingChanges()
                context.reset()
            }
            #expect(told.withLock { $0 } == 0)
            context.settings.isQuiet = false
            context.performAndWait { context.reset() }
            #expect(told.withLock { $0 } == 1)
        }
    }

    @Test("metadata of the application are there in the new store, too")
    func metadata() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder)
            var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: fixture.source)
            metadata["lastImport"] = "yesterday"
            try NSPersistentStoreCoordinator.setMetadata(
                metadata, forPersistentStoreOfType: NSSQLiteStoreType, at: fixture.source)
            try fixture.migrate(fixture.mapping())
            let new = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: fixture.destination)
            #expect(new["lastImport"] as? String == "yesterday")
            #expect(new[NSStoreUUIDKey] as? String != metadata[NSStoreUUIDKey] as? String)
        }
    }

    @Test("a store that is opened with the options is migrated by a mapping model in its place, its copies are gone")
    func inPlace() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 6)
            try fixture.migrateInPlace(fixture.mapping())
            #expect(try fixture.books(at: fixture.source) == MappedMigrationFixture.expectedBooks(6))
            #expect(try fixture.files() == ["Old.sqlite"])
        }
    }

    @Test("the notes for resuming a migration are not in the new file afterwards")
    func noNumber() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 300)
            try fixture.migrateInPlace(fixture.mapping())
            #expect(try SQLiteConnection(path: fixture.source.path, access: .readOnly).heldNumber() == 0)
            #expect(try fixture.books(at: fixture.source) == MappedMigrationFixture.expectedBooks(300))
            #expect(try fixture.files() == ["Old.sqlite"])
        }
    }
}

/// Changes the source before its objects are read.
final class PreparingPolicy: NSEntityMigrationPolicy {
    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        let context = manager.sourceContext
        try context.performAndWait {
            for book in try context.all("Book") where (book.value(forKey: "title") as? String) == "book 0" {
                book.setValue("prepared", forKey: "title")
            }
            try context.save()
        }
    }
}
