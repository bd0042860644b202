import CoreData
import CoreDataManager
import TestSupport
import XCTest

/// The save chain where the main thread really is the main thread: XCTest runs there and spins its run loop.
final class SaveChainXCTests: XCTestCase {
    private var folder = URL(fileURLWithPath: NSTemporaryDirectory())
    private var manager: CoreDataManager?

    override func setUpWithError() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("opencoredata-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let manager = CoreDataManager(
            model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"))
        let launched = expectation(description: "the launch ends")
        manager.launch { result in
            if case .failure(let error) = result { XCTFail("\(error)") }
            launched.fulfill()
        }
        wait(for: [launched], timeout: 30)
        self.manager = manager
    }

    override func tearDownWithError() throws {
        manager = nil
        try FileManager.default.removeItem(at: folder)
    }

    /// XCTest runs its tests on the main thread without being of the main actor.
    private func mainContext(of manager: CoreDataManager) -> NSManagedObjectContext {
        MainActor.assumeIsolated { manager.mainContext }
    }

    func testTheMainThreadSavesDownToTheStore() throws {
        let manager = try XCTUnwrap(manager)
        NoteModel.insert("from main", into: mainContext(of: manager))
        try manager.save(wait: true)
        XCTAssertEqual(try NoteModel.texts(inStoreAt: manager.storeURL), ["from main"])
    }

    func testAChildThatSavesFromTheMainThreadReachesTheStore() throws {
        let manager = try XCTUnwrap(manager)
        let child = manager.newBackgroundContext()
        try child.performAndWait {
            NoteModel.insert("from a child", into: child)
            try child.save()
        }
        try manager.save(wait: true)
        XCTAssertEqual(try NoteModel.texts(inStoreAt: manager.storeURL), ["from a child"])
    }

    func testASaveThatIsNotWaitedForEndsWhileTheMainThreadGoesOn() throws {
        let manager = try XCTUnwrap(manager)
        NoteModel.insert("later", into: mainContext(of: manager))
        let saved = expectation(description: "the root has saved")
        try manager.save(wait: false) { outcome in
            if case .failure(let error) = outcome { XCTFail("\(error)") }
            saved.fulfill()
        }
        wait(for: [saved], timeout: 30)
        XCTAssertEqual(try NoteModel.texts(inStoreAt: manager.storeURL), ["later"])
    }
}
