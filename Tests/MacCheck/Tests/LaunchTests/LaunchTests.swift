import CoreData
import CoreDataManager
import XCTest

/// A launch of `CoreDataManager` with the framework of the system.
final class LaunchTests: XCTestCase {
    private var storeURL: URL!

    override func setUpWithError() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        storeURL = folder.appendingPathComponent("Notes.sqlite")
    }

    override func tearDown() {
        try? FileManager.default.removeItem(at: storeURL.deletingLastPathComponent())
    }

    private func model(_ names: [String]) -> NSManagedObjectModel {
        let note = NSEntityDescription()
        note.name = "Note"
        note.properties = names.map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            attribute.isOptional = true
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    func testLaunchesMakeAStoreAndMigrateIt() async throws {
        do {
            let first = CoreDataManager(model: model(["text"]), storeURL: storeURL)
            try await first.launch()
            try await first.performBackground { context in
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue("kept", forKey: "text")
            }
            try await first.saveMain(wait: true)
        }
        let second = CoreDataManager(model: model(["author", "text"]), storeURL: storeURL)
        try await second.launch()
        let texts = try await second.performBackground { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            return try context.fetch(request).map { $0.value(forKey: "text") as? String }
        }
        XCTAssertEqual(texts, ["kept"])
    }
}
