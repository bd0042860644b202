import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Writes down the calls for its nodes, and keeps nothing.
final class NodeLogStore: NSAtomicStore, @unchecked Sendable {  // called by one thread at a time
    private(set) var log: [String] = []

    override var type: String { "NodeLogStore" }
    override func load() throws {}
    override func save() throws {}
    override func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }

    override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        log.append("new")
        return NSAtomicStoreCacheNode(objectID: managedObject.objectID)
    }

    override func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        log.append("update with \(cacheNodes().count) nodes")
    }
}

@Suite("Atomic stores that a program writes", .leavesNothingBehind)
struct AtomicStoreTests {
    /// An author with two books and a tag, saved.
    private func filled(_ library: Library) throws {
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            let tag = context.make("Tag", ["name": "t"])
            context.make("Book", ["title": "1", "pages": 10, "author": author, "tags": NSSet(array: [tag])])
            context.make("Novel", ["title": "2", "pages": 20, "genre": "g", "author": author])
            try context.save()
        }
    }

    @Test("A link to an object of another entity is an error, wherever it is read", arguments: ["author", "books"])
    func linksToOthers(name: String) throws {
        let library = try Library(.atomic)
        try filled(library)
        let url = try #require(library.store.url)
        var list = try #require(
            PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil) as? [String: Any])
        var records = try #require(list["records"] as? [String: [String: [String: Any]]])
        let tag = try #require(records["Tag"]?.keys.first)
        let owner = name == "author" ? "Book" : "Author"
        let reference = try #require(records[owner]?.keys.first)
        records[owner]?[reference]?[name] = ["Tag/\(tag)"]
        list["records"] = records
        try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0).write(to: url)
        let context = try Library(.atomic, in: library.folder).context()
        try context.performAndWait {
            func expectError(_ body: () throws -> Void) {
                let error = #expect(throws: NSError.self) { try context.readingFaults(body) }
                #expect(error?.localizedDescription.contains("a node of 'Tag'") == true, "\(error as Any)")
            }
            if name == "author" {
                expectError { _ = try context.all("Book") }
            } else {
                let author = try #require(try context.all("Author").first)
                expectError { _ = (author.value(forKey: name) as? Set<NSManagedObject>)?.count }
                context.delete(author)
                expectError { try context.save() }
            }
        }
    }

    @Test(
        "A saved object is there when the store is opened again, under the same id",
        arguments: StoreKind.sampled().filter(\.keepsRecords))
    func reopening(kind: StoreKind) throws {
        let library = try Library(kind)
        try filled(library)
        let context = library.context()
        let uris = try context.performAndWait { try context.all("Book").map { $0.objectID.uriRepresentation() } }
        let again = try Library(kind, in: library.folder)
        #expect(again.store.identifier == library.store.identifier)
        let other = again.context()
        try other.performAndWait {
            let books = try other.all("Book")
            #expect(Set(books.map { $0.objectID.uriRepresentation() }) == Set(uris))
            #expect(Set(books.map { $0.entity.name }) == ["Book", "Novel"])
            for uri in uris {
                let id = try #require(again.coordinator.managedObjectID(forURIRepresentation: uri))
                let book = try other.existingObject(with: id)
                #expect(books.contains(book))
                #expect((book.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String == "A")
            }
            #expect(try other.all("Novel", "genre == 'g' AND author.name == 'A'").count == 1)
            #expect(try other.all("Tag", "ANY books.title == '1'").count == 1)
        }
    }

    @Test("A save that the store cannot write throws its error, and the records are as before")
    func failingSave() throws {
        let library = try Library(.atomic)
        try filled(library)
        let url = try #require(library.store.url)
        let context = library.context()
        try context.performAndWait {
            let book = try #require(try context.all("Book", "title == '1'").first)
            book.setValue("changed", forKey: "title")
            context.make("Book", ["title": "new"])
            context.delete(try #require(try context.all("Tag").first))
            PropertyListStore.failNextSave(at: url)
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == CocoaError.Code.fileWriteOutOfSpace.rawValue)
            #expect(context.hasChanges)
        }
        let beside = library.context()
        try beside.performAndWait {
            let titles = try beside.all("Book").map { $0.value(forKey: "title") as? String }
            #expect(Set(titles) == ["1", "2"])
            #expect(try beside.all("Tag", "ANY books.title == '1'").count == 1)
        }
        try context.performAndWait { try context.save() }
        let again = try Library(.atomic, in: library.folder).context()
        try again.performAndWait {
            let titles = try again.all("Book").map { $0.value(forKey: "title") as? String }
            #expect(Set(titles) == ["changed", "2", "new"])
            #expect(try again.all("Tag").isEmpty)
        }
    }

    @Test("A node of a new object is updated, too, when all new objects have their nodes")
    func updatedNodes() throws {
        NSPersistentStoreCoordinator.registerStoreClass(NodeLogStore.self, forStoreType: "NodeLogStore")
        defer { NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: "NodeLogStore") }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let store = try #require(
            try coordinator.addPersistentStore(ofType: "NodeLogStore", configurationName: nil, at: nil) as? NodeLogStore
        )
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        try context.performAndWait {
            context.persistentStoreCoordinator = coordinator
            for name in ["a", "b"] { context.make("Tag", ["name": name]) }
            try context.save()
        }
        #expect(store.log == ["new", "new", "update with 2 nodes", "update with 2 nodes"])
    }

    @Test("The metadata are kept with the records, and are read and set without opening the store")
    func metadata() throws {
        let library = try Library(.atomic)
        let url = try #require(library.store.url)
        var metadata = library.coordinator.metadata(for: library.store)
        #expect(metadata[NSStoreTypeKey] as? String == PropertyListStore.storeType)
        #expect(metadata[NSStoreUUIDKey] as? String == library.store.identifier)
        metadata["mine"] = "yes"
        library.coordinator.setMetadata(metadata, for: library.store)
        try filled(library)
        let type = PropertyListStore.storeType
        var read = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
        #expect(read["mine"] as? String == "yes")
        #expect(read[NSStoreUUIDKey] as? String == library.store.identifier)
        #expect((read[NSStoreModelVersionHashesKey] as? [String: Data])?.count == 6)
        read["mine"] = "no"
        try NSPersistentStoreCoordinator.setMetadata(read, forPersistentStoreOfType: type, at: url)
        let again = try Library(.atomic, in: library.folder)
        #expect(again.store.metadata["mine"] as? String == "no")
        #expect(again.store.identifier == library.store.identifier)
    }

    @Test("A store of another version of the model is refused with error 134100")
    func otherModel() throws {
        let library = try Library(.atomic)
        try filled(library)
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.versionHashModifier = "2"
        let error = #expect(throws: NSError.self) { _ = try Library(.atomic, in: library.folder, model: model) }
        #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
        #expect(error?.localizedDescription.contains("Tag") == true)
        let ignoring = try Library(
            .atomic, in: library.folder, model: LibraryModel.make(),
            options: [NSIgnorePersistentStoreVersioningOption: true])
        #expect(ignoring.store.url == library.store.url)
    }

    @Test(
        "A store opened for reading only refuses to be saved with error 513",
        arguments: StoreKind.sampled().filter(\.keepsRecords))
    func readOnly(kind: StoreKind) throws {
        let library = try Library(kind)
        try filled(library)
        let readOnly = try Library(kind, in: library.folder, options: [NSReadOnlyPersistentStoreOption: true])
        #expect(readOnly.store.isReadOnly)
        let context = readOnly.context()
        try context.performAndWait {
            let book = try #require(try context.all("Book").first)
            book.setValue("x", forKey: "title")
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSFileWriteNoPermissionError)
            context.rollback()
            context.make("Book", ["title": "y"])
            let another = #expect(throws: NSError.self) { try context.save() }
            #expect(another?.code == NSFileWriteNoPermissionError)
        }
    }

    @Test("Destroying and replacing a store work on its one file")
    func files() throws {
        let (library, other) = (try Library(.atomic), try Library(.atomic))
        try filled(library)
        let (url, target) = (try #require(library.store.url), try #require(other.store.url))
        try other.coordinator.replacePersistentStore(
            at: target, withPersistentStoreFrom: url, ofType: PropertyListStore.storeType)
        #expect(other.coordinator.persistentStores.isEmpty)
        let copy = try Library(.atomic, in: other.folder)
        let context = copy.context()
        let count = try context.performAndWait { try context.all("Book").count }
        #expect(count == 2)
        try copy.coordinator.destroyPersistentStore(at: target, ofType: PropertyListStore.storeType)
        #expect(!FileManager.default.fileExists(atPath: target.path))
        #expect(copy.coordinator.persistentStores.isEmpty)
    }

    @Test(
        "A fetch by a key that the entity has not throws", arguments: StoreKind.sampled().filter { $0 != .incremental })
    func unknownKey(kind: StoreKind) throws {
        let library = try Library(kind)
        try filled(library)
        let context = library.context()
        context.performAndWait {
            let error = #expect(throws: NSError.self) { try context.all("Book", "colour == 1") }
            #expect(error?.localizedDescription.contains("colour") == true)
        }
    }

    @Test(
        "Dictionaries are grouped, counted and made distinct alike",
        arguments: StoreKind.sampled().filter { $0 != .incremental })
    func dictionaries(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            for (title, pages) in [("a", 1), ("a", 2), ("b", 3), ("b", 3)] {
                context.make("Book", ["title": title, "pages": pages])
            }
            try context.save()
            func column(_ name: String, _ function: String) -> NSExpressionDescription {
                let column = NSExpressionDescription()
                column.name = name
                column.expression = NSExpression(
                    forFunction: function, arguments: [NSExpression(forKeyPath: "pages")])
                column.expressionResultType = .integer64AttributeType
                return column
            }
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
            request.propertiesToFetch = ["title", column("sum", "sum:"), column("number", "count:")]
            request.propertiesToGroupBy = ["title"]
            let groups = try context.fetch(request)
            #expect(groups.map { $0["title"] as? String } == ["b", "a"])
            #expect(groups.map { $0["sum"] as? Int } == [6, 3])
            #expect(groups.map { $0["number"] as? Int } == [2, 2])
            request.sortDescriptors = nil
            request.propertiesToGroupBy = nil
            request.propertiesToFetch = [column("most", "max:")]
            #expect(try context.fetch(request).map { $0["most"] as? Int } == [3])
            request.propertiesToFetch = ["title"]
            request.returnsDistinctResults = true
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            #expect(try context.fetch(request).map { $0["title"] as? String } == ["a", "b"])
        }
    }

    @Test("A node of a file has its values before and after a failed save", arguments: [StoreKind.xml, .binary])
    func nodesOfFiles(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let book = context.make("Book", ["title": "1", "cover": Data([1, 2]), "pages": 3])
            try context.save()
            let store = try #require(library.store as? NSAtomicStore)
            let node = try #require(store.cacheNode(for: book.objectID))
            func expectNode(_ title: String, _ cover: Data?) {
                #expect(node.value(forKey: "title") as? String == title && node.value(forKey: "pages") as? Int == 3)
                #expect(node.value(forKey: "cover") as? Data == cover)
                #expect(node.propertyCache?["title"] as? String == title)
                #expect(node.propertyCache?["cover"] as? Data == cover)
                #expect(node.value(forKey: "note") == nil)
                #expect(node.value(forKey: "objectID") as? NSManagedObjectID == book.objectID)
            }
            expectNode("1", Data([1, 2]))
            node.propertyCache?["title"] = "changed"
            expectNode("1", Data([1, 2]))
            // A folder in the place of the file lets no save replace it.
            let url = try #require(library.store.url)
            let beside = url.appendingPathExtension("moved")
            try FileManager.default.moveItem(at: url, to: beside)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            book.setValue("2", forKey: "title")
            book.setValue(nil, forKey: "cover")
            #expect(throws: NSError.self) { try context.save() }
            expectNode("1", Data([1, 2]))
            try FileManager.default.removeItem(at: url)
            try FileManager.default.moveItem(at: beside, to: url)
            try context.save()
            expectNode("2", nil)
        }
    }

    @Test("A type that no class is registered for is error 134000, and the registered ones are listed")
    func registration() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let error = #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(ofType: "Unheard", configurationName: nil, at: nil)
        }
        #expect(error?.code == NSPersistentStoreInvalidTypeError)
        _ = StoreKind.atomic.type
        let types = NSPersistentStoreCoordinator.registeredStoreTypes
        #expect(Set(types.keys).isSuperset(of: ["SQLite", "InMemory", PropertyListStore.storeType]))
        NSPersistentStoreCoordinator.registerStoreClass(PropertyListStore.self, forStoreType: "Passing")
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes["Passing"] != nil)
        NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: "Passing")
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes["Passing"] == nil)
    }

    @Test("A class that is neither an atomic nor an incremental store cannot be registered")
    func wrongClass() async {
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            NSPersistentStoreCoordinator.registerStoreClass(NSManagedObject.self, forStoreType: "Wrong")
        }
        #expect(end.said("it is neither a subclass of NSAtomicStore nor of NSIncrementalStore"))
    }

    @Test("A subclass that lacks a method it has to have stops the process with the method's name")
    func abstractMethod() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Empty: NSAtomicStore, @unchecked Sendable {}
            NSPersistentStoreCoordinator.registerStoreClass(Empty.self, forStoreType: "Empty")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
            try coordinator.addPersistentStore(
                ofType: "Empty", configurationName: nil, at: URL(fileURLWithPath: "/nowhere"))
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Empty.load(): method only defined for abstract class"))
    }
}
