import CoreData
import CoreDataManager
import TestSupport
import Testing

@Suite("Size lint")
struct ValueSizeLintTests {
    /// A photo with its picture in the row, in a table of its own, and in a file.
    private static let text = """
        entity Photo
          title string
          inRow data
          taken date
          place string
          inFile data external
          original one Original.photo
        entity Original
          pixels data
          photo one Photo.original
        """

    @Test("The attributes of a model that may grow without limit in a row are listed")
    func model() {
        let report = ValueSizeLint().check(model: ModelText.model(Self.text), named: "Photos")
        #expect(report.findings == [.init(entity: "Photo", attribute: "inRow", remedy: .limitOrMove)])
        #expect(report.description.hasPrefix("Photos:\n  Photo.inRow: values of any size lie in the rows"))
    }

    @Test("An entity with relationships of its own is no place for large values, and subentities share their table")
    func tablesOfTheirOwn() {
        let text = """
            entity Person
              name string
              picture data
              friends many Person.friends
            entity Letter
              pixels data
              sender one Person
            abstract entity Asset
              bytes data
              photo one Photo.asset
            entity Clip : Asset
              length int32
              codec string
              place string
            entity Photo
              asset one Asset.photo
            """
        let report = ValueSizeLint().check(model: ModelText.model(text))
        #expect(report.findings.map { "\($0.entity).\($0.attribute)" } == ["Asset.bytes", "Person.picture"])
    }

    @Test("Long texts and transformed values are measured, too")
    func textsAndTransformed() throws {
        try withTemporaryFolder { (folder: URL) throws in
            let url = folder.appendingPathComponent("n.sqlite")
            let model = ModelText.model(
                """
                entity Page
                  body string
                  marks data
                """)
            let marks = model.entitiesByName["Page"]?.attributesByName["marks"]
            marks?.attributeType = .transformableAttributeType
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                let page = NSEntityDescription.insertNewObject(forEntityName: "Page", into: context)
                page.setValue(String(repeating: "a", count: 1_048_577), forKey: "body")
                page.setValue(NSString(string: String(repeating: "b", count: 200_000)), forKey: "marks")
                try context.save()
            }
            try coordinator.remove(store)
            let report = try ValueSizeLint().check(storeAt: url, model: model)
            #expect(report.findings.map(\.attribute) == ["body", "marks"])
            #expect(report.findings.map(\.remedy) == [.externalData, .ownEntity])
            #expect(report.measured == 2)
            #expect(report.description.contains("keep it as binary data with external storage"))
        }
    }

    private func withStore(
        row: Int, table: Int, file: Int, _ body: (ValueSizeLint.Report) throws -> Void
    ) throws {
        try withTemporaryFolder { (folder: URL) throws in
            let url = folder.appendingPathComponent("photos.sqlite")
            let model = ModelText.model(Self.text)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
                let original = NSEntityDescription.insertNewObject(forEntityName: "Original", into: context)
                photo.setValue(Data(count: row), forKey: "inRow")
                photo.setValue(Data(count: file), forKey: "inFile")
                photo.setValue("a title", forKey: "title")
                original.setValue(Data(count: table), forKey: "pixels")
                photo.setValue(original, forKey: "original")
                try context.save()
            }
            try coordinator.remove(store)
            try body(ValueSizeLint().check(storeAt: url, model: model))
        }
    }

    @Test("Values that fit their place are not mentioned")
    func fitting() throws {
        try withStore(row: 100 * 1_024, table: 1_024 * 1_024, file: 3 << 20) { report in
            #expect(report.findings.isEmpty)
            #expect(report.measured == 4)
            #expect(report.description == "photos.sqlite: nothing to say about sizes (4 values measured)")
        }
    }

    @Test("A value over 100 KB belongs in an entity of its own, one over 1 MB in a file")
    func tooLarge() throws {
        try withStore(row: 100 * 1_024 + 1, table: 1_024 * 1_024 + 1, file: 0) { report in
            let original = ValueSizeLint.Finding(
                entity: "Original", attribute: "pixels", remedy: .externalStorage, largest: 1_048_577, count: 1)
            let photo = ValueSizeLint.Finding(
                entity: "Photo", attribute: "inRow", remedy: .ownEntity, largest: 102_401, count: 1)
            #expect(report.findings == [original, photo])
            #expect(
                report.description.contains("Photo.inRow: one value is too large for a row, the largest has 100 KB"))
        }
    }

    @Test("Checking a store changes nothing in it")
    func readOnly() throws {
        try withTemporaryFolder { (folder: URL) throws in
            let url = folder.appendingPathComponent("n.sqlite")
            try NoteModel.makeStore(at: url, notes: 5)
            let bytes = try Data(contentsOf: url)
            let report = try ValueSizeLint().check(storeAt: url, model: NoteModel.first())
            #expect(report.measured == 5)
            #expect(try Data(contentsOf: url) == bytes)
        }
    }
}
