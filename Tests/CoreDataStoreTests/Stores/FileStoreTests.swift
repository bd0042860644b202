import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Proof: our XML stores, read here.
/// Proof: our binary stores, read here.
@Suite("Stores of the types binary and XML", .leavesNothingBehind)
struct FileStoreTests {
    private static let kinds = [StoreKind.binary, .xml]

    private func fill(_ library: Library) throws {
        let context = library.context()
        try context.performAndWait {
            let parcel = context.make(
                "Parcel",
                [
                    "name": "a <b> & \"c\"\r\n\t ü 📦",
                    "price": NSDecimalNumber(string: "-1234567890.12345678901234567"),
                    "code": UUID(uuidString: "8D8AC610-566D-4EF0-9C22-186B2A5ED793")!,
                    "link": URL(string: "https://example.org/a?b=c&d=%20")!, "content": Data([0, 1, 255]),
                    "size": ["width": 2.5, "unit": ["name": "cm"]] as [String: Any],
                ])
            for weight in [1.0, 0.1, 1e-20] { context.make("Item", ["weight": weight, "parcel": parcel]) }
            try context.save()
        }
    }

    @Test("A large file is opened again", arguments: kinds)
    func large(kind: StoreKind) throws {
        let library = try Library(kind, model: ParcelModel.make())
        let context = library.context()
        let text = String(repeating: "twelve bytes", count: 20_000)
        try context.performAndWait {
            for number in 0..<20 { context.make("Parcel", ["name": text + "\(number)"]) }
            try context.save()
        }
        let again = try Library(kind, in: library.folder, model: ParcelModel.make()).context()
        try again.performAndWait {
            let names = Set(try again.all("Parcel").compactMap { $0.value(forKey: "name") as? String })
            #expect(names == Set((0..<20).map { text + "\($0)" }))
        }
    }

    @Test(
        "Values of every type, composite attributes and relationships come back when the file is opened",
        arguments: kinds)
    func values(kind: StoreKind) throws {
        let library = try Library(kind, model: ParcelModel.make())
        try fill(library)
        let again = try Library(kind, in: library.folder, model: ParcelModel.make())
        #expect(again.store.type == kind.type)
        let context = again.context()
        try context.performAndWait {
            let parcel = try #require(try context.all("Parcel").first)
            #expect(parcel.value(forKey: "name") as? String == "a <b> & \"c\"\r\n\t ü 📦")
            let price = parcel.value(forKey: "price") as? NSDecimalNumber
            #expect(price == NSDecimalNumber(string: "-1234567890.12345678901234567"))
            #expect((parcel.value(forKey: "code") as? UUID)?.uuidString == "8D8AC610-566D-4EF0-9C22-186B2A5ED793")
            #expect((parcel.value(forKey: "link") as? URL)?.absoluteString == "https://example.org/a?b=c&d=%20")
            #expect(parcel.value(forKey: "content") as? Data == Data([0, 1, 255]))
            #expect(parcel.value(forKeyPath: "size.unit.name") as? String == "cm")
            #expect(parcel.value(forKeyPath: "size.width") as? Double == 2.5)
            #expect(parcel.value(forKey: "upper") as? String == "A <B> & \"C\"\r\n\t Ü 📦")
            let items = try #require(parcel.value(forKey: "items") as? Set<NSManagedObject>)
            #expect(items.compactMap { $0.value(forKey: "weight") as? Double }.sorted() == [1e-20, 0.1, 1])
            #expect(items.allSatisfy { $0.value(forKey: "parcel") as? NSManagedObject == parcel })
        }
    }

    @Test(
        "A number is given once, also after the record that had it is gone and the file was opened again",
        arguments: kinds)
    func numbers(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        let gone = try context.performAndWait {
            let tag = context.make("Tag", ["name": "1"])
            try context.save()
            let uri = tag.objectID.uriRepresentation()
            context.delete(tag)
            try context.save()
            return uri
        }
        let again = try Library(kind, in: library.folder)
        let other = again.context()
        try other.performAndWait {
            let tag = other.make("Tag", ["name": "2"])
            try other.save()
            #expect(tag.objectID.uriRepresentation() != gone)
            let id = try #require(again.coordinator.managedObjectID(forURIRepresentation: gone))
            let error = #expect(throws: NSError.self) { _ = try other.existingObject(with: id) }
            #expect(error?.code == NSManagedObjectReferentialIntegrityError)
        }
    }

