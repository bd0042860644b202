import CoreData
import XCTest

private class NotedDescription: NSPersistentStoreDescription {
    let note: String

    init(note: String, url: URL) {
        self.note = note
        super.init(url: url)
    }

    override init(url: URL) {
        note = ""
        super.init(url: url)
    }

    override var type: String {
        get { super.type }
        set { super.type = newValue }
    }
    override var configuration: String? {
        get { super.configuration }
        set { super.configuration = newValue }
    }
    override var url: URL? {
        get { super.url }
        set { super.url = newValue }
    }
    override var options: [String: NSObject] { super.options }
    override var isReadOnly: Bool {
        get { super.isReadOnly }
        set { super.isReadOnly = newValue }
    }
    override var timeout: TimeInterval {
        get { super.timeout }
        set { super.timeout = newValue }
    }
    override var sqlitePragmas: [String: NSObject] { super.sqlitePragmas }
    override var shouldAddStoreAsynchronously: Bool {
        get { super.shouldAddStoreAsynchronously }
        set { super.shouldAddStoreAsynchronously = newValue }
    }
    override var shouldMigrateStoreAutomatically: Bool {
        get { super.shouldMigrateStoreAutomatically }
        set { super.shouldMigrateStoreAutomatically = newValue }
    }
    override var shouldInferMappingModelAutomatically: Bool {
        get { super.shouldInferMappingModelAutomatically }
        set { super.shouldInferMappingModelAutomatically = newValue }
    }
    override func setOption(_ option: NSObject?, forKey key: String) { super.setOption(option, forKey: key) }
    override func setValue(_ value: NSObject?, forPragmaNamed name: String) {
        super.setValue(value, forPragmaNamed: name)
    }
}

final class StoreDescriptionShapeTests: XCTestCase {
    func testSubclasses() {
        let url = URL(fileURLWithPath: "/tmp/store")
        let noted = NotedDescription(note: "a", url: url)
        noted.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        noted.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
        XCTAssertEqual(noted.url, url)
        XCTAssertTrue(noted.shouldMigrateStoreAutomatically)
        XCTAssertTrue(noted.shouldInferMappingModelAutomatically)
        XCTAssertEqual(noted.options[NSPersistentHistoryTrackingKey] as? NSNumber, true)
        XCTAssertEqual(noted.sqlitePragmas["journal_mode"] as? NSString, "DELETE")
        // The convenience initialiser comes along with the designated one.
        XCTAssertEqual(NotedDescription().url, URL(fileURLWithPath: "/dev/null"))
    }

    func testValues() {
        let make: (URL) -> NSPersistentStoreDescription = NSPersistentStoreDescription.init(url:)
        let set = make(URL(fileURLWithPath: "/tmp/store")).setOption(_:forKey:)
        set(nil, NSReadOnlyPersistentStoreOption)
        let url: ReferenceWritableKeyPath<NSPersistentStoreDescription, URL?> = \.url
        let description = NSPersistentStoreDescription()
        description[keyPath: url] = nil
        XCTAssertNil(description.url)
        XCTAssertFalse(description.copy() as AnyObject === description)
    }
}
