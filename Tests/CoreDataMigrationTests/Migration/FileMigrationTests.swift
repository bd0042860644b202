import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Migrating stores that are one file", .leavesNothingBehind)
struct FileMigrationTests {
    private static let kinds = [StoreKind.xml, .binary, .atomic]
    /// Each kind with itself and with each other one.
    private static let pairs = ([.sqlite] + kinds).flatMap { source in ([.sqlite] + kinds).map { [source, $0] } }
    /// Inferable changes of the older version: names, types, a default, an order, an entity more.
    private static let inferred = """
        entity Author
          name string!
          born int16
          books ordered Book.author
        entity Book
          heading string was title
          pages double
          note string! = none
          author one Author.books
          tags many Tag.books
          chapters ordered Chapter.book
        entity Chapter
          name string
          book one Book.chapters
        entity Shelf
          label string
        entity Tag
          word string
          books many Book.tags
        """
    private static var both: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }

    /// A folder with resources and a store of the older version.
    private struct Files {
        let folder: URL
        let kind: StoreKind
        let fixture: MappedMigrationFixture
        let url: URL
        var resources: Bundle?

        init(_ folder: URL, _ kind: StoreKind, books: Int = 40, mapping: Bool = false) throws {
            self.folder = folder.appendingPathComponent("store")
            self.kind = kind
            try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
            fixture = try MappedMigrationFixture(folder, books: 0)
            url = try #require(kind.url(in: self.folder))
            let bundle = folder.appendingPathComponent("Resources.bundle")
            try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
            try ModelArchive.encode(ModelText.model(MappedMigrationFixture.older))
                .write(to: bundle.appendingPathComponent("Older.mom"))
            if mapping {
                let model = fixture.mapping()
                let (older, newer) = (
                    fixture.olderModel.entityVersionHashesByName, fixture.newerModel.entityVersionHashesByName
                )
                for mapping in model.entityMappings {
                    mapping.sourceEntityVersionHash = mapping.sourceEntityName.flatMap { older[$0] }
                    mapping.destinationEntityVersionHash = mapping.destinationEntityName.flatMap { newer[$0] }
                }
                try MappingModelArchive.encode(model).write(to: bundle.appendingPathComponent("Books.cdm"))
            }
            resources = Bundle(url: bundle)
            try withStore(url, ModelText.model(MappedMigrationFixture.older), type: kind.type) { context in
                try MappedMigrationFixture.fill(context, books: books, authors: 2)
            }
        }

        var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] }
        var content: Data { (try? Data(contentsOf: url)) ?? Data() }

        /// Migrates the store as adding it does when the resources are the program's.
        func migrate(to model: NSManagedObjectModel, _ options: [AnyHashable: Any] = FileMigrationTests.both) throws {
            let refusal = try #require(throws: NSError.self) { try withStore(url, model, type: kind.type) { _ in } }
            #expect(refusal.code == NSPersistentStoreIncompatibleVersionHashError)
            let request = MigrationRequest(
                at: url, to: model, options: options, bundles: resources.map { [$0] })
            let migration = try #require(FileMigration(request, ofType: kind.type))
            #expect(migration.request.isMigrationAllowed)
            try MigrationFeed.during(options[NSMigrationProgressOption] as? Progress) {
                try migration.migrate(after: refusal)
            }
        }
    }

    @Test(
        "Members without order are there on both sides, in either order of the entities", arguments: kinds,
        [false, true])
    func unordered(_ kind: StoreKind, _ isReversed: Bool) throws {
        try withTemporaryFolder { folder in
            let (owner, member) = isReversed ? ("Writer", "Book") : ("Author", "Book")
            func text(_ more: String) -> String {
                """
                entity \(owner)
                  name string
                \(more)
                  books many \(member).author
                entity \(member)
                  title string
                  author one \(owner).books
                """
            }
            let (older, newer) = (ModelText.model(text("")), ModelText.model(text("  born int16")))
            let url = try #require(kind.url(in: folder))
            try withStore(url, older, type: kind.type) { context in
                let one = context.make(owner, ["name": "o"])
                for number in 0..<3 { context.make(member, ["title": "\(number)", "author": one]) }
                try context.save()
            }
            let manager = NSMigrationManager(sourceModel: older, destinationModel: newer)
            let target = try #require(kind.url(in: folder.appendingPathComponent("new")))
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            try manager.migrateStore(
                from: url, sourceType: kind.type,
                with: .inferredMappingModel(forSourceModel: older, destinationModel: newer),
                toDestinationURL: target, destinationType: kind.type)
            try withStore(target, newer, type: kind.type) { context in
                let one = try #require(try context.all(owner).first)
                #expect((one.value(forKey: "books") as? Set<NSManagedObject>)?.count == 3)
                let members = try context.all(member)
                #expect(members.allSatisfy { $0.value(forKey: "author") as? NSManagedObject === one })
            }
        }
    }

    @Test("a file whose entity has a derived attribute is refused by another version of the model", arguments: kinds)
    func derived(_ kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            func model(_ name: String) throws -> NSManagedObjectModel {
                let derived = NSDerivedAttributeDescription()
                derived.name = "n"
                derived.attributeType = .stringAttributeType
                derived.isOptional = true
                derived.derivationExpression = try CoreData.NSExpression.parse(format: "uppercase:(\(name))")
                let model = ModelText.model("entity T\n  \(name) string")
                model.entitiesByName["T"]?.properties.append(derived)
                return model
            }
            let (older, newer) = (try model("name"), try model("title"))
            let url = try #require(kind.url(in: folder))
            try withStore(url, older, type: kind.type) { context in
                context.make("T", ["name": "precious"])
                try context.save()
            }
            let refusal = try #require(throws: NSError.self) { try withStore(url, newer, type: kind.type) { _ in } }
            #expect(refusal.code == NSPersistentStoreIncompatibleVersionHashError)
            try withStore(url, older, type: kind.type) { context in
                let kept = try #require(try context.all("T").first)
                #expect(kept.value(forKey: "n") as? String == "PRECIOUS")
            }
        }
    }

    @Test(
        "A migration of a file infers names, types, defaults and order; every object and link is there",
        arguments: kinds)
    func inferred(_ kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let files = try Files(folder, kind, books: 200)
            var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: kind.type, at: files.url)
            metadata["application"] = "Shop"
            try NSPersistentStoreCoordinator.setMetadata(metadata, forPersistentStoreOfType: kind.type, at: files.url)
            chmod(files.url.path, 0o600)
            try files.migrate(to: ModelText.model(Self.inferred))
            try withStore(files.url, ModelText.model(Self.inferred), type: kind.type) { context in
                let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
                #expect(books.count == 200)
                for book in books {
                    let number = (book.value(forKey: "pages") as? Double).map { Int($0) } ?? -1
                    #expect(book.value(forKey: "heading") as? String == "book \(number)")
                    #expect(book.value(forKey: "note") as? String == "none")
                    #expect(book.value(forKeyPath: "author.born") as? Int == 1801 + 100 * (number % 2))
                    #expect((book.value(forKey: "tags") as? NSSet)?.count == 2)
                    let chapters = (book.value(forKey: "chapters") as? NSOrderedSet)?.array as? [NSManagedObject]
                    #expect(
                        chapters?.map { $0.value(forKey: "name") as? String } == ["end \(number)", "begin \(number)"])
                }
                let author = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")).first
                #expect((author?.value(forKey: "books") as? NSOrderedSet)?.count == 100)
            }
            #expect(files.names == [files.url.lastPathComponent])
            let mode = try FileManager.default.attributesOfItem(atPath: files.url.path)[.posixPermissions] as? NSNumber
            #expect(mode == 0o600)
            let migrated = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: kind.type, at: files.url)
            #expect(migrated["application"] as? String == "Shop")
        }
    }

    @Test(
        "A program that has read the older file writes its version over the newer one when it saves", arguments: kinds)
    func writtenOver(_ kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let files = try Files(folder, kind, books: 2)
            try withStore(files.url, ModelText.model(MappedMigrationFixture.older), type: kind.type) { context in
                try files.migrate(to: ModelText.model(Self.inferred))
                context.make("Tag", ["word": "late"])
                try context.save()
            }
            let counts = try withStore(files.url, ModelText.model(MappedMigrationFixture.older), type: kind.type) {
                [try $0.all("Tag", "word == 'late'").count, try $0.all("Book").count]
            }
            #expect(counts == [1, 2])
        }
    }

    @Test("A file that holds no entity is migrated no further", arguments: [StoreKind.xml, .binary])
    func withoutEntities(_ kind: StoreKind) throws {
        func model(_ names: [String]) -> NSManagedObjectModel {
            let model = ModelText.model("entity Item\n  name string")
            model.setEntities(names.compactMap { model.entitiesByName[$0] }, forConfigurationName: "One")
            return model
        }
        try withTemporaryFolder { folder in
            let url = try #require(kind.url(in: folder))
            func open(_ model: NSManagedObjectModel) throws {
                var options = Self.both
                options[NSMigrationKnownVersionsOption] = [ModelText.model("entity Item\n  name string")]
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                try coordinator.remove(
                    coordinator.addPersistentStore(
                        ofType: kind.type, configurationName: "One", at: url, options: options))
            }
            try open(model([]))
            let error = #expect(throws: NSError.self) { try open(model(["Item"])) }
            #expect(error?.code == NSMigrationMissingSourceModelError)
        }
    }

    @Test("a mapping model among the resources is used", arguments: kinds)
    func mapped(_ kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let files = try Files(folder, kind, mapping: true)
            try files.migrate(to: ModelText.model(MappedMigrationFixture.newer))
            #expect(
                try files.fixture.books(at: files.url, type: kind.type) == MappedMigrationFixture.expectedBooks(40))
            #expect(files.names == [files.url.lastPathComponent])
        }
    }

    @Test("a migration that is impossible, fails or is cancelled leaves the file as it was", arguments: kinds)
    func failing(_ kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let files = try Files(folder, kind)
            let before = files.content
            func failure(_ text: String, _ options: [AnyHashable: Any] = Self.both) throws -> NSError {
                let error = try #require(throws: NSError.self) {
                    try files.migrate(to: ModelText.model(text), options)
                }
                #expect(files.content == before && files.names == [files.url.lastPathComponent])
                return error
            }
            let text = Self.inferred
            // "pages" up to 39 fit no flag.
            let unfit = try failure(text.replacingOccurrences(of: "pages double", with: "pages bool"))
            #expect(unfit.code == NSMigrationError)
            #expect(unfit.userInfo["entity"] as? String == "Book" && unfit.userInfo["property"] as? String == "pages")
            let impossible = try failure(text.replacingOccurrences(of: "pages double", with: "pages date"))
            #expect(impossible.code == NSInferredMappingModelError)
            #expect(impossible.userInfo["property"] as? String == "pages")
            let invalid = try failure(text.replacingOccurrences(of: "note string! = none", with: "note string!"))
            #expect(invalid.code == NSMigrationError)
            let mapping = [NSMigratePersistentStoresAutomaticallyOption: true]
            #expect(try failure(text, mapping).code == NSMigrationMissingMappingModelError)
            let progress = Progress(totalUnitCount: 1)
            progress.cancel()
            var options = Self.both
            options[NSMigrationProgressOption] = progress
            #expect(try failure(text, options).code == NSMigrationCancelledError)
            options = Self.both
            options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager([])
            #expect(try failure(text, options).code == NSMigrationError)
        }
    }

    @Test("adding a file of another version reports the events of its migration")
    func events() throws {
        let models = try NSManagedObjectModel.listedVersions(in: nil).map { try $0.load() }
        try #require(models.count > 1, "the program has resources with versions of a model")
        let pairs = models.flatMap { older in models.map { (older, $0) } }
        let (older, newer) = try #require(
            pairs.first { older, newer in
                older.versionChecksum != newer.versionChecksum
                    && (try? ModelDifference(from: older.layout, to: newer.layout))?.changes.isEmpty == false
            })
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("store.xml")
            for model in [older, newer] {
                let monitor = MigrationMonitor()
                var options = Self.both
                options[NSMigrationProgressOption] = monitor.progress
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                try coordinator.remove(
                    coordinator.addPersistentStore(
                        ofType: NSXMLStoreType, configurationName: nil, at: url, options: options))
                #expect(monitor.latest?.stage == (model === newer ? .done : nil))
            }
        }
    }

    @Test("opening a store removes the remains of a killed migration beside it", arguments: kinds)
    func remains(_ kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let files = try Files(folder, kind)
            let place = MigrationFolder.url(for: SQLiteStoreFiles(files.url).main).appendingPathComponent("step-1")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try Data([1]).write(to: place.appendingPathComponent(files.url.lastPathComponent))
            let count = try withStore(files.url, ModelText.model(MappedMigrationFixture.older), type: kind.type) {
                try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
            }
            #expect(count == 40)
            #expect(files.names == [files.url.lastPathComponent])
        }
    }

    @Test("The forecast says that the file is rewritten, and names the obstacles", arguments: kinds)
    func forecast(_ kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let files = try Files(folder, kind)
            func forecast(_ text: String) throws -> MigrationForecast {
                try NSPersistentStoreCoordinator.migrationForecast(
                    forPersistentStoreAt: files.url, to: ModelText.model(text), through: [files.fixture.olderModel])
            }
            let needed = try forecast(Self.inferred)
            #expect(needed.isMigrationRequired && needed.isPossible && !needed.isInstant)
            #expect(needed.hops.count == 1)
            #expect(needed.hops.first?.steps.map(\.summary) == ["rewrite of the file"])
            #expect(needed.bytes == Int64(files.content.count))
            #expect(needed.rows == (kind == .atomic ? 0 : 125))
            #expect(needed.diskSpaceNeeded > needed.bytes)
            #expect(try !forecast(MappedMigrationFixture.older).isMigrationRequired)
            let impossible = try forecast(
                Self.inferred.replacingOccurrences(of: "pages double", with: "pages date"))
            #expect(impossible.obstacles.map(\.property) == ["pages"])
        }
    }

    @Test(
        "a migration manager goes from any type of store to any other",
        arguments: Sample.slice(pairs, oneIn: 4, "pairs"))
    func between(_ pair: [StoreKind]) throws {
        let (source, target) = (pair[0], pair[1])
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 0)
            let url = try #require(source.url(in: folder.appendingPathComponent("a")))
            let end = try #require(target.url(in: folder.appendingPathComponent("b")))
            for url in [url, end] {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            }
            try withStore(url, ModelText.model(MappedMigrationFixture.older), type: source.type) { context in
                try MappedMigrationFixture.fill(context, books: 100, authors: 3)
            }
            try fixture.manager().migrateStore(
                from: url, sourceType: source.type, options: nil, with: fixture.mapping(), toDestinationURL: end,
                destinationType: target.type, destinationOptions: nil)
            #expect(
                try fixture.books(at: end, type: target.type) == MappedMigrationFixture.expectedBooks(100, authors: 3))
            let names = try FileManager.default.contentsOfDirectory(atPath: end.deletingLastPathComponent().path)
            #expect(names == [end.lastPathComponent])
            // Keys continue in the store that was made.
            try withStore(end, ModelText.model(MappedMigrationFixture.newer), type: target.type) { context in
                let book = MappedMigrationFixture.make("Book", ["heading": "new"], context)
                book.setValue(
                    try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")).first, forKey: "author")
                try context.save()
                #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 101)
            }
        }
    }
}
