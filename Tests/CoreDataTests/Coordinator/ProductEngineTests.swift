import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// The engine of the type 'Tests': its name in this module, 'CoreDataTests', is the one that the coordinator searches
/// for.
final class TestsEngine: ProductStoreEngine, MigratingEngine {
    private let files = SQLiteEngine()

    var forms: [String: StoreForm] { ["Tests": .database] }
    var storeClass: NSPersistentStore.Type { files.storeClass }

    func open(_ opening: StoreOpening, copying other: NSPersistentStore?) throws -> any NSPersistentStore & RowStore {
        try files.open(opening, copying: other)
    }
    func metadata(at url: URL, timeout: TimeInterval) throws -> [String: Any] {
        try files.metadata(at: url, timeout: timeout)
    }
    func setMetadata(_ metadata: [String: Any], at url: URL, timeout: TimeInterval) throws {
        try files.setMetadata(metadata, at: url, timeout: timeout)
    }
    func cachedModel(at url: URL, timeout: TimeInterval) throws -> NSManagedObjectModel? { nil }
    func destroy(at place: StorePlace, _ url: URL, timeout: TimeInterval, force: Bool) throws {
        try files.destroy(at: place, url, timeout: timeout, force: force)
    }
    func replace(
        fileAt url: URL, with source: StorePlace, _ sourceURL: URL, timeout: TimeInterval, waiting: TimeInterval,
        force: Bool
    ) throws {
        try files.replace(
            fileAt: url, with: source, sourceURL, timeout: timeout, waiting: waiting, force: force)
    }
    func owns(_ store: NSPersistentStore) -> Bool { store.type == "Tests" }
    func copy(_ store: NSPersistentStore, to url: URL, replacing: Bool, _ progress: Progress?) throws {
        try files.copy(store, to: url, replacing: replacing, progress)
    }

    func prepare(_ request: MigrationRequest) throws -> (any StoreSummary)? { try files.prepare(request) }
    func forecast(_ request: MigrationRequest) throws -> MigrationForecast { try files.forecast(request) }
    func withTrialCopies<Result>(
        of url: URL, _ body: (_ first: URL, _ second: URL) throws -> Result
    ) throws -> Result { try files.withTrialCopies(of: url, body) }
    func run(_ statements: [MigrationForecast.Statement], at url: URL, _ options: [AnyHashable: Any]?) throws {
        try files.run(statements, at: url, options)
    }
    func differences(of first: URL, from second: URL, leavingOut columns: Set<String>) throws -> [String] {
        try files.differences(of: first, from: second, leavingOut: columns)
    }
}

@Suite("An engine that a product of its own brings", .leavesNothingBehind)
struct ProductEngineTests {
    private func coordinator() -> NSPersistentStoreCoordinator {
        NSPersistentStoreCoordinator(managedObjectModel: ModelText.model("entity Note\n  text string"))
    }

    @Test("The type's name finds it")
    func found() throws {
        try withTemporaryFolder { folder in
            let coordinator = coordinator()
            let store = try coordinator.addPersistentStore(
                ofType: "Tests", configurationName: nil, at: folder.appendingPathComponent("n.store"))
            #expect(store.type == "Tests")
            #expect(StoreEngines.engine(for: "Tests") is TestsEngine)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            try context.performAndWait {
                context.persistentStoreCoordinator = coordinator
                context.make("Note", ["text": "a"])
                try context.save()
            }
        }
    }

    @Test("The error for an unknown type names the product to add, where a product could have the type")
    func missing() throws {
        let url = URL(fileURLWithPath: "/dev/null")
        let error = #expect(throws: NSError.self) {
            try coordinator().addPersistentStore(ofType: "Moon", configurationName: nil, at: url)
        }
        #expect(error?.code == NSPersistentStoreInvalidTypeError)
        #expect(error?.localizedDescription.contains("'CoreDataMoon'") == true)
        let odd = #expect(throws: NSError.self) {
            try coordinator().addPersistentStore(ofType: "no name", configurationName: nil, at: url)
        }
        #expect(odd?.code == NSPersistentStoreInvalidTypeError)
        #expect(odd?.localizedDescription.contains("product") == false)
    }
}