    @Test("Metadata are read and set without opening the store; the records stay", arguments: kinds)
    func metadata(kind: StoreKind) throws {
        let library = try Library(kind, model: ParcelModel.make())
        let url = try #require(library.store.url)
        let new = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: kind.type, at: url)
        #expect((new[NSStoreModelVersionHashesKey] as? [String: Data])?.count == 2)
        let elsewhere = url.deletingLastPathComponent().appendingPathComponent("elsewhere")
        let missing = #expect(throws: NSError.self) {
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: kind.type, at: elsewhere)
        }
        #expect(missing?.code == CocoaError.Code.fileReadNoSuchFile.rawValue)
        library.store.metadata["mine"] = ["a <b>", 1, 2.5, true, Data([1, 2])] as [Any]
        try fill(library)
        var read = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: kind.type, at: url)
        #expect(read[NSStoreTypeKey] as? String == kind.type)
        #expect(read[NSStoreUUIDKey] as? String == library.store.identifier)
        #expect((read[NSStoreModelVersionHashesKey] as? [String: Data])?.count == 2)
        let mine = try #require(read["mine"] as? [Any])
        #expect(mine[0] as? String == "a <b>")
        #expect((mine[2] as? NSNumber)?.doubleValue == 2.5)
        #expect(mine[4] as? Data == Data([1, 2]))
        read["mine"] = "no"
        try NSPersistentStoreCoordinator.setMetadata(read, forPersistentStoreOfType: kind.type, at: url)
        let again = try Library(kind, in: library.folder, model: ParcelModel.make())
        #expect(again.store.metadata["mine"] as? String == "no")
        let context = again.context()
        let count = try context.performAndWait { try context.all("Item").count }
        #expect(count == 3)
    }

    @Test("A file of another kind is error 259 and stays as it is", arguments: kinds)
    func otherFiles(kind: StoreKind) throws {
        let plist = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
        let contents = [
            Data("SQLite format 3".utf8), Data("<?xml version=\"1.0\"?><database></database>".utf8), plist,
            Data("<database><databaseInfo></databaseInfo><object type=\"TAG\" id=\"7\"/></database>".utf8),
            Data("<database><databaseInfo></databaseInfo><object type=\"TAG\" id=\"z7\">".utf8),
        ]
        for content in contents {
            let folder = try TemporaryFolder()
            let url = try #require(kind.url(in: folder.url))
            try content.write(to: url)
            let error = #expect(throws: NSError.self) { _ = try Library(kind, in: folder) }
            #expect(error?.code == CocoaError.Code.fileReadCorruptFile.rawValue)
            #expect(error?.localizedDescription.contains(url.lastPathComponent) == true)
            #expect(try Data(contentsOf: url) == content)
        }
    }

    @Test("A store without an address cannot be made, and one that is not there cannot be read only", arguments: kinds)
    func addresses(kind: StoreKind) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let error = #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: nil)
        }
        #expect(error?.code == NSPersistentStoreOpenError)
        let missing = #expect(throws: NSError.self) {
            _ = try Library(kind, options: [NSReadOnlyPersistentStoreOption: true])
        }
        #expect(missing?.code == CocoaError.Code.fileReadNoSuchFile.rawValue)
    }

    @Test("A store continues at another address once it was given one", arguments: kinds)
    func movedByAddress(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            context.make("Tag", ["name": "1"])
            try context.save()
        }
        let target = try TemporaryFolder()
        let url = try #require(kind.url(in: target.url))
        #expect(library.coordinator.setURL(url, for: library.store))
        try context.performAndWait {
            context.make("Tag", ["name": "2"])
            try context.save()
        }
        let (old, new) = (try Library(kind, in: library.folder), try Library(kind, in: target))
        let counts = try [old, new].map { library in
            let context = library.context()
            return try context.performAndWait { try context.all("Tag").count }
        }
        #expect(counts == [1, 2])
        let other = try Library(.sqlite)
        #expect(!other.coordinator.setURL(url, for: library.store))
    }

    @Test("An XML store is written in the format of Apple's, with the names in its case")
    func xmlText() throws {
        let library = try Library(.xml)
        let context = library.context()
        try context.performAndWait {
            let author = context.make(
                "Author", ["name": "A & B", "joined": Date(timeIntervalSinceReferenceDate: 1.25)])
            context.make("Book", ["title": "T", "pages": 10, "author": author])
            try context.save()
        }
        let text = try String(contentsOf: try #require(library.store.url), encoding: .utf8)
        #expect(text.hasPrefix("<?xml version=\"1.0\" standalone=\"yes\"?>\n<!DOCTYPE database SYSTEM "))
        #expect(text.contains("<nextObjectID>103</nextObjectID>"))
        #expect(text.contains("<UUID>\(library.store.identifier ?? "")</UUID>"))
        #expect(!text.contains(NSStoreUUIDKey) && !text.contains(NSStoreTypeKey))
        #expect(text.contains("<attribute name=\"name\" type=\"string\">A &amp; B</attribute>"))
        #expect(text.contains("<attribute name=\"joined\" type=\"date\">1.25</attribute>"))
        #expect(text.contains("/1\" destination=\"AUTHOR\" idrefs=\"z10"))
        #expect(text.contains("<object type=\"BOOK\" id=\"z"))
        #expect(text.contains("destination=\"TAG\"></relationship>"))
    }

    @Test("An XML store with a link to an object of another entity is damaged, and the error names the link")
    func linkToOther() throws {
        let library = try Library(.xml)
        let context = library.context()
        try context.performAndWait {
            context.make("Book", ["title": "T", "pages": 10, "author": context.make("Author", ["name": "A"])])
            context.make("Tag", ["name": "t"])
            try context.save()
        }
        let url = try #require(library.store.url)
        let text = try String(contentsOf: url, encoding: .utf8)
        let tag = try #require(text.firstMatch(of: /type="TAG" id="(z\d+)"/)).output.1
        let changed = text.replacing(/(destination="AUTHOR" idrefs=")z\d+/) { "\($0.output.1)\(tag)" }
        #expect(changed != text)
        try Data(changed.utf8).write(to: url)
        let error = #expect(throws: NSError.self) { try Library(.xml, in: library.folder) }
        #expect(error?.code == CocoaError.Code.fileReadCorruptFile.rawValue)
        let words = error?.localizedDescription ?? ""
        #expect(words.contains("“author”") && words.contains("leads to an object of “Tag”"), "\(words)")
    }

    @Test("A control character, which XML cannot hold, stops the save of an XML store; nothing is written")
    func controlCharacters() throws {
        let library = try Library(.xml)
        let context = library.context()
        try context.performAndWait {
            let tag = context.make("Tag", ["name": "a\u{1}b"])
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSPersistentStoreSaveError)
            #expect(error?.localizedDescription.contains("'name'") == true)
            #expect(try library.saved("Tag", "name").isEmpty)
            tag.setValue("ab", forKey: "name")
            try context.save()
        }
    }

    @Test("So does one in an element of a composite attribute, and one in a name")
    func controlCharactersElsewhere() throws {
        let library = try Library(.xml, model: ParcelModel.make())
        let context = library.context()
        context.performAndWait {
            let parcel = context.make("Parcel", ["size": ["unit": ["name": "c\u{1}m"]] as [String: Any]])
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSPersistentStoreSaveError)
            #expect(error?.localizedDescription.contains("'size.unit.name' of the entity 'Parcel'") == true)
            context.delete(parcel)
        }
        let entity = SampleModels.entity("Tag")
        entity.properties = [SampleModels.attribute("a\u{1}b", .stringAttributeType)]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let url = library.folder.url.appendingPathComponent("Named.xml")
        try withStore(url, model, type: NSXMLStoreType) { context in
            context.make("Tag", ["a\u{1}b": "c"])
            #expect(throws: NSError.self) { try context.save() }
        }
        // Nothing that cannot be opened was written.
        try withStore(url, model, type: NSXMLStoreType) { context in
            let tags = try context.all("Tag")
            #expect(tags.isEmpty)
        }
    }

    /// A property list that a reader does not take; most stores take all but lists that are nested deeply.
    private func unreadable(_ name: String, _ kind: StoreKind) -> Any {
        switch (kind, name) {
        case (.xml, "control character"): "a\u{1}b"
        case (.xml, "date"): Date(timeIntervalSinceReferenceDate: 1e17)
        default: (0..<600).reduce([] as [Any]) { list, _ in [list] }
        }
    }

    @Test(
        "Metadata that could not be read again are refused: the file stays, and so do its objects",
        arguments: kinds + [.sqlite], ["control character", "date", "depth"])
    func unreadableMetadata(kind: StoreKind, name: String) throws {
        let library = try Library(kind)
        let context = library.context()
        let value = unreadable(name, kind)
        try context.performAndWait {
            context.make("Tag", ["name": "a"])
            try context.save()
            library.coordinator.setMetadata(["mine": value], for: library.store)
            context.make("Tag", ["name": "b"])
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSPersistentStoreSaveError)
        }
        let url = try #require(library.store.url)
        let error = #expect(throws: NSError.self) {
            try NSPersistentStoreCoordinator.setMetadata(
                ["mine": value], forPersistentStoreOfType: kind.type, at: url)
        }
        #expect(error?.code == NSPersistentStoreSaveError)
        #expect(try library.saved("Tag", "name") == ["a"])
    }

    @Test("Metadata of an XML store keep carriage returns and the largest numbers")
    func metadataValues() throws {
        let library = try Library(.xml)
        let context = library.context()
        try context.performAndWait {
            library.coordinator.setMetadata(["text": "a\r\nb\r", "number": UInt64.max], for: library.store)
            context.make("Tag", ["name": "a"])
            try context.save()
        }
        let metadata = try library.beside().store.metadata
        #expect(metadata?["text"] as? String == "a\r\nb\r")
        #expect((metadata?["number"] as? NSNumber)?.uint64Value == .max)
    }

    @Test(
        "The framework's own metadata stays when a program sets its metadata: another version is refused",
        arguments: kinds + [.sqlite, .atomic])
    func ownMetadata(kind: StoreKind) throws {
        let library = try Library(kind, model: LibraryModel.make())
        let context = library.context()
        try context.performAndWait {
            library.coordinator.setMetadata(["mine": 1], for: library.store)
            context.make("Tag", ["name": "a"])
            try context.save()
        }
        let other = LibraryModel.make()
        other.entitiesByName["Tag"]?.properties.append(SampleModels.attribute("more", .stringAttributeType))
        let error = #expect(throws: NSError.self) { try Library(kind, in: library.folder, model: other) }
        #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
        #expect(try library.beside().store.metadata?["mine"] as? Int == 1)
    }

    @Test(
        "A link that leads to nothing yet, or to an empty file, is the place of a new store there",
        arguments: kinds + [.sqlite], [false, true])
    func links(kind: StoreKind, isEmpty: Bool) throws {
        let folder = try TemporaryFolder()
        let link = folder.url.appendingPathComponent("link")
        let target = folder.url.appendingPathComponent("target")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "target")
        if isEmpty { try Data().write(to: target) }
        let model = LibraryModel.make()
        try withStore(link, model, type: kind.type) { context in
            context.make("Tag", ["name": "a"])
            try context.save()
        }
        #expect(ForeignFile.link.lies(at: link))
        try withStore(target, model, type: kind.type) { context in
            let tags = try context.all("Tag")
            #expect(tags.count == 1)
        }
    }

    @Test("Entities that differ in case only stand in an XML store by the names that the model gives them")
    func namesInCase() throws {
        let model = NSManagedObjectModel()
        model.entities = [SampleModels.entity("Tag"), SampleModels.entity("TAG"), SampleModels.entity("Book")]
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("a.xml")
        try withStore(url, model, type: NSXMLStoreType) { context in
            for entity in model.entities {
                _ = NSEntityDescription.insertNewObject(forEntityName: entity.name ?? "", into: context)
            }
            try context.save()
        }
        let text = try String(contentsOf: url, encoding: .utf8)
        for name in ["Tag", "TAG", "BOOK"] { #expect(text.components(separatedBy: "type=\"\(name)\"").count == 2) }
        try withStore(url, model, type: NSXMLStoreType) { context in
            for entity in model.entities {
                let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity.name ?? ""))
                #expect(count == 1, "\(entity.name ?? "")")
            }
        }
    }
}
